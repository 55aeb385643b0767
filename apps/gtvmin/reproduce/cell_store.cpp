#include "cell_store.h"

#include <fmt/format.h>

#include <filesystem>

#include "gtvmin/base/fingerprint.h"
#include "gtvmin/io/output_file.h"
#include "gtvmin/io/text_file.h"
#include "outcome_json.h"

namespace gtvmin::app {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Status CellStore::make_folder() const {
  std::error_code code;
  std::filesystem::create_directories(folder_, code);
  if (code) return usage_error(fmt::format("{}: cannot be created: {}", folder_, code.message()));
  return Unit{};
}

std::string CellStore::path(const Cell& cell) const { return fmt::format("{}/{}.json", folder_, cell.key); }

std::optional<CellOutcome> CellStore::load(const Cell& cell) const {
  const Result<TextFile> file = TextFile::open(path(cell));
  if (!file) return std::nullopt;
  // A file that is not ours is no finished cell: it is made anew.
  try {
    const Json json = Json::parse(file->content());
    if (json.at("settings") != fingerprint(cell.settings)) return std::nullopt;
    return CellOutcome{.curve = to_points(json.at("curve")),
                       .cloud = to_points(json.at("cloud")),
                       .facts = to_facts(json.at("facts")),
                       .tuning = to_tuning(json.at("tuning")),
                       .seconds = json.at("seconds").get<double>()};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

Status CellStore::save(const Cell& cell, const CellOutcome& outcome) const {
  const Json json = {{"settings", fingerprint(cell.settings)}, {"seconds", outcome.seconds},
                     {"curve", points_json(outcome.curve)},    {"cloud", points_json(outcome.cloud)},
                     {"facts", facts_json(outcome.facts)},     {"tuning", tuning_json(outcome.tuning)}};
  return write_output_file(path(cell), true, json.dump() + "\n");
}

}  // namespace gtvmin::app
