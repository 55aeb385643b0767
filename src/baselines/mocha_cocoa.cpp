#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "gtvmin/base/rng.h"
#include "methods.h"
#include "rounds.h"
#include "task_relationship.h"
#include "team.h"

namespace gtvmin {
namespace {

/// h·ℓ(z) of a sample with score z = xᵀw and label y, and its dual variable α, whose term is (hℓ)*(−α).
struct SquaredSample {
  // hℓ(z) = h(z − y)², (hℓ)*(−α) = −αy + α²/(4h).
  static double loss(double z, double y, double h) { return h * (z - y) * (z - y); }
  /// The δ that minimises (hℓ)*(−α − δ) + δz + ½qδ².
  static double step(double alpha, double z, double y, double h, double q) {
    return (y - z - alpha / (2 * h)) / (1 / (2 * h) + q);
  }
  /// hℓ(z) + (hℓ)*(−α) + αz ≥ 0, the sample's share in the duality gap.
  static double gap(double alpha, double z, double y, double h) { return loss(z, y - alpha / (2 * h), h); }
};

struct HingeSample {
  // hℓ(z) = h max(0, 1 − yz), (hℓ)*(−α) = −αy for αy ∈ [0, h].
  static double loss(double z, double y, double h) { return h * std::max(0.0, 1 - y * z); }
  static double step(double alpha, double z, double y, double h, double q) {
    const double slack = 1 - y * z;
    const double wanted = q > 0 ? y * alpha + slack / q : (slack > 0 ? h : 0);
    return y * std::clamp(wanted, 0.0, h) - alpha;
  }
  static double gap(double alpha, double z, double y, double h) { return loss(z, y, h) - y * alpha * (1 - y * z); }
};

/// The samples of a node with their dual variables.
struct Task {
  Matrix x;  // d × m, the intercept's 1 included
  Vector y;
  double h = 1;  // what the loss of a sample is multiplied by
  Vector alpha;
};

/// MOCHA (Smith, Chiang, Sanjabi, Talwalkar 2017): min over W of Σ_t Σ_r h_t ℓ(x_rᵀw_t, y_r) + R(W) by ascent in its
/// dual
///     max over α of −Σ_r (hℓ)*(−α_r) − R*(V),   V_t = Σ_r α_r x_r,   W = ∇R*(V).
/// In a round every task improves its own α on the local model of the dual in which what the others do is bounded by
/// σ′,
///     Σ_r (hℓ)*(−α_r − δ_r) + ⟨w_t, ΔV_t⟩ + ½σ′ ΔV_tᵀ diag(own response) ΔV_t,
/// by passes of coordinate ascent over samples drawn at random; all changes are added (γ = 1).
///
/// On a graph R(W) = λ Σ_e A_e ½‖w_{e₊} − w_{e₋}‖² + Σ_tj ridge_j w_tj² = ½ Σ_j W_j (λL + 2 ridge_j I) W_jᵀ: with
/// squared residuals this is the objective of `mocha` to the letter. MOCHA needs R strongly convex, and without ridge
/// (or for an intercept, which has none) it is not. Then R gets ½µ‖W − C‖² on top and the centre C follows W: proximal
/// point steps, whose limit minimises the objective without that term.
///
/// Learned, R(W) = ½λ tr(WΣ⁻¹Wᵀ) + Σ_tj ridge_j w_tj², and Σ takes its best value for W from time to time.
template <class Sample>
class Mocha {
 public:
  Mocha(const BaselineInput& input, const BaselineOptions& options)
      : input_(input),
        options_(options),
        learns_(options.relationship == Relationship::kLearned),
        team_(threads_or_all(options.threads)) {
    const ModelSpec& spec = *input.model->specification();
    const Index d = input.problem.dimension();
    curvature_ = Vector::Constant(d, 2 * spec.ridge);
    if (spec.intercept) curvature_[d - 1] = 0;
    make_tasks(spec);
    if (!learns_ && curvature_.minCoeff() == 0) mu_ = sample_curvature() * kProximity;
    curvature_.array() += mu_;
    relate();
    v_ = Matrix::Zero(d, input.problem.nodes());
    center_ = v_;
    w_ = v_;
    measure();
    loss_at_zero_ = loss_;
  }

  void round() {
    ++round_;
    Matrix moved(v_.rows(), v_.cols());
    for_each(team_, v_.cols(), [&](int /*worker*/, Index t) { improve(t, moved.col(t)); });
    v_ += moved;
    respond();
    if (!arrived_ && mu_ > 0) follow();
    if (!arrived_ && learns_) relearn();
  }

  [[nodiscard]] const Matrix& w() const { return w_; }
  [[nodiscard]] bool arrived() const { return arrived_; }
  /// What is minimised, at w.
  [[nodiscard]] double objective() const { return objective_; }
  [[nodiscard]] double relative_gap() const { return gap_ / scale(); }

 private:
  static constexpr double kProximity = 0.1;

  void make_tasks(const ModelSpec& spec) {
    const Dataset& data = *input_.dataset;
    tasks_.resize(static_cast<std::size_t>(data.nodes()));
    for (NodeId t = 0; t < data.nodes(); ++t) {
      const Index m = data.samples_of(t);
      Task& task = tasks_[t];
      task.x = Matrix::Ones(input_.problem.dimension(), m);
      task.x.topRows(data.features.rows()) = data.features.middleCols(data.first_sample[t], m);
      task.y = data.labels.segment(data.first_sample[t], m);
      task.h = spec.mean && m > 0 ? 1 / static_cast<double>(m) : 1;
      task.alpha = Vector::Zero(m);
    }
  }

  /// How curved the loss of a task is in a direction, on average.
  [[nodiscard]] double sample_curvature() const {
    double sum = 0;
    for (const Task& task : tasks_) sum += 2 * task.h * task.x.squaredNorm();
    const double mean = sum / static_cast<double>(input_.problem.dimension() * input_.problem.nodes());
    return mean > 0 ? mean : 1;
  }

  void relate() {
    const double lambda = input_.problem.lambda();
    if (!learns_) {
      relationship_ = TaskRelationship::of_graph(input_.problem.graph(), lambda, curvature_);
    } else if (w_.size() == 0) {
      relationship_ = TaskRelationship::equal(input_.problem.nodes(), lambda, curvature_);
    } else {
      relationship_ = TaskRelationship::learned(w_, lambda, curvature_);
    }
  }

  /// The subproblem of task t: `moved` is ΔV_t.
  void improve(Index t, VectorRef moved) {
    Task& task = tasks_[t];
    const Index m = task.y.size();
    moved.setZero();
    if (m == 0) return;
    constexpr std::uint64_t kStream = 0x30c4a;
    Rng rng(options_.seed, kStream + static_cast<std::uint64_t>(round_ * v_.cols() + t));
    const Vector response = relationship_->aggregation() * relationship_->own_response().col(t);
    Vector w = w_.col(t);
    for (std::int64_t k = 0; k < options_.local_epochs * m; ++k) {
      const auto r = static_cast<Index>(rng.below(static_cast<std::uint64_t>(m)));
      const auto x = task.x.col(r);
      const double q = x.cwiseAbs2().dot(response);
      const double delta = Sample::step(task.alpha[r], x.dot(w), task.y[r], task.h, q);
      task.alpha[r] += delta;
      moved += delta * x;
      w += delta * response.cwiseProduct(x);
    }
  }

  /// W, the loss and the gap for the present α.
  void respond() {
    w_ = relationship_->respond(v_ + mu_ * center_);
    measure();
  }

  void measure() {
    Vector losses = Vector::Zero(v_.cols());
    Vector gaps = Vector::Zero(v_.cols());
    for_each(team_, v_.cols(), [&](int /*worker*/, Index t) {
      const Task& task = tasks_[t];
      for (Index r = 0; r < task.y.size(); ++r) {
        const double z = task.x.col(r).dot(w_.col(t));
        losses[t] += Sample::loss(z, task.y[r], task.h);
        gaps[t] += Sample::gap(task.alpha[r], z, task.y[r], task.h);
      }
    });
    loss_ = losses.sum();
    gap_ = std::max(0.0, gaps.sum());
    // R(W) where W = ∇R*(V) is ½⟨V, W⟩, without what µ adds.
    objective_ = loss_ + ((v_ + mu_ * center_).cwiseProduct(w_).sum() - mu_ * w_.squaredNorm()) / 2;
    arrived_ = gap_ <= options_.tolerance * scale() && mu_ == 0 && !learns_;
  }
  /// What a gap is measured against: the objective, and where that is next to nothing, that of W = 0.
  [[nodiscard]] double scale() const { return std::max(std::abs(objective_), 1e-9 * loss_at_zero_); }

  /// A proximal step is done well enough once its gap is small beside the step itself.
  void follow() {
    const double step = (w_ - center_).norm();
    const bool stationary = mu_ * step * w_.norm() <= options_.tolerance * scale();
    arrived_ = stationary && gap_ <= options_.tolerance * scale();
    if (arrived_ || (gap_ > 0.1 * mu_ / 2 * step * step && gap_ > 1e-15 * scale())) return;
    center_ = w_;
    respond();
  }

  /// Σ moves once W is a tenth as far from its best as the last move of Σ has brought.
  void relearn() {
    if (gap_ > accuracy_ * scale()) return;
    constexpr double kCoarsest = 0.01;
    const double decrease = std::abs(objective_ - objective_before_) / scale();
    arrived_ = decrease <= options_.tolerance && gap_ <= options_.tolerance * scale();
    if (arrived_) return;
    objective_before_ = objective_;
    accuracy_ = std::clamp(decrease / 10, std::min(options_.tolerance, kCoarsest), kCoarsest);
    relate();
    respond();
  }

  const BaselineInput& input_;
  const BaselineOptions& options_;
  bool learns_;
  ThreadTeam team_;
  std::vector<Task> tasks_;
  Vector curvature_;
  double mu_ = 0;
  std::optional<TaskRelationship> relationship_;
  Matrix v_;
  Matrix center_;
  Matrix w_;
  std::int64_t round_ = 0;
  double loss_ = 0;
  double gap_ = 0;
  double objective_ = 0;
  double loss_at_zero_ = 0;
  double accuracy_ = 0.01;
  double objective_before_ = std::numeric_limits<double>::infinity();
  bool arrived_ = false;
};

template <class Sample>
BaselineResult run_with(const BaselineInput& input, const BaselineOptions& options, const BaselineContext& context) {
  Rounds rounds(input, options, context);
  Mocha<Sample> mocha(input, options);
  bool more = true;
  while (more) {
    mocha.round();
    more = rounds.another(mocha.w(), mocha.arrived());
  }
  BaselineResult result = rounds.result(mocha.w());
  result.notes.push_back(fmt::format("{} round {} of {}, relative duality gap {:.3g} of its own objective {:.9g}",
                                     mocha.arrived() ? "arrived in" : "stopped at", rounds.done(), options.rounds,
                                     mocha.relative_gap(), mocha.objective()));
  return result;
}

bool is_classifier(const BaselineInput& input) { return input.model->specification()->name == "logistic"; }

BaselineResult run_mocha_cocoa(const BaselineInput& input, const BaselineOptions& options,
                               const BaselineContext& context) {
  if (!is_classifier(input)) return run_with<SquaredSample>(input, options, context);
  BaselineResult result = run_with<HingeSample>(input, options, context);
  result.notes.emplace_back(
      "trained a support vector machine: its own objective has the hinge loss, while loss and objective of the report "
      "and the records have the logistic loss, as for every other method");
  return result;
}

bool reads_graph(const BaselineOptions& options) { return options.relationship == Relationship::kGraph; }

std::string mocha_cocoa_refusal(const BaselineInput& input, const BaselineOptions& options) {
  constexpr NodeId kMostTasks = 2000;
  if (input.dataset == nullptr || input.model == nullptr) return "the dual method needs the samples";
  const ModelSpec* spec = input.model->specification();
  if (spec == nullptr) return "serves the models linear and logistic, not this one";
  const bool regression = spec->name == "linear" || spec->name == "autoregressive";
  if (!regression && spec->name != "logistic") {
    return fmt::format("serves the models linear and logistic, not '{}'", spec->name);
  }
  if (regression && spec->residual_loss != ResidualLoss::kSquared) {
    return fmt::format("serves the model '{}' with squared residuals only", spec->name);
  }
  if (input.problem.dimension() != static_cast<Index>(input.model->parameter_names().size())) {
    return "does not support private parameters";
  }
  if (input.problem.nodes() > kMostTasks) {
    return fmt::format("its matrix of relationships is dense: at most {} nodes, not {}", kMostTasks,
                       input.problem.nodes());
  }
  if (!reads_graph(options) && input.problem.lambda() == 0) {
    return "a learned relationship needs λ > 0";
  }
  return {};
}

}  // namespace

Baseline mocha_cocoa_baseline() {
  static constexpr const char* kOptions[] = {"rounds", "tol", "local-epochs", "relationship", "threads"};
  return {.name = "mocha-cocoa",
          .help =
              "MOCHA (Smith et al. 2017): dual coordinate ascent until the relative duality gap is within tol; linear "
              "models with squared loss, logistic data as a support vector machine with hinge loss",
          .options = kOptions,
          .needs_lambda = true,
          .reads_graph = reads_graph,
          .refusal = mocha_cocoa_refusal,
          .tunables = nothing_to_tune,
          .run = run_mocha_cocoa};
}

}  // namespace gtvmin
