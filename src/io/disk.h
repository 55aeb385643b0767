#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "gtvmin/base/stop.h"

namespace gtvmin {

/// What the system says about an errno.
[[nodiscard]] std::string reason(int code);

/// The directory in which a path stands.
[[nodiscard]] std::filesystem::path parent_of(const std::filesystem::path& target);

/// Writes everything and waits for the disk; returns 0 or an errno, ECANCELED once `stop` says so. A file that is
/// larger than the system allows (EFBIG) is an error like a full disk; SIGXFSZ must be ignored for that.
[[nodiscard]] int write_through(int fd, std::string_view content, const Stop& stop = {});

/// rename, but never onto something that exists; returns 0 or an errno.
[[nodiscard]] int rename_to_free(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace gtvmin
