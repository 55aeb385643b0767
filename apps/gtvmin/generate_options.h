#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gtvmin/graph/generators/geometric.h"
#include "gtvmin/graph/generators/sbm.h"
#include "gtvmin/graph/generators/scale_free.h"
#include "gtvmin/options/option_set.h"
#include "gtvmin/synthetic/synthetic_data.h"

namespace gtvmin::app {

/// All that `gtvmin generate KIND` can be told. A kind of graph declares the graph options that it has.
struct GenerateSettings {
  std::string out;
  bool force = false;
  std::int64_t seed = 1;

  /// Cluster sizes, each "100" or, for 50 clusters of 2000 nodes, "50x2000".
  std::vector<std::string> sizes;
  double p_in = 0;
  double p_out = 0;
  double epsilon = 0;
  int nodes = 0;
  int rows = 0;
  int cols = 0;
  int neighbours = 0;
  int attachments = 0;
  int clusters = 0;

  SyntheticParameters data;
  /// 0: the same as data.min_samples.
  std::int64_t max_samples = 0;
  /// Vectors of numbers as text: "2,2;-2,2".
  std::string truth_values;
  std::string covariance;
};

/// One kind of graph.
struct GraphKind {
  std::string name;
  std::string help;
  /// The paper's setting for this graph.
  std::function<void(GenerateSettings&)> set_defaults;
  std::function<void(OptionSet&, GenerateSettings&)> declare;
  std::function<Result<GeneratedGraph>(const GenerateSettings&)> make;
};

[[nodiscard]] const std::vector<GraphKind>& graph_kinds();

/// Gives `settings` the defaults of the kind and declares its options. `settings` must outlive the set.
[[nodiscard]] OptionSet declare_generate_options(const GraphKind& kind, GenerateSettings& settings);

/// The truth that a kind has by default is one for its default clusters and features. Where there are others it gives
/// way to --truth gaussian, unless it was asked for.
void replace_unfit_default_truth(GenerateSettings& settings, OptionSet& options, NodeId clusters);

/// What the options say about the data; errors name the option. What they only imply (--truth given, the upper end of
/// the number of samples) is set, so that `options` afterwards tells what was done.
[[nodiscard]] Result<SyntheticParameters> synthetic_parameters(GenerateSettings& settings, OptionSet& options);

}  // namespace gtvmin::app
