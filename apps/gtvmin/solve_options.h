#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine.h"
#include "gtvmin/io/dataset_reader.h"
#include "gtvmin/options/option_set.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/solver/solver.h"
#include "gtvmin/torch/torch_model.h"

namespace gtvmin::app {

/// All that `gtvmin solve` can be told; the values here are the defaults.
struct SolveSettings {
  std::string data;
  std::string data_dir;
  std::string edges;
  std::string out;
  bool force = false;

  ModelSpec model;
  TorchSpec net;
  std::vector<std::string> hidden = {"16"};
  std::string covariance;
  std::string penalty = "l2";
  std::string quadratic_matrix;
  std::string node_weights;
  double lambda = 0;
  bool standardize = false;
  DataColumns columns;
  std::string time_column = "time";

  SolverOptions solver;
  std::vector<std::string> write;  ///< optional files
  std::string polish;              ///< deprecated, see --accelerators
  int shards = 1;
  double network_loss = 0;
  Engine engine = Engine::kSelf;
  std::string checkpoint;
  std::int64_t checkpoint_every = 100;
  std::int64_t seed = 0;

  bool json = false;
  bool progress = true;
};

/// Which of the options that describe a training a command has.
struct TrainingParts {
  bool needs_edges = true;
  bool lambda = true;
  bool penalty = true;
  bool net_training = true;  ///< who minimises the loss of a neural net
  bool nets = true;          ///< options of neural nets
  bool node_weights = true;
  bool required = true;  ///< without samples, edges and λ there is nothing to do
  bool out = true;       ///< --out and --force
};

/// Files, problem, neural nets and columns, for every command that trains. `settings` must outlive the set.
void declare_training_options(OptionSet& options, SolveSettings& settings, const TrainingParts& parts);
void declare_output_options(OptionSet& options, SolveSettings& settings);

/// The one place where the options of `gtvmin solve` are declared. `settings` must outlive the set.
[[nodiscard]] OptionSet declare_solve_options(SolveSettings& settings);

/// What no single option can know: options that need or exclude each other.
[[nodiscard]] Status check_combinations(const SolveSettings& settings);

/// Fills in what depends on --model and was not given.
void apply_model_defaults(OptionSet& options, SolveSettings& settings);

/// Fills in what depends on --method and --model and was not given.
void apply_dependent_defaults(OptionSet& options, SolveSettings& settings);

/// The name of a method as the command line spells it.
[[nodiscard]] std::string method_name(Method method);

}  // namespace gtvmin::app
