#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gtvmin/base/result.h"

namespace gtvmin {

/// What an option can hold. A choice is held as its name.
using OptionValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

/// The numbers that an option accepts; NaN and infinities are never accepted.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;

  static Range at_least(double low) { return {.low = low}; }
  static Range above(double low) { return {.low = low, .low_open = true}; }
  static Range between(double low, double high) { return {.low = low, .high = high}; }

  [[nodiscard]] bool contains(double x) const;
  /// In words: "≥ 0", "> 0", "0 to 1"; empty where everything is accepted.
  [[nodiscard]] std::string describe() const;
};

enum class OptionType { kFlag, kInteger, kReal, kText, kPath, kList, kChoice };

/// One option: all that the command line, the TOML file and the documentation say about it stands here.
struct Option {
  std::string name;  ///< as in --name on the command line and name = … in a TOML file
  OptionType type = OptionType::kText;
  std::string group{};
  std::string help{};
  OptionValue default_value{};
  Range range{};
  std::vector<std::string> choices{};
  /// Not empty: there is no default, and this is what a user who leaves the option out is told.
  std::string required_hint{};
  /// Another option that can be given instead of this one.
  std::string alternative{};
  /// Another option without which this one says nothing.
  std::string prerequisite{};
  /// Has been set after its declaration.
  bool given = false;
  std::function<void(const OptionValue&)> store{};
  std::function<OptionValue()> load{};

  /// Checks type, range and choice, then writes the bound variable. The error lacks its subject: "must be > 0, not -1".
  [[nodiscard]] Status set(const OptionValue& value);
  /// The same from text as it stands on a command line.
  [[nodiscard]] Status set_text(std::string_view text);

  Option& required(std::string hint) {
    required_hint = std::move(hint);
    return *this;
  }
  Option& unless(std::string other) {
    alternative = std::move(other);
    return *this;
  }
  Option& needs(std::string other) {
    prerequisite = std::move(other);
    return *this;
  }
};

/// A set of options, each declared once and bound to a variable, whose value at the time of the declaration is the
/// default. The variables must outlive the set.
class OptionSet {
 public:
  /// Options that are declared after this call belong to the group `name`.
  void group(std::string name) { group_ = std::move(name); }

  Option& flag(std::string name, bool& variable, std::string help);
  Option& integer(std::string name, std::int64_t& variable, Range range, std::string help);
  Option& integer(std::string name, int& variable, Range range, std::string help);
  Option& real(std::string name, double& variable, Range range, std::string help);
  Option& text(std::string name, std::string& variable, std::string help);
  /// In a TOML file a relative path starts at the folder of that file.
  Option& path(std::string name, std::string& variable, std::string help);
  /// a,b,c on the command line, an array of strings in TOML.
  Option& list(std::string name, std::vector<std::string>& variable, std::string help);
  Option& choice(std::string name, std::string& variable, std::vector<std::string> choices, std::string help);
  /// A choice that is held as something else than its name, e.g. an enum.
  template <class T>
  Option& choice(std::string name, T& variable, std::vector<std::pair<std::string, T>> choices, std::string help);

  [[nodiscard]] const std::deque<Option>& options() const { return options_; }
  [[nodiscard]] std::deque<Option>& options() { return options_; }
  [[nodiscard]] Option* find(std::string_view name);
  /// The name that `name` was most likely meant to be; empty if none is close.
  [[nodiscard]] std::string closest(std::string_view name) const;
  /// Fails with the hints of all required options that have not been given, and with all options that say nothing
  /// because another has not been given.
  [[nodiscard]] Status check_required() const;

 private:
  Option& add(Option option);

  std::string group_;
  std::deque<Option> options_;  // a deque keeps the references that the declarations return valid
};

/// The entry of `candidates` that is closest to `name` by edit distance; empty if none is close.
[[nodiscard]] std::string closest_name(std::string_view name, const std::vector<std::string>& candidates);

/// The value as a user writes it: "0.1", "on", "a,b,c".
[[nodiscard]] std::string to_text(const OptionValue& value);

/// Every option with its present value, as one JSON object.
[[nodiscard]] std::string to_json(const OptionSet& options);

/// One Markdown table per group: option, values, default, meaning.
[[nodiscard]] std::string markdown_table(const OptionSet& options);
/// The table of one group, without a heading.
[[nodiscard]] std::string markdown_table(const OptionSet& options, std::string_view group);

/// The options of one of several commands that have most options in common.
struct NamedOptions {
  std::string name;
  OptionSet options;
};
/// The table of one group over several commands: each option is one row, with the defaults of the commands where they
/// differ, and a column headed `title` that names the commands which have the option.
[[nodiscard]] std::string joint_table(const std::vector<NamedOptions>& commands, std::string_view group,
                                      std::string_view title);

template <class T>
Option& OptionSet::choice(std::string name, T& variable, std::vector<std::pair<std::string, T>> choices,
                          std::string help) {
  Option option{.name = std::move(name), .type = OptionType::kChoice, .help = std::move(help)};
  for (const auto& [text, value] : choices) {
    option.choices.push_back(text);
  }
  option.load = [&variable, choices]() -> OptionValue {
    for (const auto& [text, value] : choices) {
      if (value == variable) {
        return text;
      }
    }
    return std::string{};
  };
  option.store = [&variable, choices = std::move(choices)](const OptionValue& chosen) {
    for (const auto& [text, value] : choices) {
      if (text == std::get<std::string>(chosen)) {
        variable = value;
      }
    }
  };
  return add(std::move(option));
}

}  // namespace gtvmin
