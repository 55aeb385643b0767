#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gtvmin/options/option_set.h"

namespace gtvmin {
namespace {

std::string accepted_values(const Option& option) {
  switch (option.type) {
    case OptionType::kFlag:
      return fmt::format("flag; `--no-{}` switches it off", option.name);
    case OptionType::kInteger:
    case OptionType::kReal: {
      const std::string kind = option.type == OptionType::kInteger ? "whole number" : "number";
      const std::string range = option.range.describe();
      return range.empty() ? kind : kind + " " + range;
    }
    case OptionType::kText:
      return "text";
    case OptionType::kPath:
      return "path";
    case OptionType::kList:
      return "names: `a,b,c`, in TOML `[\"a\", \"b\", \"c\"]`";
    case OptionType::kChoice:
      return fmt::format("`{}`", fmt::join(option.choices, "`, `"));
  }
  return {};
}

std::string default_text(const Option& option) {
  if (!option.required_hint.empty()) {
    return "required";
  }
  const std::string text = to_text(option.default_value);
  return text.empty() ? "" : fmt::format("`{}`", text);
}

}  // namespace

std::string to_json(const OptionSet& options) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Option& option : options.options()) {
    std::visit([&](const auto& value) { json[option.name] = value; }, option.load());
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string markdown_table(const OptionSet& options, std::string_view group) {
  std::string table = "| Option | Values | Default | Meaning |\n|---|---|---|---|\n";
  for (const Option& option : options.options()) {
    if (option.group != group) continue;
    table += fmt::format("| `--{}` | {} | {} | {} |\n", option.name, accepted_values(option), default_text(option),
                         option.help);
  }
  return table;
}

std::string markdown_table(const OptionSet& options) {
  std::string page;
  const std::string* group = nullptr;
  for (const Option& option : options.options()) {
    if (group != nullptr && *group == option.group) continue;
    group = &option.group;
    page += fmt::format("{}{}{}", page.empty() ? "" : "\n", group->empty() ? "" : fmt::format("### {}\n\n", *group),
                        markdown_table(options, *group));
  }
  return page;
}

}  // namespace gtvmin
