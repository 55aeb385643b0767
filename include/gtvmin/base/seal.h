#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gtvmin {

/// Content as it is kept on a disk that may damage it: with the name of its format and a fingerprint.
[[nodiscard]] std::string seal(std::string_view format, std::string_view content);

/// The name of the format, if the bytes begin with one.
[[nodiscard]] std::string_view sealed_format(std::string_view bytes);
/// The content as it was; nothing if it is damaged.
[[nodiscard]] std::optional<std::string_view> unseal(std::string_view bytes);

}  // namespace gtvmin
