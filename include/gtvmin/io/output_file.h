#pragma once

#include <string>
#include <string_view>

#include "gtvmin/base/result.h"
#include "gtvmin/base/stop.h"

namespace gtvmin {

/// Whether a file can be written to `path`: its folder exists and is writable, and `path` does not exist, or `force` is
/// set and it is a plain file. To be asked before a long computation.
[[nodiscard]] Status check_output_file(const std::string& path, bool force);

/// Writes the file whole or not at all: to a hidden sibling, `.<name>.partial-…`, which is then renamed. Fails with
/// interrupted() if `stop` says so before that.
[[nodiscard]] Status write_output_file(const std::string& path, bool force, std::string_view content,
                                       const Stop& stop = {});

/// The same for what nobody but the owner may read (mode 0600). Never replaces a file: what it held would be lost.
[[nodiscard]] Status write_secret_file(const std::string& path, std::string_view content);

/// Replaces such a file, or makes it, whole or not at all; returns once it is on the disk.
[[nodiscard]] Status replace_secret_file(const std::string& path, std::string_view content);

/// Removes what processes left behind that were killed while they wrote this file. For who alone writes it.
void remove_partial_files(const std::string& path);

/// Returns once the names in a folder are on the disk.
[[nodiscard]] Status sync_folder(const std::string& folder);

/// The content of such a file. Fails if it is no plain file, or if others than its owner may read or write it.
[[nodiscard]] Result<std::string> read_secret_file(const std::string& path);

}  // namespace gtvmin
