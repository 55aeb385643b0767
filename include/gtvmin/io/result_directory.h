#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/stop.h"

namespace gtvmin {

/// The file by which a directory is recognised as one of ours; only such a directory, or an empty one, is replaced.
inline constexpr std::string_view kResultMarker = "summary.json";

/// Whether a result directory can be written to `path`: the parent exists and is writable; `path` does not exist, or
/// `force` is set and it is an empty directory or one that holds `marker`. To be asked before a long computation.
[[nodiscard]] Status check_output_directory(const std::string& path, bool force,
                                            std::string_view marker = kResultMarker);

/// A directory that appears whole or not at all. Files are written to a hidden sibling, `.<name>.partial-…`, which
/// commit() renames into place. Without commit() the destructor leaves no trace.
class ResultDirectory {
 public:
  static Result<ResultDirectory> create(const std::string& path, bool force, std::string_view marker = kResultMarker);

  ResultDirectory(ResultDirectory&& other) noexcept;
  ResultDirectory& operator=(ResultDirectory&&) = delete;
  ResultDirectory(const ResultDirectory&) = delete;
  ResultDirectory& operator=(const ResultDirectory&) = delete;
  ~ResultDirectory();

  /// Writes one file of the directory, through to the disk. `name` is a plain file name, used once.
  Status add(std::string_view name, std::string_view content, const Stop& stop = {});
  /// Moves the directory into place; the old one, if any, goes. To be called once, last.
  Status commit();

 private:
  ResultDirectory(std::filesystem::path target, std::filesystem::path partial, bool force, std::string marker);
  std::filesystem::path target_;
  /// Empty once committed or moved from.
  std::filesystem::path partial_;
  bool force_;
  std::string marker_;
};

using NamedFiles = std::vector<std::pair<std::string, std::string>>;

/// Writes files (names with contents) as such a directory. Fails with interrupted() and leaves no trace if `stop` says
/// so before the directory is in place.
[[nodiscard]] Status write_result_directory(const std::string& path, bool force, const NamedFiles& files,
                                            std::string_view marker = kResultMarker, const Stop& stop = {});

}  // namespace gtvmin
