#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/stop.h"
#include "gtvmin/problem/dataset.h"

namespace gtvmin {

/// Which columns of the data file mean what.
struct DataColumns {
  std::string node = "node";
  std::string label = "y";
  /// Empty: all other columns, in the order of the file.
  std::vector<std::string> features;
};

/// A text and the name by which messages call it.
struct NamedText {
  std::string name;
  std::string_view content;
};

/// Reads the samples (one row each: a node, a label unless `labels` is kNone, features) and the undirected edges
/// (`source,target[,weight]`, weight > 0, default 1). Rows of a node need not be contiguous. Without a label every
/// column but the node is a feature. Binary labels become −1 and +1, class names their position in class_names. An
/// empty `edges_path` means no edges.
///
/// Fails with all problems of both files, each "file:line: what is wrong", at most 20 for each file and then a line
/// that says how many more there are; with interrupted() once `stop` says so; and with a runtime failure where the
/// samples need more memory than there is.
[[nodiscard]] Result<Dataset> read_dataset(const std::string& data_path, const std::string& edges_path,
                                           const DataColumns& columns, LabelDomain labels, const Stop& stop = {});

/// The same with one file per node: the files *.csv of a folder, each named after its node and without a column for it.
/// All have the same columns, in any order.
[[nodiscard]] Result<Dataset> read_dataset_folder(const std::string& folder, const std::string& edges_path,
                                                  const DataColumns& columns, LabelDomain labels,
                                                  const Stop& stop = {});

/// Those files, by name; fails if there is none.
[[nodiscard]] Result<std::vector<std::string>> dataset_folder_files(const std::string& folder);

/// The same from memory. An edge text without a name means no edges.
[[nodiscard]] Result<Dataset> parse_dataset(const NamedText& data, const NamedText& edges, const DataColumns& columns,
                                            LabelDomain labels, const Stop& stop = {});

}  // namespace gtvmin
