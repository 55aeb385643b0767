#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "gtvmin/base/result.h"

namespace gtvmin {

/// Problems of the input, the first 20 of them and how many more there are, as the readers of files list them.
class ErrorList {
 public:
  void add(std::string message) {
    if (++count_ <= kListed) error_.messages.push_back(std::move(message));
  }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] Error take() {
    if (count_ > kListed) error_.messages.push_back(fmt::format("and {} more problems like these", count_ - kListed));
    return std::move(error_);
  }

 private:
  static constexpr int kListed = 20;
  Error error_{Error::Kind::kBadInput, {}};
  int count_ = 0;
};

}  // namespace gtvmin
