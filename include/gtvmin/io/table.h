#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"

namespace gtvmin {

/// A CSV with a header, some columns text and all others numbers.
struct Table {
  /// texts[k] is the k-th text column, in the order in which they were asked for.
  std::vector<std::vector<std::string>> texts;
  /// The other columns, in the order of the file.
  std::vector<std::string> number_names;
  /// number_names × rows: a column of the matrix is a row of the file.
  Matrix numbers;

  [[nodiscard]] Index rows() const { return numbers.cols(); }
};

/// Reads e.g. parameters.csv with text column `node`, or clusters.csv with `node` and `cluster`. The first text column
/// names the row: it is not empty and no two rows share it. A file without rows is legal. Fails like read_dataset.
[[nodiscard]] Result<Table> read_table(const std::string& path, const std::vector<std::string>& text_columns);
[[nodiscard]] Result<Table> parse_table(const std::string& name, std::string_view content,
                                        const std::vector<std::string>& text_columns);

/// Reads a symmetric matrix: d lines of d numbers, no header. Two entries may differ by 1e-12 of the largest one; what
/// is returned is symmetric to the last bit.
[[nodiscard]] Result<Matrix> read_matrix(const std::string& path);
[[nodiscard]] Result<Matrix> parse_matrix(const std::string& name, std::string_view content);

}  // namespace gtvmin
