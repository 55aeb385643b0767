#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/evaluate/match_nodes.h"
#include "gtvmin/io/dataset_reader.h"
#include "gtvmin/options/option_set.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/problem/standardize.h"
#include "gtvmin/torch/torch_model.h"

namespace gtvmin::app {

/// A result directory, read back.
struct StoredResult {
  std::string parameters_path;
  std::vector<std::string> nodes;
  /// Names of the parameters.
  std::vector<std::string> coordinates;
  /// coordinates × nodes, in the units of the training.
  Matrix w;
  ModelSpec spec;
  TorchSpec net;
  ModelPtr model;
  /// Of the labels; empty where they are numbers.
  std::vector<std::string> classes;
  /// How a data file of this problem is to be read.
  DataColumns columns;
  std::string time_column;
  std::optional<Standardization> standardization;
  std::string penalty;
  std::string quadratic_matrix;
};

/// Reads parameters.csv and what summary.json says about them.
[[nodiscard]] Result<StoredResult> read_stored_result(const std::string& directory);

/// Sets those of the options that summary.json records, as they were when the result was made, but for `except`.
[[nodiscard]] Status apply_stored_options(const std::string& directory, std::span<const std::string_view> except,
                                          OptionSet& options);

/// The groups of a file `node,cluster`.
struct StoredClusters {
  std::string path;
  std::vector<std::string> nodes;
  Partition clusters;
  /// The names of the groups.
  std::vector<std::string> names;
};
[[nodiscard]] Result<StoredClusters> read_clusters(const std::string& path);
/// The groups of the given nodes, each of which the file must name; nothing if there is no path.
[[nodiscard]] Result<std::optional<Partition>> read_known_clusters(const std::string& path, const NamedNodes& nodes);

}  // namespace gtvmin::app
