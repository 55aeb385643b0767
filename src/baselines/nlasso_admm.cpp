#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "gtvmin/solver/local_minimiser.h"
#include "methods.h"
#include "rounds.h"
#include "step_sizes.h"
#include "team.h"

namespace gtvmin {
namespace {

/// ADMM with the splitting of Hallac, Leskovec and Boyd (2015): every edge e keeps a copy of the parameters of either
/// end, z_h of its head and z_t of its tail, and
///     min Σ_i L_i(x_i) + Σ_e κ_e φ(z_h − z_t)   such that   x_h = z_h, x_t = z_t at every edge.
///
/// The edge update minimises κφ(z_h − z_t) + ρ/2 (‖z_h − a‖² + ‖z_t − b‖²) with a, b = parameters + scaled dual. The
/// sum z_h + z_t = a + b is free of φ, so the difference y minimises κφ(y) + ρ/4 ‖y − (a − b)‖². By Moreau's identity
/// y = (a − b) − 2u/ρ, where u is the penalty's dual update at (ρ/2)(a − b) with σ = ρ/2; hence z_h = a − u/ρ and
/// z_t = b + u/ρ. For φ = ‖·‖₂ this is the θ-average of the paper. The new scaled duals, a − z_h and b − z_t, are u/ρ
/// and −u/ρ: one flow per edge holds both.
class NetworkLassoAdmm {
 public:
  NetworkLassoAdmm(const Problem& problem, const BaselineOptions& options)
      : problem_(problem),
        graph_(problem.graph()),
        rho_(options.admm_penalty),
        tolerance_(options.tolerance),
        team_(threads_or_all(options.threads)),
        x_(start_point(problem)),
        flow_(Matrix::Zero(problem.dimension(), problem.edges())),
        copy_at_head_(problem.dimension(), problem.edges()),
        copy_at_tail_(problem.dimension(), problem.edges()),
        change_at_head_(problem.dimension(), problem.edges()),
        change_at_tail_(problem.dimension(), problem.edges()) {
    Index most = 0;
    for (NodeId i = 0; i < problem.nodes(); ++i) {
      most = std::max(most, problem.loss(i).scratch_size());
      if (graph_.degree(i) == 0) x_.col(i) = minimise_locally(problem.loss(i)).w;
    }
    scratch_.assign(static_cast<std::size_t>(team_.size()), Vector(std::max(most, problem.dimension())));
    for (EdgeId e = 0; e < problem.edges(); ++e) {
      copy_at_head_.col(e) = x_.col(graph_.head(e));
      copy_at_tail_.col(e) = x_.col(graph_.tail(e));
    }
  }

  void round() {
    update_nodes();
    std::visit([&](const auto& penalty) { update_edges(penalty); }, problem_.penalty());
    measure();
  }

  [[nodiscard]] const Matrix& x() const { return x_; }
  /// Both residuals are within tolerance, absolute and relative as in Boyd et al. (2011), section 3.3.
  [[nodiscard]] bool arrived() const { return primal_ <= primal_bound_ && dual_ <= dual_bound_; }
  [[nodiscard]] double primal_residual() const { return primal_; }
  [[nodiscard]] double dual_residual() const { return dual_; }

 private:
  /// x_i = prox of L_i with weight ρ·degree at the mean of what its copies say.
  void update_nodes() {
    for_each(team_, problem_.nodes(), [&](int worker, Index k) {
      const auto i = static_cast<NodeId>(k);
      const auto degree = static_cast<double>(graph_.degree(i));
      if (degree == 0) return;
      Vector said = Vector::Zero(problem_.dimension());
      for (const Incidence& at : graph_.incident(i)) {
        said += (at.sign > 0 ? copy_at_head_ : copy_at_tail_).col(at.edge) - at.sign / rho_ * flow_.col(at.edge);
      }
      problem_.loss(i).prox(said / degree, rho_ * degree, 0, x_.col(i), scratch_[worker]);
    });
  }

  template <class PenaltyType>
  void update_edges(const PenaltyType& penalty) {
    for_each(team_, problem_.edges(), [&](int worker, Index k) {
      const auto e = static_cast<EdgeId>(k);
      const Vector scaled = flow_.col(e) / rho_;
      const Vector a = relaxed(x_.col(graph_.head(e)), copy_at_head_.col(e)) + scaled;
      const Vector b = relaxed(x_.col(graph_.tail(e)), copy_at_tail_.col(e)) - scaled;
      auto flow = flow_.col(e);
      flow = rho_ / 2 * (a - b);
      penalty.dual_update(flow.data(), problem_.dimension(), problem_.kappa(e), rho_ / 2, scratch_[worker].data());
      change_at_head_.col(e) = a - flow / rho_ - copy_at_head_.col(e);
      change_at_tail_.col(e) = b + flow / rho_ - copy_at_tail_.col(e);
      copy_at_head_.col(e) += change_at_head_.col(e);
      copy_at_tail_.col(e) += change_at_tail_.col(e);
    });
  }

  template <class Own, class Copy>
  static Vector relaxed(const Own& own, const Copy& copy) {
    constexpr double kRelaxation = 1.6;  // Boyd et al. (2011), section 3.4.3: 1.5 to 1.8 helps
    return kRelaxation * own + (1 - kRelaxation) * copy;
  }

  /// Primal: x − z over all copies. Dual: ρ times what the copies of a node have moved together.
  void measure() {
    double primal2 = 0;
    double own2 = 0;
    double copies2 = 0;
    for (EdgeId e = 0; e < problem_.edges(); ++e) {
      const auto head = x_.col(graph_.head(e));
      const auto tail = x_.col(graph_.tail(e));
      primal2 += (head - copy_at_head_.col(e)).squaredNorm() + (tail - copy_at_tail_.col(e)).squaredNorm();
      own2 += head.squaredNorm() + tail.squaredNorm();
      copies2 += copy_at_head_.col(e).squaredNorm() + copy_at_tail_.col(e).squaredNorm();
    }
    Matrix moved = Matrix::Zero(x_.rows(), x_.cols());
    for (EdgeId e = 0; e < problem_.edges(); ++e) {
      moved.col(graph_.head(e)) += change_at_head_.col(e);
      moved.col(graph_.tail(e)) += change_at_tail_.col(e);
    }
    primal_ = std::sqrt(primal2);
    dual_ = rho_ * moved.norm();
    const double absolute = std::sqrt(static_cast<double>(2 * flow_.size()));
    primal_bound_ = tolerance_ * (absolute + std::sqrt(std::max(own2, copies2)));
    dual_bound_ =
        tolerance_ * (std::sqrt(static_cast<double>(x_.size())) + apply_incidence_transpose(graph_, flow_).norm());
  }

  const Problem& problem_;
  const EmpiricalGraph& graph_;
  double rho_;
  double tolerance_;
  ThreadTeam team_;
  std::vector<Vector> scratch_;  // one per worker
  Matrix x_;
  Matrix flow_;  // ρ times the scaled dual of the copy at the head
  Matrix copy_at_head_;
  Matrix copy_at_tail_;
  Matrix change_at_head_;  // in the last round
  Matrix change_at_tail_;
  double primal_ = 0;
  double dual_ = 0;
  double primal_bound_ = 0;
  double dual_bound_ = 0;
};

BaselineResult run_nlasso_admm(const BaselineInput& input, const BaselineOptions& options,
                               const BaselineContext& context) {
  Rounds rounds(input, options, context);
  NetworkLassoAdmm admm(input.problem, options);
  bool more = true;
  while (more) {
    admm.round();
    more = rounds.another(admm.x(), admm.arrived());
  }
  BaselineResult result = rounds.result(admm.x());
  if (!admm.arrived()) {
    result.notes.push_back(fmt::format("stopped at round {} of {}: primal residual {:.3g}, dual residual {:.3g}",
                                       rounds.done(), options.rounds, admm.primal_residual(), admm.dual_residual()));
  }
  if (!is_convex(input.problem)) result.notes.emplace_back("the losses are not convex: ADMM need not converge");
  return result;
}

/// A node feels ρ times its degree beside the curvature of its loss.
std::vector<Tunable> nlasso_admm_tunables(const BaselineInput& input, const BaselineOptions& options) {
  if (options.admm_penalty > 0) return {};
  const EmpiricalGraph& graph = input.problem.graph();
  const double degree = std::max(1.0, 2.0 * static_cast<double>(graph.edges()) / static_cast<double>(graph.nodes()));
  Clients clients(input, options);
  const double curvature = median_curvature_of_losses(clients);
  Tunable penalty{.option = "admm-penalty", .value = &BaselineOptions::admm_penalty, .grid = {}};
  for (const double multiple : {1e-4, 1e-3, 1e-2, 0.1, 1., 10., 100., 1000.}) {
    penalty.grid.push_back(multiple * (curvature > 0 ? curvature / degree : 1));
  }
  return {std::move(penalty)};
}

}  // namespace

Baseline nlasso_admm_baseline() {
  static constexpr const char* kOptions[] = {"rounds", "tol", "admm-penalty", "threads"};
  return {.name = "nlasso-admm",
          .help =
              "network lasso by ADMM with copies on the edges (Hallac, Leskovec, Boyd 2015), for every penalty; tol "
              "applies to the primal and dual residuals",
          .options = kOptions,
          .needs_lambda = true,
          .chooses_penalty = true,
          .tune_by = TuneBy::kObjective,
          .refusal = serves_all,
          .tunables = nlasso_admm_tunables,
          .run = run_nlasso_admm};
}

}  // namespace gtvmin
