#include "torch_errors.h"

#include <c10/util/Exception.h>

#include <string_view>

namespace gtvmin {

std::string first_line(const std::exception& error) {
  const auto* torch = dynamic_cast<const c10::Error*>(&error);
  const std::string text = torch != nullptr ? torch->what_without_backtrace() : error.what();
  // TorchScript puts the trace of the script first and the reason, "RuntimeError: …", last.
  constexpr std::string_view kScript = "Error: ";
  const std::size_t reason = text.rfind(kScript);
  const bool traced = text.find("TorchScript interpreter") != std::string::npos && reason != std::string::npos;
  const std::size_t begin = traced ? reason + kScript.size() : 0;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace gtvmin
