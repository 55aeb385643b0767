#include "solve_options.h"

#include <algorithm>
#include <filesystem>

#include "data_source.h"
#include "gtvmin/penalty/penalty.h"
#include "local_models.h"

namespace gtvmin::app {
namespace {

const std::vector<std::pair<std::string, Method>>& methods() {
  static const std::vector<std::pair<std::string, Method>> names = {{"adaptive", Method::kAdaptive},
                                                                    {"algorithm1", Method::kAlgorithm1}};
  return names;
}

void declare_files(OptionSet& options, SolveSettings& s, const TrainingParts& parts) {
  options.group("Files");
  Option& data = options.path("data", s.data, "CSV with one row per sample: node, label, features");
  if (parts.required) {
    data.required("the samples, e.g. --data data.csv, or --data-dir with one file per node").unless("data-dir");
  }
  options.path("data-dir", s.data_dir, "Alternative to --data: folder with one CSV per node, named NODE.csv");
  Option& edges = options.path("edges", s.edges, "CSV source,target[,weight]: pairs of similar nodes");
  if (parts.needs_edges && parts.required) edges.required("the pairs of similar nodes, e.g. --edges edges.csv");
  if (!parts.out) {
    return;
  }
  options.path("out", s.out, "Directory for the results; written atomically")
      .required("where the results go, e.g. --out results");
  options.flag("force", s.force, "Replace the results of an earlier run in --out");
}

void declare_coupling(OptionSet& options, SolveSettings& s, const TrainingParts& parts) {
  if (parts.penalty) {
    options.choice("penalty", s.penalty, penalty_names(),
                   "Penalty φ on the difference between the parameters of neighbours");
    options.path("quadratic-matrix", s.quadratic_matrix,
                 "CSV without header: positive semidefinite matrix Q of --penalty quadratic, φ(v) = ½vᵀQv");
  }
  if (parts.lambda) {
    Option& lambda =
        options.real("lambda", s.lambda, Range::at_least(0),
                     "Strength of the coupling: 0 trains every node alone, a large value makes all models equal");
    if (parts.required) {
      lambda.required(
          "the strength of the coupling; 0 trains every node alone, a large value makes all models equal; there is "
          "no value that fits every dataset, try 0.01, 0.1 and 1");
    }
  }
}

void declare_problem(OptionSet& options, SolveSettings& s, const TrainingParts& parts) {
  options.group("Problem");
  options.choice("model", s.model.name, local_model_names(), "Local model that every node trains");
  options.choice<ResidualLoss>(
      "loss", s.model.residual_loss,
      {{"squared", ResidualLoss::kSquared}, {"absolute", ResidualLoss::kAbsolute}, {"huber", ResidualLoss::kHuber}},
      "Loss of a residual, for --model linear and autoregressive");
  options.real("huber-delta", s.model.huber_delta, Range::above(0),
               "--loss huber: residual at which the loss changes from quadratic to linear, in units of the label");
  options.integer("order", s.model.order, Range::between(1, 1000),
                  "--model autoregressive: number of past values used");
  options.real("sparsity", s.model.sparsity, Range::at_least(0),
               "--model graphical: weight of the ℓ1 norm of the off-diagonal entries");
  options.path("covariance", s.covariance,
               "--model gaussian-mean: CSV without header, the covariance of a sample; default: identity");
  options.list("couple", s.model.couple,
               "Names of the parameters that are coupled over the graph (* and ? allowed); the others stay private to "
               "their node. Default: all");
  declare_coupling(options, s, parts);
  options.choice<bool>("normalize", s.model.mean, {{"mean", true}, {"sum", false}},
                       "Loss of a node: mean or sum over its samples");
  options.real("ridge", s.model.ridge, Range::at_least(0),
               "Add ridge·‖w‖² to the loss of every node; the intercept is not penalised");
  if (parts.node_weights) {
    options.path("node-weights", s.node_weights,
                 "CSV node,weight: factor > 0 on the loss of a node, ridge included; nodes that are not listed have 1");
  }
  options.flag("intercept", s.model.intercept, "Add an intercept as the last parameter");
  options.flag("standardize", s.standardize,
               "Scale every feature to mean 0 and standard deviation 1 over all samples; parameters.csv is in these "
               "units, summary.json has means and scales");
}

void declare_nets(OptionSet& options, SolveSettings& s, const TrainingParts& parts) {
  options.group("Neural nets");
  options.list("hidden", s.hidden,
               "--model mlp: units of each hidden layer, e.g. 16 or 64,16; --intercept adds biases to every layer");
  options.path("module", s.net.module, "--model torchscript: file written by torch.jit.save");
  options.choice<ModuleLoss>("module-loss", s.net.module_loss, module_losses(),
                             "--model torchscript: loss of the outputs. Outputs are scores before the softmax; for "
                             "poisson, logarithms of rates");
  if (!parts.net_training) {
    return;
  }
  options.choice<Optimizer>("optimizer", s.net.optimizer, optimizers(),
                            "Optimizer of the local proximal problem of a neural net");
  options.integer("steps", s.net.steps, Range::between(1, 1'000'000), "Optimizer steps per iteration");
  options.real("learning-rate", s.net.learning_rate, Range::at_least(0),
               "Learning rate; 0: 1 for lbfgs, 0.1 for sgd, 0.001 for adam and rmsprop");
  options.choice<bool>("proximal-term", s.net.proximal_term, {{"on", true}, {"off", false}},
                       "Include the proximal term in the local problem; off: only start at its centre, as in the code "
                       "of the paper's authors");
}

void declare_columns(OptionSet& options, SolveSettings& s) {
  options.group("Columns of the data file");
  options.text("node-column", s.columns.node, "Column with the name of the node");
  options.text("label", s.columns.label, "Column of the label");
  options.list("features", s.columns.features, "Columns of the features; default: all others");
  options.text("time", s.time_column, "--model autoregressive: column of the time");
}

void declare_solver(OptionSet& options, SolveSettings& s) {
  options.group("Solver");
  options.real("tol", s.solver.tolerance, {.low = 0, .high = 1, .high_open = true},
               "Stop when the certificate is at most this fraction of the objective; 0: never");
  options.integer("max-iterations", s.solver.max_iterations, Range::at_least(1), "Stop after this many iterations");
  options.real("time-limit", s.solver.time_limit, Range::at_least(0), "Stop after this many seconds; 0: no limit");
  options.real("min-decrease", s.solver.min_decrease, {.low = 0, .high = 1, .high_open = true},
               "Stop when the objective decreases by less than this fraction between two checks; 0: never");
  options.choice<Method>("method", s.solver.method, methods(),
                         "adaptive: step sizes are adapted during the run; algorithm1: the paper's Algorithm 1, which "
                         "runs for --max-iterations iterations (default 1000) unless --tol is given");
  options.real("primal-weight", s.solver.primal_weight, Range::at_least(0),
               "Primal weight ω of the step sizes τ = ω/degree, σ = 1/(2ω): large values favour local fits, small "
               "values agreement; 0: adaptive");
  options.real("dual-scale", s.solver.dual_scale, {.low = 0, .high = 1, .low_open = true},
               "--method algorithm1: factor on σ = 1/2; the code of the paper's authors uses 0.9");
  options.choice<InnerSolves>("inner-solves", s.solver.inner_solves,
                              {{"scheduled", InnerSolves::kScheduled}, {"exact", InnerSolves::kExact}},
                              "Accuracy of iterative primal updates, e.g. logistic. scheduled: increasing, with "
                              "summable errors; exact: machine precision");
  options.choice<Accelerators>("accelerators", s.solver.accelerators,
                               {{"auto", {}},
                                {"none", Accelerators::none()},
                                {"newton", {.newton = true, .contraction = false}},
                                {"contraction", {.newton = false, .contraction = true}},
                                {"newton,contraction", {}}},
                               "Methods beside message passing: Newton's method on the whole problem, and on the graph "
                               "of groups that flows with slack connect. none: message passing alone, as between "
                               "machines, with bounds from sums over nodes and edges");
  options.choice("polish", s.polish, {"", "on", "off"},
                 "Deprecated: on is --accelerators auto, off is --accelerators none");
  options.integer("threads", s.solver.threads, Range::between(0, 1024),
                  "Number of threads; 0: one per processor. Results are bit-identical for every value");
  options.integer("shards", s.shards, Range::between(1, 1024),
                  "Number of simulated shards. Results are bit-identical for every value");
  options
      .real("network-loss", s.network_loss, {.low = 0, .high = 1, .high_open = true},
            "Probability that the simulated network loses a message; it duplicates messages with the same probability "
            "and delays all at random. Results are bit-identical for every value")
      .needs("shards");
  options.choice<Engine>(
      "engine", s.engine, {{"self", Engine::kSelf}, {"mpi", Engine::kMpi}},
      "self: this process; mpi: the processes started by mpirun, each with a part of the nodes and by default one "
      "thread, by message passing alone. Results are bit-identical for every number of processes");
  options.path(
      "checkpoint", s.checkpoint,
      "Directory in which the run is saved; the same command with the same data resumes it. Message passing alone");
  options.integer("checkpoint-every", s.checkpoint_every, Range::at_least(1), "Iterations between checkpoints")
      .needs("checkpoint");
  options.integer("seed", s.seed, Range::at_least(0),
                  "Random seed of the initial weights of --model mlp and of --network-loss, which changes no result; "
                  "nothing else is random");
}

// A result directory is replaced as a whole, so an input inside it would be lost.
bool lies_inside(const std::string& file, const std::string& directory) {
  std::error_code code;
  const std::filesystem::path outer = std::filesystem::weakly_canonical(directory, code);
  const std::filesystem::path inner = std::filesystem::weakly_canonical(file, code).parent_path();
  return !code && std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace

void declare_training_options(OptionSet& options, SolveSettings& settings, const TrainingParts& parts) {
  declare_files(options, settings, parts);
  declare_problem(options, settings, parts);
  if (parts.nets) {
    declare_nets(options, settings, parts);
  }
  declare_columns(options, settings);
}

void declare_output_options(OptionSet& options, SolveSettings& settings) {
  options.group("Output");
  options.flag("json", settings.json, "Print summary.json to stdout and nothing else");
  options.flag("progress", settings.progress, "Print progress to stderr when a run takes more than a second");
}

OptionSet declare_solve_options(SolveSettings& settings) {
  OptionSet options;
  declare_training_options(options, settings, {});
  declare_solver(options, settings);
  declare_output_options(options, settings);
  options.list("write", settings.write, "Optional files to write: flows");
  return options;
}

Status check_combinations(const SolveSettings& settings) {
  Error wrong{Error::Kind::kUsage, {}};
  for (const std::string& file : settings.write) {
    if (file != "flows") wrong.messages.emplace_back("--write knows flows, not " + file);
  }
  if (settings.penalty == "quadratic" && settings.quadratic_matrix.empty()) {
    wrong.messages.emplace_back("--penalty quadratic needs --quadratic-matrix, a CSV with the matrix Q");
  }
  if (settings.penalty != "quadratic" && !settings.quadratic_matrix.empty()) {
    wrong.messages.emplace_back("--quadratic-matrix needs --penalty quadratic, not " + settings.penalty);
  }
  check_data_source(settings, wrong.messages);
  if (settings.solver.method == Method::kAlgorithm1 && settings.solver.primal_weight > 0) {
    wrong.messages.emplace_back("--primal-weight needs --method adaptive: Algorithm 1 has ω = 1");
  }
  if (settings.solver.method != Method::kAlgorithm1 && settings.solver.dual_scale != 1) {
    wrong.messages.emplace_back("--dual-scale needs --method algorithm1");
  }
  const bool linear = settings.model.name == "linear" || settings.model.name == "autoregressive";
  if (!linear && settings.model.residual_loss != ResidualLoss::kSquared) {
    wrong.messages.emplace_back("--loss needs --model linear or autoregressive, not " + settings.model.name);
  }
  if (settings.model.name != "graphical" && settings.model.sparsity > 0) {
    wrong.messages.emplace_back("--sparsity needs --model graphical, not " + settings.model.name);
  }
  if (settings.model.name != "gaussian-mean" && !settings.covariance.empty()) {
    wrong.messages.emplace_back("--covariance needs --model gaussian-mean, not " + settings.model.name);
  }
  if (const Status available = check_engine(settings.engine); !available) {
    wrong.messages.push_back(available.error().messages.front());
  }
  if (settings.engine != Engine::kSelf && settings.solver.accelerators.any()) {
    wrong.messages.emplace_back("--accelerators need --engine self: they must see the whole problem");
  }
  if (!settings.checkpoint.empty() && settings.solver.accelerators.any()) {
    wrong.messages.emplace_back(
        "--checkpoint needs --accelerators none: only message passing can go on from a saved state");
  }
  if (settings.shards > 1 && (settings.engine != Engine::kSelf || !settings.checkpoint.empty())) {
    wrong.messages.emplace_back("--shards simulates a network in one process, without --engine mpi and --checkpoint");
  }
  if (Status available = check_available(settings.model.name); !available) {
    wrong.messages.push_back(available.error().messages.front());
  }
  if (const auto hidden = parse_hidden(settings.hidden); !hidden) {
    wrong.messages.push_back(hidden.error().messages.front());
  }
  if (settings.model.name == "torchscript" && settings.net.module.empty()) {
    wrong.messages.emplace_back("--model torchscript needs --module, a net that torch.jit.save wrote");
  }
  if (settings.model.name != "torchscript" && !settings.net.module.empty()) {
    wrong.messages.emplace_back("--module needs --model torchscript, not " + settings.model.name);
  }
  if (settings.model.name == "autoregressive" && settings.standardize) {
    wrong.messages.emplace_back(
        "--standardize is not for --model autoregressive: a value is label and feature at once");
  }
  for (const std::string& file : {settings.data, settings.data_dir + "/.", settings.edges, settings.quadratic_matrix,
                                  settings.node_weights, settings.covariance, settings.net.module}) {
    if (settings.force && !file.empty() && file != "/." && lies_inside(file, settings.out)) {
      wrong.messages.push_back(file + " lies in the directory that --out --force would replace");
    }
  }
  return wrong.messages.empty() ? Status(Unit{}) : Status(std::move(wrong));
}

void apply_model_defaults(OptionSet& options, SolveSettings& settings) {
  if (const auto hidden = parse_hidden(settings.hidden)) {
    settings.net.hidden = *hidden;
  }
  settings.net.seed = static_cast<std::uint64_t>(settings.seed);
  if (settings.model.name == "autoregressive") {
    if (!options.find("label")->given) {
      settings.columns.label = "value";
    }
    settings.columns.features = {settings.time_column};
  }
}

void apply_dependent_defaults(OptionSet& options, SolveSettings& settings) {
  apply_model_defaults(options, settings);
  // No tolerance can end the training of nets; unless told otherwise it takes as many iterations as in the paper.
  const bool has_limit =
      options.find("max-iterations")->given || options.find("time-limit")->given || options.find("min-decrease")->given;
  if (is_neural_net(settings.model.name) && !has_limit) {
    settings.solver.max_iterations = 50;
  }
  // The alias is recorded as what it stands for, so that checkpoints do not depend on how it was said.
  const bool chosen = options.find("accelerators")->given || !settings.polish.empty();
  if (!settings.polish.empty()) {
    settings.solver.accelerators = settings.polish == "on" ? Accelerators{} : Accelerators::none();
    settings.polish.clear();
  }
  if (settings.engine == Engine::kMpi) {
    if (!chosen) settings.solver.accelerators = Accelerators::none();
    if (!options.find("threads")->given) settings.solver.threads = 1;
  }
  // Algorithm 1 stops after a number of iterations, as in the paper, unless a tolerance is asked for.
  if (settings.solver.method != Method::kAlgorithm1) {
    return;
  }
  if (!options.find("tol")->given) {
    settings.solver.tolerance = 0;
    if (!options.find("max-iterations")->given) {
      settings.solver.max_iterations = 1000;
    }
  }
}

std::string method_name(Method method) {
  for (const auto& [name, value] : methods()) {
    if (value == method) {
      return name;
    }
  }
  return {};
}

}  // namespace gtvmin::app
