#include <fmt/format.h>

#include <cstdio>

#include "command.h"
#include "gtvmin/options/toml_options.h"
#include "standard_streams.h"

namespace gtvmin::app {
namespace {

// What stands behind --name in the help.
std::string placeholder(const Option& option) {
  switch (option.type) {
    case OptionType::kFlag:
      return {};
    case OptionType::kInteger:
      return "N";
    case OptionType::kReal:
      return "X";
    case OptionType::kText:
      return "TEXT";
    case OptionType::kPath:
      return "PATH";
    case OptionType::kList:
      return "A,B,...";
    case OptionType::kChoice:
      return fmt::format("{}", fmt::join(option.choices, "|"));
  }
  return {};
}

std::string help_text(const Option& option) {
  std::string text = option.help;
  const std::string range = option.range.describe();
  if (!range.empty() && range.size() < 20) {
    text += fmt::format(" ({})", range);
  }
  const std::string standard = to_text(option.default_value);
  if (!option.required_hint.empty()) {
    text += " [required]";
  } else if (option.type != OptionType::kFlag && !standard.empty()) {
    text += fmt::format(" [default: {}]", standard);
  }
  return text;
}

}  // namespace

int report(const Error& error) {
  for (const std::string& message : error.messages) {
    if (error.kind == Error::Kind::kInterrupted) {
      tell(stderr, "gtvmin: {}; nothing is written\n", message);
      continue;
    }
    // Messages about input begin with file:line, as compilers write them, so that editors can jump there.
    tell(stderr, "{}{}\n", error.kind == Error::Kind::kBadInput ? "" : "gtvmin: ", message);
  }
  switch (error.kind) {
    case Error::Kind::kUsage:
      return kUsage;
    case Error::Kind::kBadInput:
      return kBadInput;
    case Error::Kind::kRuntime:
      return kRuntimeFailure;
    case Error::Kind::kInterrupted:
      return kLimit;
  }
  return kBug;
}

Error as_options(Error error) {
  if (error.kind != Error::Kind::kUsage) {
    return error;
  }
  for (std::string& message : error.messages) {
    message.insert(0, "--");
  }
  return error;
}

void CommandOptions::bind(CLI::App& command) {
  for (const Option& option : options_->options()) {
    const std::string group = option.group.empty() ? "Options" : option.group;
    if (option.type == OptionType::kFlag) {
      const bool on = std::get<bool>(option.default_value);
      // Both directions exist, because the command line must be able to overrule a file; the help shows the useful one.
      command
          .add_flag_callback(
              "--" + option.name, [this, name = option.name] { given_.emplace_back(name, "true"); }, help_text(option))
          ->group(group);
      command
          .add_flag_callback(
              "--no-" + option.name, [this, name = option.name] { given_.emplace_back(name, "false"); },
              "Turn --" + option.name + " off")
          ->group(on ? group : "");
      continue;
    }
    command
        .add_option_function<std::string>(
            "--" + option.name,
            [this, name = option.name](const std::string& text) { given_.emplace_back(name, text); }, help_text(option))
        ->type_name(placeholder(option))
        ->group(group);
  }
}

void CommandOptions::bind_with_file(CLI::App& command) {
  command.add_option("FILE.toml", file_, "TOML file with options of the same names; the command line takes precedence");
  bind(command);
}

Status CommandOptions::apply() {
  if (!file_.empty()) {
    if (Status read = read_toml_options(*options_, file_); !read) {
      return read;
    }
  }
  Error wrong{Error::Kind::kUsage, {}};
  for (const auto& [name, text] : given_) {
    if (const Status set = options_->find(name)->set_text(text); !set) {
      wrong.messages.push_back(fmt::format("--{} {}", name, set.error().messages.front()));
    }
  }
  if (!wrong.messages.empty()) {
    return wrong;
  }
  return options_->check_required();
}

}  // namespace gtvmin::app
