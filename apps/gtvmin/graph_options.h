#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gtvmin/io/dataset_reader.h"
#include "gtvmin/options/option_set.h"
#include "gtvmin/similarity/edge_weights.h"
#include "gtvmin/similarity/embedding/embedding.h"
#include "gtvmin/similarity/select_edges.h"
#include "gtvmin/similarity/similarity.h"

namespace gtvmin::app {

/// All that `gtvmin graph` can be told; the values here are the defaults.
struct GraphSettings {
  std::string data;
  std::string data_dir;
  std::string out;
  std::string clusters;
  std::string embedding_out;
  bool force = false;

  DataColumns columns;
  std::string time_column = "time";
  std::string value_column = "value";
  bool standardize = false;

  SimilaritySpec similarity;
  EmbeddingSpec embedding;
  EdgeRule rule;
  WeightRule weights;
  /// A number, or "median".
  std::string scale = "1";

  std::int64_t seed = 1;
  int threads = 0;
  bool json = false;
  bool progress = true;
};

/// The one place where the options of `gtvmin graph` are declared. `settings` must outlive the set.
[[nodiscard]] OptionSet declare_graph_options(GraphSettings& settings);

/// What no single option can know: options that need or exclude each other. Afterwards `settings` says all that was
/// only implied: the scale, the seeds, --join ball where --epsilon is given.
[[nodiscard]] Status complete_graph_settings(OptionSet& options, GraphSettings& settings);

}  // namespace gtvmin::app
