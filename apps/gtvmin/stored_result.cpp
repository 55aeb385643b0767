#include "stored_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "gtvmin/io/table.h"
#include "gtvmin/io/text_file.h"
#include "local_models.h"

namespace gtvmin::app {
namespace {

using StoredJson = nlohmann::json;

Result<StoredJson> read_json(const std::string& path) {
  const Result<TextFile> file = TextFile::open(path);
  if (!file) return file.error();
  StoredJson json = StoredJson::parse(file->content(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return bad_input(fmt::format("{}: not a JSON object", path));
  return json;
}

/// The entry `key` of an object if both exist and it has the type of `fallback`.
template <class T>
T value_or(const StoredJson& object, const std::string& key, const T& fallback) {
  if (!object.is_object() || !object.contains(key)) return fallback;
  const StoredJson& entry = object.at(key);
  if constexpr (std::is_same_v<T, bool>) return entry.is_boolean() ? entry.get<bool>() : fallback;
  if constexpr (std::is_same_v<T, std::string>) return entry.is_string() ? entry.get<std::string>() : fallback;
}

/// One number per feature from an object that has the features as keys.
Status read_per_feature(const StoredJson& standardize, const std::string& key, const std::vector<std::string>& features,
                        Vector& numbers) {
  numbers.resize(static_cast<Index>(features.size()));
  for (std::size_t k = 0; k < features.size(); ++k) {
    const StoredJson& of_feature =
        standardize.is_object() && standardize.contains(key) ? standardize.at(key) : StoredJson();
    if (!of_feature.is_object() || !of_feature.contains(features[k]) || !of_feature.at(features[k]).is_number()) {
      return bad_input(fmt::format("standardize.{} has no number for feature '{}'", key, features[k]));
    }
    numbers[static_cast<Index>(k)] = of_feature.at(features[k]).get<double>();
  }
  return Unit{};
}

/// The strings of an array; none if it is not one.
std::vector<std::string> strings(const StoredJson& object, const std::string& key) {
  std::vector<std::string> found;
  if (!object.contains(key) || !object.at(key).is_array()) return found;
  for (const StoredJson& entry : object.at(key)) {
    if (entry.is_string()) found.push_back(entry.get<std::string>());
  }
  return found;
}

/// Names, as many as one wants to read.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 50;
  if (names.size() <= kShown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, … ({} in all)", fmt::join(names.begin(), names.begin() + kShown, ", "), names.size());
}

/// What neural nets have besides; a module lies beside its parameters.
Status read_net(const StoredJson& options, StoredResult& result) {
  const Result<std::vector<Index>> hidden = parse_hidden(strings(options, "hidden"));
  if (!hidden) return hidden.error();
  result.net.hidden = *hidden;
  const std::string loss = value_or<std::string>(options, "module-loss", "");
  for (const auto& [name, value] : module_losses()) {
    if (name == loss) result.net.module_loss = value;
  }
  result.net.module = (std::filesystem::path(result.parameters_path).parent_path() / kModuleFile).string();
  return Unit{};
}

/// The model as it was trained, and a check that parameters.csv has its parameters.
Status read_model(const StoredJson& summary, StoredResult& result) {
  ModelSpec& spec = result.spec;
  spec.name = value_or<std::string>(summary, "model", "");
  const auto& known = local_model_names();
  if (std::find(known.begin(), known.end(), spec.name) == known.end()) {
    return bad_input(fmt::format("'model' is '{}', not one of {}", spec.name, fmt::join(known, ", ")));
  }
  const StoredJson options = summary.value("options", StoredJson::object());
  spec.intercept = value_or(options, "intercept", false);
  if (options.contains("order") && options.at("order").is_number_integer()) spec.order = options.at("order").get<int>();
  spec.couple = strings(options, "couple");
  result.columns.node = value_or(options, "node-column", result.columns.node);
  result.columns.label = value_or(options, "label", result.columns.label);
  result.columns.features = strings(summary, "features");
  result.time_column = value_or<std::string>(options, "time", "time");
  result.penalty = value_or<std::string>(summary, "penalty", "");
  result.quadratic_matrix = value_or<std::string>(options, "quadratic-matrix", "");
  result.classes = strings(summary, "classes");
  if (result.columns.features.empty()) {
    result.columns.features = result.coordinates;
    if (spec.intercept) result.columns.features.pop_back();
  }
  if (Status net = read_net(options, result); !net) return net;
  Result<ModelPtr> model = make_local_model(spec, result.net, {result.columns.features, result.classes});
  if (!model) return model.error();
  result.model = *std::move(model);
  const std::vector<std::string> expected = result.model->parameter_names();
  if (expected != result.coordinates) {
    return bad_input(fmt::format("the model has the parameters {}, but parameters.csv has the columns {}",
                                 some_of(expected), some_of(result.coordinates)));
  }
  result.w = result.model->units().cwiseInverse().asDiagonal() * result.w;
  return Unit{};
}

Status read_summary(const StoredJson& summary, StoredResult& result) {
  if (Status model = read_model(summary, result); !model) return model;
  if (!summary.contains("standardize")) return Unit{};
  Standardization& map = result.standardization.emplace();
  if (Status means = read_per_feature(summary.at("standardize"), "means", result.columns.features, map.means); !means) {
    return means;
  }
  return read_per_feature(summary.at("standardize"), "scales", result.columns.features, map.scales);
}

/// What summary.json has for an option; nothing if it has another type.
std::optional<OptionValue> option_value(const StoredJson& entry, OptionType type) {
  switch (type) {
    case OptionType::kFlag:
      return entry.is_boolean() ? std::optional<OptionValue>(entry.get<bool>()) : std::nullopt;
    case OptionType::kInteger:
      return entry.is_number_integer() ? std::optional<OptionValue>(entry.get<std::int64_t>()) : std::nullopt;
    case OptionType::kReal:
      return entry.is_number() ? std::optional<OptionValue>(entry.get<double>()) : std::nullopt;
    case OptionType::kList: {
      std::vector<std::string> items;
      for (const StoredJson& item : entry) {
        if (item.is_string()) items.push_back(item.get<std::string>());
      }
      return entry.is_array() ? std::optional<OptionValue>(std::move(items)) : std::nullopt;
    }
    case OptionType::kText:
    case OptionType::kPath:
    case OptionType::kChoice:
      return entry.is_string() ? std::optional<OptionValue>(entry.get<std::string>()) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Status apply_stored_options(const std::string& directory, std::span<const std::string_view> except,
                            OptionSet& options) {
  const std::string path = directory + "/summary.json";
  const Result<StoredJson> summary = read_json(path);
  if (!summary) return summary.error();
  const StoredJson stored = summary->value("options", StoredJson::object());
  for (Option& option : options.options()) {
    const bool skipped = std::find(except.begin(), except.end(), option.name) != except.end();
    if (skipped || !stored.is_object() || !stored.contains(option.name)) continue;
    const std::optional<OptionValue> value = option_value(stored.at(option.name), option.type);
    // Options that were never given may have a value that none could be set to, such as an empty choice.
    if (!value || *value == option.load()) continue;
    if (const Status set = option.set(*value); !set) {
      return bad_input(fmt::format("{}: option '{}' {}", path, option.name, set.error().messages.front()));
    }
  }
  return Unit{};
}

Result<StoredResult> read_stored_result(const std::string& directory) {
  const std::string summary_path = directory + "/summary.json";
  const Result<StoredJson> summary = read_json(summary_path);
  if (!summary) return summary.error();
  StoredResult result;
  result.parameters_path = directory + "/parameters.csv";
  Result<Table> table = read_table(result.parameters_path, {"node"});
  if (!table) return table.error();
  if (table->rows() == 0 || table->number_names.empty()) {
    return bad_input(fmt::format("{}: there are no parameters", result.parameters_path));
  }
  result.nodes = std::move(table->texts[0]);
  result.coordinates = std::move(table->number_names);
  result.w = std::move(table->numbers);
  if (const Status read = read_summary(*summary, result); !read) {
    return bad_input(summary_path + ": " + read.error().messages.front());
  }
  return result;
}

Result<StoredClusters> read_clusters(const std::string& path) {
  Result<Table> table = read_table(path, {"node", "cluster"});
  if (!table) return table.error();
  StoredClusters result{path, std::move(table->texts[0]), {}, {}};
  std::unordered_map<std::string, NodeId> group_of_name;
  for (const std::string& name : table->texts[1]) {
    const auto [entry, fresh] = group_of_name.try_emplace(name, result.clusters.groups);
    if (fresh) {
      ++result.clusters.groups;
      result.names.push_back(name);
    }
    result.clusters.group_of.push_back(entry->second);
  }
  return result;
}

Result<std::optional<Partition>> read_known_clusters(const std::string& path, const NamedNodes& nodes) {
  if (path.empty()) return std::optional<Partition>();
  const Result<StoredClusters> stored = read_clusters(path);
  if (!stored) return stored.error();
  const auto positions = find_nodes(nodes, {path, stored->nodes});
  if (!positions) return positions.error();
  Partition clusters{.group_of = {}, .groups = stored->clusters.groups};
  clusters.group_of.reserve(positions->size());
  for (const NodeId position : *positions) clusters.group_of.push_back(stored->clusters.group_of[position]);
  return std::optional<Partition>(std::move(clusters));
}

}  // namespace gtvmin::app
