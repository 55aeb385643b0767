#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "lbfgs.h"
#include "methods.h"
#include "rounds.h"
#include "step_sizes.h"
#include "team.h"
#include "whole_objective.h"

namespace gtvmin {
namespace {

/// Adam (Kingma and Ba 2015) with the constants of the paper, which are those of every framework.
class Adam {
 public:
  Adam(double learning_rate, Index rows, Index columns)
      : learning_rate_(learning_rate), mean_(Matrix::Zero(rows, columns)), square_(Matrix::Zero(rows, columns)) {}

  void step(const Matrix& gradient, Matrix& w) {
    constexpr double kKeepMean = 0.9;
    constexpr double kKeepSquare = 0.999;
    constexpr double kFloor = 1e-8;
    mean_share_ *= kKeepMean;
    square_share_ *= kKeepSquare;
    mean_ = kKeepMean * mean_ + (1 - kKeepMean) * gradient;
    square_ = kKeepSquare * square_ + (1 - kKeepSquare) * gradient.cwiseAbs2();
    const auto size = (square_.array() / (1 - square_share_)).sqrt() + kFloor;
    w.array() -= learning_rate_ / (1 - mean_share_) * mean_.array() / size;
  }

 private:
  double learning_rate_;
  double mean_share_ = 1;  // how much of the averages is still the 0 they began with
  double square_share_ = 1;
  Matrix mean_;
  Matrix square_;
};

BaselineResult run_adam(const BaselineInput& input, const BaselineOptions& options, const BaselineContext& context) {
  Rounds rounds(input, options, context);
  WholeObjective objective(input.problem, threads_or_all(options.threads));
  Matrix w = start_point(input.problem);
  Matrix gradient;
  double value = objective(w, gradient);
  Matrix best = w;
  double least = value;
  Adam adam(options.learning_rate, w.rows(), w.cols());
  bool more = std::isfinite(value);
  while (more) {
    const Matrix before = w;
    adam.step(gradient, w);
    value = objective(w, gradient);
    if (value < least) {
      best = w;
      least = value;
    }
    const bool stands = (w - before).norm() <= options.tolerance * w.norm() && options.tolerance > 0;
    more = rounds.another(best, stands || !std::isfinite(value));
  }
  BaselineResult result = rounds.result(std::move(best));
  if (!std::isfinite(value)) {
    result.notes.push_back(
        fmt::format("Adam left the domain of the losses in round {}; the best point before is kept", rounds.done()));
  }
  return result;
}

BaselineResult run_lbfgs(const BaselineInput& input, const BaselineOptions& options, const BaselineContext& context) {
  Rounds rounds(input, options, context);
  WholeObjective objective(input.problem, threads_or_all(options.threads));
  Lbfgs lbfgs([&](const Matrix& w, Matrix& gradient) { return objective(w, gradient); }, start_point(input.problem));
  bool descends = true;
  bool more = true;
  while (more) {
    descends = lbfgs.step();
    // A step where the line search fails is no step; the round that found it out still counts.
    more = descends ? rounds.another(lbfgs.w()) : rounds.another(lbfgs.w(), /*arrived=*/true);
  }
  BaselineResult result = rounds.result(lbfgs.w());
  if (!descends) {
    result.notes.push_back(
        fmt::format("the line search of L-BFGS found no descent in round {}, where the (sub)gradient has norm {:.3g}",
                    rounds.done(), lbfgs.gradient_norm()));
  }
  return result;
}

BaselineResult run_gradient(const BaselineInput& input, const BaselineOptions& options,
                            const BaselineContext& context) {
  return options.optimizer == WholeOptimizer::kAdam ? run_adam(input, options, context)
                                                    : run_lbfgs(input, options, context);
}

std::string gradient_refusal(const BaselineInput& input, const BaselineOptions& options) {
  if (options.optimizer == WholeOptimizer::kLbfgs && options.learning_rate != 0) {
    return fmt::format("learning-rate = {:g} is for optimizer = adam: L-BFGS finds the length of every step itself",
                       options.learning_rate);
  }
  if (!WholeObjective::knows(input.problem.penalty())) {
    return fmt::format("no gradient of the penalty '{}' is known", penalty_name(input.problem.penalty()));
  }
  // Other losses have their private parameters at the best for w; those of a net are trained by its prox alone.
  const bool trains_all = every_loss(
      input.problem, [](const LocalLoss& loss) { return loss.is_convex() || loss.parameters() == loss.dimension(); });
  return trains_all ? "" : "the private parameters of a net have no gradient here";
}

/// Adam moves every entry by about the learning rate, however large the gradient is, so that it is measured by the
/// entries that are to be found. Those of nets start at the size that they have in the end.
std::vector<Tunable> gradient_tunables(const BaselineInput& input, const BaselineOptions& options) {
  if (options.optimizer == WholeOptimizer::kLbfgs || options.learning_rate > 0) return {};
  constexpr double kMultiples[] = {1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1};
  if (!is_convex(input.problem)) return {tunable_learning_rate(kMultiples, 1)};
  Clients clients(input, options);
  const double entry = median_reach(clients) / std::sqrt(static_cast<double>(clients.dimension()));
  return {tunable_learning_rate(kMultiples, entry > 0 ? 1 / entry : 1)};
}

}  // namespace

Baseline gradient_baseline() {
  static constexpr const char* kOptions[] = {"rounds", "tol", "optimizer", "learning-rate", "threads"};
  return {.name = "gradient",
          .help =
              "a general optimizer on the full objective and its subgradient: Adam with a constant learning rate (the "
              "best iterate is kept) or L-BFGS",
          .options = kOptions,
          .needs_lambda = true,
          .chooses_penalty = true,
          .tune_by = TuneBy::kObjective,
          .refusal = gradient_refusal,
          .tunables = gradient_tunables,
          .run = run_gradient};
}

}  // namespace gtvmin
