#include "gtvmin/options/option_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <optional>

namespace gtvmin {
namespace {

// A whole number or nothing: "1e3" is a number for a real option, but not for an integer one.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<bool> parse_bool(std::string_view text) {
  if (text == "true" || text == "on" || text == "yes" || text == "1") {
    return true;
  }
  if (text == "false" || text == "off" || text == "no" || text == "0") {
    return false;
  }
  return std::nullopt;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string_view what_it_takes(OptionType type) {
  switch (type) {
    case OptionType::kFlag:
      return "true or false";
    case OptionType::kInteger:
      return "a whole number";
    case OptionType::kReal:
      return "a number";
    case OptionType::kList:
      return "a list of names";
    case OptionType::kText:
    case OptionType::kPath:
    case OptionType::kChoice:
      break;
  }
  return "a text";
}

Error wrong_type(const Option& option, std::string_view given) {
  return usage_error(fmt::format("needs {}, not '{}'", what_it_takes(option.type), given));
}

// Converts what TOML or a caller hands over to the one alternative that the option holds.
Result<OptionValue> coerce(const Option& option, const OptionValue& value) {
  switch (option.type) {
    case OptionType::kFlag:
      if (std::holds_alternative<bool>(value)) {
        return value;
      }
      break;
    case OptionType::kInteger:
      if (std::holds_alternative<std::int64_t>(value)) {
        return value;
      }
      break;
    case OptionType::kReal:
      if (std::holds_alternative<double>(value)) {
        return value;
      }
      if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        return OptionValue{static_cast<double>(*whole)};
      }
      break;
    case OptionType::kChoice:
      if (const auto* on = std::get_if<bool>(&value)) {
        return OptionValue{std::string(*on ? "on" : "off")};
      }
      [[fallthrough]];
    case OptionType::kText:
    case OptionType::kPath:
      if (std::holds_alternative<std::string>(value)) {
        return value;
      }
      break;
    case OptionType::kList:
      if (std::holds_alternative<std::vector<std::string>>(value)) {
        return value;
      }
      if (const auto* text = std::get_if<std::string>(&value)) {
        return OptionValue{split_list(*text)};
      }
      break;
  }
  // 2.0 is no whole number, and must not be shown as if it were one.
  const auto* real = std::get_if<double>(&value);
  return wrong_type(option, real != nullptr ? fmt::format("{:#}", *real) : to_text(value));
}

Status check(const Option& option, const OptionValue& value) {
  if (option.type == OptionType::kInteger || option.type == OptionType::kReal) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    const double x = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
    if (!std::isfinite(x)) {
      return usage_error(fmt::format("must be finite, not {}", to_text(value)));
    }
    if (!option.range.contains(x)) {
      return usage_error(fmt::format("must be {}, not {}", option.range.describe(), to_text(value)));
    }
  }
  if (option.type == OptionType::kChoice) {
    const auto& chosen = std::get<std::string>(value);
    if (std::find(option.choices.begin(), option.choices.end(), chosen) == option.choices.end()) {
      const std::string meant = closest_name(chosen, option.choices);
      return usage_error(fmt::format("must be one of {}, not '{}'{}", join(option.choices, ", "), chosen,
                                     meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
    }
  }
  return Unit{};
}

// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const std::size_t substitution = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

template <class T>
Option bind(std::string name, OptionType type, T& variable, std::string help) {
  Option option{.name = std::move(name), .type = type, .help = std::move(help)};
  option.load = [&variable]() -> OptionValue { return variable; };
  option.store = [&variable](const OptionValue& value) { variable = std::get<T>(value); };
  return option;
}

}  // namespace

bool Range::contains(double x) const { return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high); }

std::string Range::describe() const {
  const bool below = std::isfinite(low);
  const bool above_too = std::isfinite(high);
  if (below && above_too && !low_open && !high_open) {
    return fmt::format("{} to {}", low, high);
  }
  std::string words;
  if (below) {
    words = fmt::format("{} {}", low_open ? ">" : "≥", low);
  }
  if (above_too) {
    words += fmt::format("{}{} {}", below ? " and " : "", high_open ? "<" : "≤", high);
  }
  return words;
}

Status Option::set(const OptionValue& value) {
  const Result<OptionValue> coerced = coerce(*this, value);
  if (!coerced) {
    return coerced.error();
  }
  if (Status checked = check(*this, *coerced); !checked) {
    return checked;
  }
  store(*coerced);
  given = true;
  return Unit{};
}

Status Option::set_text(std::string_view text) {
  if (type == OptionType::kFlag) {
    const std::optional<bool> on = parse_bool(text);
    return on ? set(*on) : Status(wrong_type(*this, text));
  }
  if (type == OptionType::kInteger) {
    const auto whole = parse_number<std::int64_t>(text);
    return whole ? set(*whole) : Status(wrong_type(*this, text));
  }
  if (type == OptionType::kReal) {
    const auto real = parse_number<double>(text);
    return real ? set(*real) : Status(wrong_type(*this, text));
  }
  return set(std::string(text));
}

Option& OptionSet::add(Option option) {
  assert(find(option.name) == nullptr && "an option is declared once");
  option.group = group_;
  option.default_value = option.load();
  return options_.emplace_back(std::move(option));
}

Option& OptionSet::flag(std::string name, bool& variable, std::string help) {
  return add(bind(std::move(name), OptionType::kFlag, variable, std::move(help)));
}

Option& OptionSet::integer(std::string name, std::int64_t& variable, Range range, std::string help) {
  Option option = bind(std::move(name), OptionType::kInteger, variable, std::move(help));
  option.range = range;
  return add(std::move(option));
}

Option& OptionSet::integer(std::string name, int& variable, Range range, std::string help) {
  Option option{.name = std::move(name), .type = OptionType::kInteger, .help = std::move(help), .range = range};
  option.range.low = std::max(range.low, static_cast<double>(std::numeric_limits<int>::min()));
  option.range.high = std::min(range.high, static_cast<double>(std::numeric_limits<int>::max()));
  option.load = [&variable]() -> OptionValue { return std::int64_t{variable}; };
  option.store = [&variable](const OptionValue& value) { variable = static_cast<int>(std::get<std::int64_t>(value)); };
  return add(std::move(option));
}

Option& OptionSet::real(std::string name, double& variable, Range range, std::string help) {
  Option option = bind(std::move(name), OptionType::kReal, variable, std::move(help));
  option.range = range;
  return add(std::move(option));
}

Option& OptionSet::text(std::string name, std::string& variable, std::string help) {
  return add(bind(std::move(name), OptionType::kText, variable, std::move(help)));
}

Option& OptionSet::path(std::string name, std::string& variable, std::string help) {
  return add(bind(std::move(name), OptionType::kPath, variable, std::move(help)));
}

Option& OptionSet::list(std::string name, std::vector<std::string>& variable, std::string help) {
  return add(bind(std::move(name), OptionType::kList, variable, std::move(help)));
}

Option& OptionSet::choice(std::string name, std::string& variable, std::vector<std::string> choices, std::string help) {
  Option option = bind(std::move(name), OptionType::kChoice, variable, std::move(help));
  option.choices = std::move(choices);
  return add(std::move(option));
}

Option* OptionSet::find(std::string_view name) {
  const auto it = std::find_if(options_.begin(), options_.end(), [&](const Option& o) { return o.name == name; });
  return it == options_.end() ? nullptr : &*it;
}

std::string OptionSet::closest(std::string_view name) const {
  std::vector<std::string> names;
  for (const Option& option : options_) {
    names.push_back(option.name);
  }
  return closest_name(name, names);
}

Status OptionSet::check_required() const {
  Error missing{Error::Kind::kUsage, {}};
  for (const Option& option : options_) {
    const auto is_given = [&](const std::string& name) {
      return std::any_of(options_.begin(), options_.end(),
                         [&](const Option& other) { return other.name == name && other.given; });
    };
    if (!option.required_hint.empty() && !option.given && !is_given(option.alternative)) {
      missing.messages.push_back(fmt::format("--{} is required: {}", option.name, option.required_hint));
    }
    if (option.given && !option.prerequisite.empty() && !is_given(option.prerequisite)) {
      missing.messages.push_back(fmt::format("--{} needs --{}", option.name, option.prerequisite));
    }
  }
  return missing.messages.empty() ? Status(Unit{}) : Status(std::move(missing));
}

std::string closest_name(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    // A distance that rewrites the whole word is no resemblance.
    if (distance < best_distance && distance < std::max(name.size(), candidate.size())) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string to_text(const OptionValue& value) {
  struct Visitor {
    std::string operator()(bool on) const { return on ? "true" : "false"; }
    std::string operator()(std::int64_t x) const { return fmt::format("{}", x); }
    std::string operator()(double x) const { return fmt::format("{}", x); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const std::vector<std::string>& parts) const { return join(parts, ","); }
  };
  return std::visit(Visitor{}, value);
}

}  // namespace gtvmin
