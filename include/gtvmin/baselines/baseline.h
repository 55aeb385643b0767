#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"
#include "gtvmin/certify/certificate.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/problem/dataset.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

/// What a rival of GTV minimisation is given: the same problem, and what some methods need besides.
struct BaselineInput {
  /// Penalty, λ and graph count only for methods that have them.
  const Problem& problem;
  /// Samples and model that the problem was made of. Null: there are only losses, so that nothing can be held out for
  /// tuning, batches cannot be drawn, and all nodes weigh the same.
  const Dataset* dataset = nullptr;
  const LocalModel* model = nullptr;
  /// The true clusters, for methods that are told.
  const Partition* clusters = nullptr;

  /// What node i is called where people read it: its name, or its number where only losses are known.
  [[nodiscard]] std::string name(NodeId i) const {
    return dataset == nullptr ? std::to_string(i) : "'" + dataset->node_names[i] + "'";
  }
  /// The number of samples of node i, 1 where only losses are known.
  [[nodiscard]] double samples(NodeId i) const {
    return dataset == nullptr ? 1 : static_cast<double>(dataset->samples_of(i));
  }
};

/// Whether the average over nodes counts every sample or every node the same.
enum class Weighting { kSamples, kNodes };
/// What the nodes of a model send: the model after their own steps, averaged over them; or a gradient, whose sum over
/// them is divided by all who take part in the round, whichever model they have, or by their own number.
enum class Averaging { kModel, kGradient, kMemberGradient };
/// Where several models start, as seen from where the losses do: normal numbers of the size of the nodes' own models
/// (for nets, the entries of each tensor in another order); 0 or 1 in every entry, as in the simulations of IFCA's
/// authors; or nowhere else, so that all are equal.
enum class ModelStart { kNormal, kBernoulli, kZero };
enum class WholeOptimizer { kAdam, kLbfgs };
/// How tasks are related: as the graph says, or as their parameters turn out.
enum class Relationship { kGraph, kLearned };

/// All that rivals can be told; a method uses the part that Baseline::options names. A parameter that is 0 where that
/// makes no sense is tuned.
struct BaselineOptions {
  std::int64_t rounds = 200;
  /// Stop once a round changes the parameters by less than this, relative to their size; 0: never.
  double tolerance = 1e-9;
  std::int64_t local_epochs = 5;  ///< passes over the node's samples in a round
  std::int64_t batch_size = 0;    ///< samples of a step; 0: all of the node
  double learning_rate = 0;
  double participation = 1;  ///< share of the nodes that take part in a round, drawn anew each time
  Weighting weighting = Weighting::kSamples;
  double momentum = 0.9;
  int models = 0;  ///< how many models the nodes choose from
  Averaging averaging = Averaging::kModel;
  ModelStart start = ModelStart::kNormal;
  int restarts = 10;             ///< random starts, of which the least training loss is kept
  double proximity = 0;          ///< how strongly a node's own model is held near the common one
  std::int64_t inner_steps = 5;  ///< of the personalised model in a local step
  double mixing = 1;             ///< β: how far the common model moves towards the average of a round
  double admm_penalty = 0;       ///< ρ of ADMM
  WholeOptimizer optimizer = WholeOptimizer::kAdam;
  Relationship relationship = Relationship::kGraph;
  double validation_share = 0.2;  ///< of every node's samples, held out for tuning
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: as many as the machine has
};

/// What is known after a round.
struct RoundRecord {
  std::int64_t round = 0;
  double seconds = 0;
  double loss = 0;       ///< Σ_i L_i(w_i)
  double objective = 0;  ///< with λ · total variation
};

struct BaselineContext {
  /// Seconds since any fixed moment.
  std::function<double()> seconds;
  /// Called after every round with each node's parameters. Returning false ends the run.
  std::function<bool(const RoundRecord&, const Matrix& w)> observe;
  /// Asked after every round, also while something is tuned; true ends the run.
  std::function<bool()> interrupted = {};
  /// False: nobody will read the records, and the losses need not be summed for them.
  bool records = true;
};

/// One setting that was tried, by option name, and how good it was: the less the better.
struct TuningRow {
  std::vector<std::pair<std::string, double>> values;
  double score = 0;
  bool chosen = false;
};

struct BaselineResult {
  Matrix w;            ///< d × nodes: what each node ends with
  Partition clusters;  ///< nodes that share a model to the last bit
  std::int64_t rounds = 0;
  bool interrupted = false;
  /// The method ran away: the loss is not finite, or a million times that at the start. w is where it was then.
  bool diverged = false;
  std::vector<RoundRecord> trace;
  BaselineOptions options;        ///< as used, tuned parameters filled in
  std::vector<TuningRow> tuning;  ///< empty: nothing was tuned
  std::string tuned_by;           ///< what the scores are
  /// How far the objective can be from the best, of methods that can tell.
  std::optional<Certificate> certificate;
  std::vector<std::string> notes;
};

/// A parameter with the values among which it is chosen.
struct Tunable {
  const char* option;
  double BaselineOptions::*value;
  std::vector<double> grid;
};

/// By what a parameter is chosen: the loss of held-out samples, or, where it only decides how fast one and the same
/// minimum is reached, the objective.
enum class TuneBy { kHeldOutLoss, kObjective };

/// One method.
struct Baseline {
  const char* name;
  const char* help;  ///< one line, with its origin
  /// The members of BaselineOptions that it uses, spelled as on the command line.
  std::span<const char* const> options;
  bool needs_graph = false;
  bool needs_lambda = false;     ///< λ weighs what the graph says; implies needs_graph
  bool chooses_penalty = false;  ///< the penalty of the problem counts, not one of its own
  /// False where these options let a method that needs a graph do without; null: they never do.
  bool (*reads_graph)(const BaselineOptions& options) = nullptr;
  bool needs_clusters = false;
  TuneBy tune_by = TuneBy::kHeldOutLoss;
  /// Why it cannot serve this input, by name of the model or option; empty: it can. Settings that it refuses are left
  /// out while others are tuned.
  std::string (*refusal)(const BaselineInput& input, const BaselineOptions& options);
  /// Parameters that `options` leaves open, with their grids.
  std::vector<Tunable> (*tunables)(const BaselineInput& input, const BaselineOptions& options);
  /// All parameters are set.
  BaselineResult (*run)(const BaselineInput& input, const BaselineOptions& options, const BaselineContext& context);
};

[[nodiscard]] std::span<const Baseline> baselines();
/// Null if there is none of this name.
[[nodiscard]] const Baseline* find_baseline(std::string_view name);

/// Tunes what is open, on the samples that are not held out, and runs the method on all of them. The same input and
/// options give the same bits for every number of threads. Fails where the method cannot serve the input.
[[nodiscard]] Result<BaselineResult> run_baseline(const Baseline& baseline, const BaselineInput& input,
                                                  const BaselineOptions& options, const BaselineContext& context = {});

}  // namespace gtvmin
