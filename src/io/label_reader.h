#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gtvmin/base/types.h"
#include "gtvmin/problem/dataset.h"
#include "headed_csv.h"
#include "name_table.h"

namespace gtvmin {

/// Turns the labels of one or several files into numbers, and insists that all of them keep to one domain.
class LabelReader {
 public:
  explicit LabelReader(LabelDomain domain) : domain_(domain) {}

  /// The label in a field; anything outside the domain is a problem of the file.
  [[nodiscard]] std::optional<double> read(HeadedCsv& csv, Index column);

  /// The classes that were met: numbers in ascending order, or else names by their letters. Turns labels, which have
  /// numbered classes as they came, into positions in that order. Empty where labels are plain numbers.
  [[nodiscard]] std::vector<std::string> finish(Vector& labels) &&;

 private:
  [[nodiscard]] std::optional<double> binary(HeadedCsv& csv, Index column, double label);

  LabelDomain domain_;
  /// What the files write for −1, and the line of the first such label; 0 as long as there is none.
  double negative_ = 0;
  std::int64_t line_of_negative_ = 0;
  NameTable classes_;
};

}  // namespace gtvmin
