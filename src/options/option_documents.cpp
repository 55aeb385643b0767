#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gtvmin/options/option_set.h"

namespace gtvmin {
namespace {

std::string accepted_values(const Option& option) {
  switch (option.type) {
    case OptionType::kFlag:
      return "flag";
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
      return "list";
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

/// An option with the commands that have it, in their order.
struct JointOption {
  std::vector<const Option*> options;
  std::vector<std::string> commands;
};

std::vector<JointOption> join_options(const std::vector<NamedOptions>& commands, std::string_view group) {
  std::vector<JointOption> rows;
  for (const NamedOptions& command : commands) {
    for (const Option& option : command.options.options()) {
      if (option.group != group) continue;
      auto row = std::find_if(rows.begin(), rows.end(),
                              [&](const JointOption& r) { return r.options.front()->name == option.name; });
      if (row == rows.end()) row = rows.insert(rows.end(), JointOption{});
      row->options.push_back(&option);
      row->commands.push_back(command.name);
    }
  }
  return rows;
}

/// "`1`" if all commands agree, otherwise "`1` (sbm, star), `2` (chain)".
std::string joint_default(const JointOption& row) {
  std::vector<std::pair<std::string, std::vector<std::string>>> texts;
  for (std::size_t k = 0; k < row.options.size(); ++k) {
    const std::string text = default_text(*row.options[k]);
    const std::string shown = text.empty() ? "none" : text;
    auto found = std::find_if(texts.begin(), texts.end(), [&](const auto& entry) { return entry.first == shown; });
    if (found == texts.end()) found = texts.insert(texts.end(), {shown, {}});
    found->second.push_back(row.commands[k]);
  }
  if (texts.size() == 1) return default_text(*row.options.front());
  std::vector<std::string> parts;
  parts.reserve(texts.size());
  for (const auto& [text, names] : texts) parts.push_back(fmt::format("{} ({})", text, fmt::join(names, ", ")));
  return fmt::format("{}", fmt::join(parts, ", "));
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

std::string joint_table(const std::vector<NamedOptions>& commands, std::string_view group, std::string_view title) {
  std::string table = fmt::format("| Option | Values | Default | {} | Meaning |\n|---|---|---|---|---|\n", title);
  for (const JointOption& row : join_options(commands, group)) {
    // Where the help differs, the longest has an additional remark.
    const Option& longest =
        **std::max_element(row.options.begin(), row.options.end(),
                           [](const auto* a, const auto* b) { return a->help.size() < b->help.size(); });
    const bool all = row.commands.size() == commands.size();
    table += fmt::format("| `--{}` | {} | {} | {} | {} |\n", longest.name, accepted_values(longest), joint_default(row),
                         all ? "all" : fmt::format("{}", fmt::join(row.commands, ", ")), longest.help);
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
