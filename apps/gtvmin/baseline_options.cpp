#include "baseline_options.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace gtvmin::app {
namespace {

struct MethodOption {
  std::string_view name;
  void (*declare)(OptionSet& options, BaselineOptions& b);
};

// What methods may have; Baseline::options says which of them one has, in the order of its help.
constexpr MethodOption kMethodOptions[] = {
    {"rounds",
     [](OptionSet& o, BaselineOptions& b) {
       o.integer("rounds", b.rounds, Range::at_least(1), "Stop after this many rounds of communication");
     }},
    {"tol",
     [](OptionSet& o, BaselineOptions& b) {
       o.real("tol", b.tolerance, {.low = 0, .high = 1, .high_open = true},
              "Stop when a round changes the parameters by less than this fraction of their norm, or when the "
              "criterion of the method is below it; 0: never");
     }},
    {"local-epochs",
     [](OptionSet& o, BaselineOptions& b) {
       o.integer("local-epochs", b.local_epochs, Range::at_least(1), "Passes over a node's samples per round");
     }},
    {"batch-size",
     [](OptionSet& o, BaselineOptions& b) {
       o.integer("batch-size", b.batch_size, Range::at_least(0),
                 "Samples per gradient step; 0: all samples of the node");
     }},
    {"learning-rate",
     [](OptionSet& o, BaselineOptions& b) {
       o.real("learning-rate", b.learning_rate, Range::at_least(0), "Learning rate; 0: tuned");
     }},
    {"participation",
     [](OptionSet& o, BaselineOptions& b) {
       o.real("participation", b.participation, {.low = 0, .high = 1, .low_open = true},
              "Fraction of the nodes that take part in a round");
     }},
    {"weighting",
     [](OptionSet& o, BaselineOptions& b) {
       o.choice<Weighting>("weighting", b.weighting, {{"samples", Weighting::kSamples}, {"nodes", Weighting::kNodes}},
                           "Weight of a node in an average: its number of samples, or 1");
     }},
    {"momentum",
     [](OptionSet& o, BaselineOptions& b) {
       o.real("momentum", b.momentum, {.low = 0, .high = 1, .high_open = true}, "Momentum of the gradient steps");
     }},
    {"models",
     [](OptionSet& o, BaselineOptions& b) {
       o.integer("models", b.models, Range::between(0, 1'000'000),
                 "Number of models that nodes choose from; 0: the number of clusters in --clusters");
     }},
    {"averaging",
     [](OptionSet& o, BaselineOptions& b) {
       o.choice<Averaging>("averaging", b.averaging,
                           {{"model", Averaging::kModel},
                            {"gradient", Averaging::kGradient},
                            {"member-gradient", Averaging::kMemberGradient}},
                           "Averaged quantity. model: the models after the local steps; gradient: one gradient per "
                           "node, summed over the members of a model and divided by the number of all participants; "
                           "member-gradient: the same, divided by the number of members");
     }},
    {"start",
     [](OptionSet& o, BaselineOptions& b) {
       o.choice<ModelStart>(
           "start", b.start,
           {{"normal", ModelStart::kNormal}, {"bernoulli", ModelStart::kBernoulli}, {"zero", ModelStart::kZero}},
           "Initial models. normal: normal entries, scaled like the nodes' own models (nets: shuffled initial "
           "weights); bernoulli: entries 0 or 1; zero: all 0 (nets: the initial weights)");
     }},
    {"restarts",
     [](OptionSet& o, BaselineOptions& b) {
       o.integer("restarts", b.restarts, Range::between(1, 10'000),
                 "Number of random starts; the one with the smallest training loss is kept");
     }},
    {"proximity",
     [](OptionSet& o, BaselineOptions& b) {
       o.real("proximity", b.proximity, Range::at_least(0),
              "Weight of the squared distance between personal and common model; 0: tuned");
     }},
    {"inner-steps",
     [](OptionSet& o, BaselineOptions& b) {
       o.integer("inner-steps", b.inner_steps, Range::at_least(1),
                 "Gradient steps of the personal model per local step");
     }},
    {"mixing",
     [](OptionSet& o, BaselineOptions& b) {
       o.real("mixing", b.mixing, {.low = 0, .low_open = true},
              "Step of the common model towards the average of a round; 1: to the average");
     }},
    {"admm-penalty",
     [](OptionSet& o, BaselineOptions& b) {
       o.real("admm-penalty", b.admm_penalty, Range::at_least(0), "Penalty parameter ρ of ADMM; 0: tuned");
     }},
    {"optimizer",
     [](OptionSet& o, BaselineOptions& b) {
       o.choice<WholeOptimizer>("optimizer", b.optimizer,
                                {{"adam", WholeOptimizer::kAdam}, {"lbfgs", WholeOptimizer::kLbfgs}},
                                "Optimizer of the full objective");
     }},
    {"relationship",
     [](OptionSet& o, BaselineOptions& b) {
       o.choice<Relationship>(
           "relationship", b.relationship, {{"graph", Relationship::kGraph}, {"learned", Relationship::kLearned}},
           "Relationship between nodes. graph: given by --edges; learned: estimated from the parameters");
     }},
    {"validation-share",
     [](OptionSet& o, BaselineOptions& b) {
       o.real("validation-share", b.validation_share, {.low = 0, .high = 1, .low_open = true, .high_open = true},
              "Fraction of every node's samples that is held out for tuning");
     }},
    {"threads",
     [](OptionSet& o, BaselineOptions& b) {
       o.integer("threads", b.threads, Range::between(0, 1024),
                 "Number of threads; 0: one per processor. Results are bit-identical for every value");
     }},
};

const MethodOption& method_option(std::string_view name) {
  const auto* found = std::find_if(std::begin(kMethodOptions), std::end(kMethodOptions),
                                   [&](const MethodOption& option) { return option.name == name; });
  if (found == std::end(kMethodOptions)) throw std::logic_error("a method has the unknown option " + std::string(name));
  return *found;
}

bool has(const Baseline& baseline, std::string_view option) {
  return std::find(baseline.options.begin(), baseline.options.end(), option) != baseline.options.end();
}

}  // namespace

OptionSet declare_baseline_options(const Baseline& baseline, BaselineSettings& settings) {
  OptionSet options;
  // MOCHA and its like have this one; where λ is 0 it does not count.
  if (!baseline.chooses_penalty) settings.input.penalty = "squared_l2";
  const bool needs_graph = baseline.needs_graph || baseline.needs_lambda;
  declare_training_options(options, settings.input,
                           {.needs_edges = needs_graph && baseline.reads_graph == nullptr,
                            .lambda = baseline.needs_lambda,
                            .penalty = baseline.chooses_penalty,
                            .net_training = false,
                            .node_weights = false});
  options.group("Method");
  if (baseline.needs_clusters || has(baseline, "models")) {
    Option& clusters = options.path("clusters", settings.clusters, "CSV node,cluster: the true clusters");
    if (baseline.needs_clusters) clusters.required("the true clusters, e.g. --clusters clusters.csv");
  }
  for (const char* name : baseline.options) method_option(name).declare(options, settings.options);
  options.integer("seed", settings.seed, Range::at_least(0), "Random seed");
  declare_output_options(options, settings.input);
  return options;
}

Status check_method_options(const Baseline& baseline, OptionSet& options, const BaselineSettings& settings) {
  if (has(baseline, "averaging") && settings.options.averaging != Averaging::kModel &&
      options.find("local-epochs")->given) {
    return usage_error("--local-epochs needs --averaging model: with gradients every node takes one step in a round");
  }
  if (baseline.reads_graph != nullptr && baseline.reads_graph(settings.options) && settings.input.edges.empty()) {
    return usage_error(
        "--edges is required: the pairs of similar nodes, e.g. --edges edges.csv; or --relationship learned");
  }
  return Unit{};
}

void apply_dependent_defaults(OptionSet& options, BaselineSettings& settings) {
  settings.input.seed = settings.seed;
  settings.options.seed = static_cast<std::uint64_t>(settings.seed);
  apply_model_defaults(options, settings.input);
}

}  // namespace gtvmin::app
