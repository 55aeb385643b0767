#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/stop.h"
#include "gtvmin/base/types.h"
#include "gtvmin/io/dataset_reader.h"
#include "gtvmin/io/input_problems.h"
#include "gtvmin/problem/dataset.h"
#include "label_reader.h"
#include "name_table.h"

namespace gtvmin {

/// The rows of a data file, in the order of the file.
struct SampleRows {
  std::vector<std::string> feature_names;
  std::vector<NodeId> node_of_row;
  Matrix features;  ///< features × rows
  Vector labels;    ///< one per row; empty without labels
};

/// A data file, and the node to which all of its rows belong; empty: a column says to which.
struct SampleText {
  std::string_view content;
  std::string_view node{};
};

/// Names are numbered by `names`; without `labels` there is no label. What is wrong goes to `problems`; if there are
/// any, the result means nothing. Fails where there is too little memory, or where `stop` said so.
[[nodiscard]] Result<SampleRows> read_sample_rows(const SampleText& text, const DataColumns& columns,
                                                  LabelReader* labels, NameTable& names, InputProblems& problems,
                                                  const Stop& stop);

}  // namespace gtvmin
