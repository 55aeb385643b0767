#include "gtvmin/certify/certify.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gtvmin/base/exact_sum.h"
#include "gtvmin/certify/flow_repair.h"
#include "gtvmin/certify/node_share.h"
#include "gtvmin/second_order/block_system.h"

namespace gtvmin {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kAPartInABillion = 1e-9;  // where less is enough, ends do not have to meet to the last digit
constexpr Index kNodesOfChunk = 64;
constexpr Index kEdgesOfChunk = 512;

/// f of every node, by the whole team.
template <class Function>
void for_nodes(const Problem& problem, ThreadTeam& team, const Function& f) {
  team.run(problem.nodes(), kNodesOfChunk, [&](int /*worker*/, Index begin, Index end) {
    for (auto i = static_cast<NodeId>(begin); i < end; ++i) f(i);
  });
}

template <class Function>
void for_edges(const Problem& problem, ThreadTeam& team, const Function& f) {
  team.run(problem.edges(), kEdgesOfChunk, [&](int /*worker*/, Index begin, Index end) {
    for (auto e = static_cast<EdgeId>(begin); e < end; ++e) f(e);
  });
}

/// Per node a subgradient y_i of its loss, and L_i(w_i) + L_i*(y_i) − ⟨y_i, w_i⟩, which is 0 if it is one at w_i.
struct Subgradients {
  Matrix y;
  Vector excess;
};

/// A flow that fits w up to `miss`, and how: −(Dᵀu)_i = y_i + ∇²L_i(w_i) p_i − miss_i before scaling by θ_i.
struct Fit {
  Matrix u;
  Matrix p;      // d × nodes; 0 where a loss does not bound Hessian steps
  Vector theta;  // per node, equal within a component
};

Subgradients subgradients(const Problem& problem, const Matrix& w, const Matrix& u, ThreadTeam& team) {
  Subgradients result{Matrix(w.rows(), w.cols()), Vector::Zero(w.cols())};
  const bool by_gradients = every_loss(problem, [](const LocalLoss& loss) { return loss.bounds_hessian_steps(); });
  const Matrix sums = by_gradients ? Matrix() : apply_incidence_transpose(problem.graph(), u, team);
  for_nodes(problem, team, [&](NodeId i) {
    const LocalLoss& loss = problem.loss(i);
    if (loss.bounds_hessian_steps()) {
      loss.gradient(w.col(i), result.y.col(i));
    } else {
      result.excess[i] = subgradient_by_prox(loss, w.col(i), -sums.col(i), result.y.col(i));
    }
  });
  return result;
}

/// An upper bound of L_i(w_i) + L_i*(θ(y_i + ∇²L_i p_i)) − ⟨θ(y_i + ∇²L_i p_i), w_i⟩.
double node_term(const LocalLoss& loss, ConstVectorRef w, ConstVectorRef p, double theta, double excess) {
  if (loss.bounds_hessian_steps()) return loss.fenchel_young_bound(w, p, theta);
  return theta * excess + (theta == 1 ? 0 : (1 - theta) * (loss.value(w) - loss.lower_bound()));
}

/// ∇²L_i(w_i) p.
Vector hessian_times(const Problem& problem, NodeId i, const Matrix& w, ConstVectorRef p) {
  Vector product = Vector::Zero(w.rows());
  if (problem.loss(i).bounds_hessian_steps()) problem.loss(i).apply_hessian(w.col(i), p, product);
  return product;
}

/// Components of the graph as far as it couples at all.
Partition coupled_components(const Problem& problem) {
  if (problem.lambda() > 0) return connected_groups(problem.graph());
  return connected_groups(problem.graph(), std::vector<char>(problem.edges(), 0));
}

/// Groups of nodes between which flow finds room: edges of which at most half is used connect them.
template <class PenaltyType>
Partition groups_at_ease(const Problem& problem, const PenaltyType& penalty, const Matrix& u, ThreadTeam& team) {
  std::vector<char> easy(problem.edges());
  for_edges(problem, team, [&](EdgeId e) {
    easy[e] = 2 * penalty.dual_norm(u.data() + e * u.rows(), u.rows()) <= problem.kappa(e) ? 1 : 0;
  });
  return connected_groups(problem.graph(), easy);
}

/// Flow inside a group can change its node sums in every way that leaves their total alone. The total of what nodes
/// miss goes into p, one vector per group: a Newton step of the whole group. Not where the total is negligible: this
/// fraction of what its nodes miss. No steps if more than `most` groups need one.
Matrix group_steps(const Problem& problem, const Partition& groups, const Matrix& w, const Matrix& missed,
                   double negligible_total, Index most) {
  const Index d = w.rows();
  Matrix totals = Matrix::Zero(d, groups.groups);
  Vector sizes = Vector::Zero(groups.groups);
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    totals.col(groups.group_of[i]) += missed.col(i);
    sizes[groups.group_of[i]] += missed.col(i).norm();
  }
  std::vector<NodeId> unbalanced;
  std::vector<Index> place(groups.groups, -1);  // among them
  for (NodeId group = 0; group < groups.groups; ++group) {
    if (totals.col(group).norm() <= negligible_total * sizes[group]) continue;
    place[group] = static_cast<Index>(unbalanced.size());
    unbalanced.push_back(group);
  }
  Matrix steps = Matrix::Zero(d, groups.groups);
  if (static_cast<Index>(unbalanced.size()) > most) return steps;
  Matrix hessians = Matrix::Zero(d, d * static_cast<Index>(unbalanced.size()));
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    const Index at = place[groups.group_of[i]];
    if (at < 0 || !problem.loss(i).bounds_hessian_steps()) continue;
    problem.loss(i).add_hessian(w.col(i), hessians.middleCols(at * d, d));
  }
  for (const NodeId group : unbalanced) {
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(hessians.middleCols(place[group] * d, d));
    const double negligible = 1e-13 * eigen.eigenvalues().cwiseAbs().maxCoeff();
    Vector along = eigen.eigenvectors().transpose() * totals.col(group);
    for (Index k = 0; k < d; ++k) {
      along[k] = eigen.eigenvalues()[k] > negligible ? -along[k] / eigen.eigenvalues()[k] : 0;
    }
    steps.col(group) = eigen.eigenvectors() * along;
  }
  return steps;
}

/// Whether linear systems over the graph are affordable for the sake of a tighter certificate.
bool is_affordably_small(const Problem& problem) { return problem.edges() * problem.dimension() <= 1'000'000; }

/// Per component, by how much the flow exceeds the ball of a norm penalty at worst: max(1, ‖u_e‖_*/κ_e).
template <class PenaltyType>
Vector worst_loads(const Problem& problem, const PenaltyType& penalty, const Partition& components, const Matrix& u,
                   ThreadTeam& team) {
  Vector norms(problem.edges());
  for_edges(problem, team, [&](EdgeId e) { norms[e] = penalty.dual_norm(u.data() + e * u.rows(), u.rows()); });
  Vector load = Vector::Ones(components.groups);
  for (EdgeId e = 0; e < problem.edges(); ++e) {
    auto& worst = load[components.group_of[problem.graph().head(e)]];
    if (norms[e] > worst * problem.kappa(e)) worst = norms[e] / problem.kappa(e);
  }
  return load;
}

/// Makes −(Dᵀu)_i = target_i, alternating with a projection of every edge's flow onto its ball as long as that helps:
/// routing respects the room of an edge only to first order.
template <class PenaltyType>
void route_within_ball(const Problem& problem, const PenaltyType& penalty, const Partition& components,
                       const Matrix& target, double enough, ThreadTeam& team, Matrix& u) {
  const bool large = !is_affordably_small(problem);
  const double rounding = (large || enough > kAPartInABillion ? 5e-12 : 1e-14) * (target.norm() + u.norm());
  const auto missed = [&](const Matrix& flow) {
    return (target + apply_incidence_transpose(problem.graph(), flow, team)).norm();
  };
  Matrix best;
  double least = std::numeric_limits<double>::infinity();
  constexpr int kMostPasses = 8;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    // Twice: what the first time leaves, because rooms differ by orders of magnitude, the second removes.
    for (int time = 0; time < 2 && missed(u) > rounding; ++time) route_to_target(problem, target, rounding, team, u);
    const double excess = worst_loads(problem, penalty, components, u, team).maxCoeff() - 1;
    if (!(excess < 0.5 * least)) break;
    least = excess;
    if (large || excess < 1e-14 || excess > 1) return;
    best = u;
    project_flow(problem, u);
  }
  u = std::move(best);
}

/// Divides the flow of every component by its worst load.
template <class PenaltyType>
void scale_into_ball(const Problem& problem, const PenaltyType& penalty, const Partition& components, ThreadTeam& team,
                     Fit& fit) {
  const Vector loads = worst_loads(problem, penalty, components, fit.u, team);
  if (loads.maxCoeff() == 1) return;
  for_edges(problem, team, [&](EdgeId e) { fit.u.col(e) /= loads[components.group_of[problem.graph().head(e)]]; });
  for (NodeId i = 0; i < problem.nodes(); ++i) fit.theta[i] = 1 / loads[components.group_of[i]];
}

/// With `absorb`, what the given flow misses at a node goes into p as far as the node's loss is curved there, which
/// costs the square of the miss; otherwise all of it is routed, which costs the miss itself where edges are saturated.
template <class PenaltyType>
Fit fit_norm(const Problem& problem, const PenaltyType& penalty, const Matrix& w, Matrix u, const Matrix& gradients,
             bool absorb, double enough, ThreadTeam& team) {
  const Partition components = coupled_components(problem);
  Fit fit{std::move(u), Matrix::Zero(w.rows(), w.cols()), Vector::Ones(w.cols())};
  if (problem.lambda() == 0) fit.u.setZero();
  Matrix target = gradients;
  // Where w is optimal on its clusters only rounding is left over, or what is nothing beside the accuracy asked for.
  const double negligible_total = enough > kAPartInABillion ? 5e-12 : 64 * kEpsilon;
  const auto take_steps = [&](const Partition& groups, const Matrix& missed, Index most) {
    const Matrix steps = group_steps(problem, groups, w, missed, negligible_total, most);
    for_nodes(problem, team, [&](NodeId i) {
      const auto step = steps.col(groups.group_of[i]);
      if (step.isZero(0) || !problem.loss(i).bounds_hessian_steps()) return;
      fit.p.col(i) += step;
      target.col(i) += hessian_times(problem, i, w, step);
    });
  };
  if (absorb) {
    const Matrix missed = gradients + apply_incidence_transpose(problem.graph(), fit.u, team);
    for_nodes(problem, team, [&](NodeId i) {
      if (!problem.loss(i).bounds_hessian_steps()) return;
      problem.loss(i).solve_hessian(w.col(i), -missed.col(i), fit.p.col(i));
      target.col(i) += hessian_times(problem, i, w, fit.p.col(i));
    });
    // Where every loss is curved in every direction nothing but rounding is left to route.
    Matrix left = target + apply_incidence_transpose(problem.graph(), fit.u, team);
    const double negligible = kNegligibleMiss * target.cwiseAbs().maxCoeff();
    if (left.cwiseAbs().maxCoeff() <= negligible) {
      scale_into_ball(problem, penalty, components, team, fit);
      return fit;
    }
    // What flat losses miss, curved ones near them absorb together, so that it need not flow far; for as many groups as
    // cost no more than some iterations.
    left = (left.array().abs() <= negligible).select(0, left);
    const Index most = (problem.edges() + problem.nodes()) / (w.rows() * w.rows());
    if (problem.lambda() > 0) take_steps(groups_at_ease(problem, penalty, fit.u, team), left, most);
  }
  take_steps(components, target, problem.nodes());
  if (problem.lambda() == 0) return fit;
  route_within_ball(problem, penalty, components, without_means(components, target), enough, team, fit.u);
  scale_into_ball(problem, penalty, components, team, fit);
  return fit;
}

/// A smooth penalty: start from the flow κ∇φ(Dw), for which only the nodes miss, and take a Newton step. For quadratic
/// losses the certificate is then exactly F(w) − F*.
template <class PenaltyType>
Fit fit_smooth(const Problem& problem, const PenaltyType& penalty, const Matrix& w, Matrix u, const Matrix& gradients) {
  const auto& graph = problem.graph();
  const Index d = w.rows();
  if (!every_loss(problem, [](const LocalLoss& loss) { return loss.bounds_hessian_steps(); })) {
    return {std::move(u), Matrix::Zero(d, problem.nodes()), Vector::Ones(problem.nodes())};
  }
  Vector scratch(d);
  const auto curvature = [&](EdgeId e, const double* dx, double* out) {
    penalty.smooth_flow(dx, d, problem.kappa(e), out, scratch.data());
  };
  const auto flow_of = [&](const Matrix& point) {
    const Matrix differences = apply_incidence(graph, point);
    Matrix flow(d, graph.edges());
    for (EdgeId e = 0; e < graph.edges(); ++e) curvature(e, differences.data() + e * d, flow.data() + e * d);
    return flow;
  };
  Matrix hessians = Matrix::Zero(d, d * problem.nodes());
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    problem.loss(i).add_hessian(w.col(i), hessians.middleCols(i * d, d));
  }
  BlockSystem system(graph, d);
  system.set(hessians, curvature);
  Fit fit{flow_of(w), Matrix(), Vector::Ones(problem.nodes())};
  fit.p = system.solve(-(gradients + apply_incidence_transpose(graph, fit.u)), 1e-15);
  fit.u += flow_of(fit.p);
  return fit;
}

/// Where a component's share is infinite (logistic losses that have no minimiser, far from their limit) the flow 0
/// still bounds it: by the loss above its lower bound and the whole penalty.
void fall_back_to_no_flow(const Problem& problem, const Vector& node_terms, Fit& fit) {
  const Partition components = coupled_components(problem);
  std::vector<char> infinite(components.groups, 0);
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    if (!std::isfinite(node_terms[i])) infinite[components.group_of[i]] = 1;
  }
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    if (infinite[components.group_of[i]] == 0) continue;
    fit.p.col(i).setZero();
    fit.theta[i] = 0;
  }
  for (EdgeId e = 0; e < problem.edges(); ++e) {
    if (infinite[components.group_of[problem.graph().head(e)]] != 0) fit.u.col(e).setZero();
  }
}

Certificate add_up(const Problem& problem, const Matrix& w, const Subgradients& at, const Fit& fit, ThreadTeam& team) {
  const auto& graph = problem.graph();
  const Index d = w.rows();
  Certificate certificate;
  certificate.kind = Certificate::Kind::kGap;
  certificate.node_terms.resize(problem.nodes());
  certificate.edge_terms.resize(problem.edges());
  const double longest = w.colwise().norm().maxCoeff();
  certificate.radius = longest > 0 ? 2 * longest : 1;

  Vector flow_sizes(problem.edges());
  std::visit(
      [&](const auto& penalty) {
        team.run(problem.edges(), kEdgesOfChunk, [&](int /*worker*/, Index begin, Index end) {
          Vector scratch(d);
          Vector difference(d);
          for (auto e = static_cast<EdgeId>(begin); e < end; ++e) {
            difference = w.col(graph.head(e)) - w.col(graph.tail(e));
            certificate.edge_terms[e] =
                penalty.fenchel_young(difference.data(), fit.u.data() + e * d, d, problem.kappa(e), scratch.data());
            flow_sizes[e] = fit.u.col(e).norm();
          }
        });
      },
      problem.penalty());
  const Matrix sums = apply_incidence_transpose(graph, fit.u, team);
  const Matrix start = start_point(problem);
  Vector misses(problem.nodes());
  Vector sizes(problem.nodes());
  Vector losses(problem.nodes());
  Vector losses_at_start(problem.nodes());
  for_nodes(problem, team, [&](NodeId i) {
    const LocalLoss& loss = problem.loss(i);
    const Vector target = fit.theta[i] * (at.y.col(i) + hessian_times(problem, i, w, fit.p.col(i)));
    misses[i] = (target + sums.col(i)).norm();
    losses[i] = loss.value(w.col(i));
    losses_at_start[i] = loss.value(start.col(i));
    Vector gradient_at_start(d);
    loss.gradient(start.col(i), gradient_at_start);
    sizes[i] = target.norm() + at.y.col(i).norm() + gradient_at_start.norm();
    for (const auto& incidence : graph.incident(i)) sizes[i] += flow_sizes[incidence.edge];
    // The last term is what rounding does to the loss and to the products in which it is compared.
    certificate.node_terms[i] = node_term(loss, w.col(i), fit.p.col(i), fit.theta[i], at.excess[i]) +
                                misses[i] * certificate.radius +
                                kEpsilon * (std::abs(losses[i]) + target.norm() * w.col(i).norm());
  });
  // What a flow misses by rounding costs next to nothing within any reasonable radius, and is counted above all the
  // same.
  if (misses.maxCoeff() > kNegligibleMiss * sizes.maxCoeff()) certificate.kind = Certificate::Kind::kGapWithinRadius;
  ExactSum total;
  for (const double term : certificate.node_terms) total.add(term);
  for (const double term : certificate.edge_terms) total.add(term);
  certificate.value = total.value();
  if (!std::isfinite(certificate.value)) {
    certificate.kind = Certificate::Kind::kResidualOnly;
    certificate.value = (at.y + sums).norm();
  }
  const double size = std::abs(losses.sum() + problem.lambda() * total_variation(problem, w));
  const double size_at_start = std::abs(losses_at_start.sum());
  const double scale = std::max({size, 1e-9 * size_at_start, std::numeric_limits<double>::min()});
  certificate.relative = certificate.value / scale;
  return certificate;
}

/// Nothing is proved about a problem that is not convex; what its nodes miss is told, also as a share of what pulls at
/// them.
Certificate residual_certificate(const Problem& problem, const Matrix& w, const Matrix& u) {
  const Matrix gradients = loss_gradients(problem, w);
  const Matrix sums = apply_incidence_transpose(problem.graph(), u);
  Certificate certificate;
  certificate.kind = Certificate::Kind::kNoneNonconvex;
  certificate.value = (gradients + sums).norm();
  const double size = std::max(gradients.norm() + sums.norm(), std::numeric_limits<double>::min());
  certificate.relative = certificate.value / size;
  return certificate;
}

/// True if a proves more than b.
bool better(const Certificate& a, const Certificate& b) {
  if (is_bound(a) != is_bound(b)) return is_bound(a);
  return a.value <= b.value;
}

}  // namespace

CertifyEffort worthwhile_effort(const Problem& problem, double tolerance, std::int64_t iterations, ThreadTeam* team) {
  // Numbers in a flow: up to which exactness costs next to nothing, and up to which it is affordable, for curved losses
  // once message passing has had its chance.
  constexpr Index kFew = 20'000;
  constexpr Index kManyCurved = 200'000;
  constexpr std::int64_t kChance = 400;
  const Index numbers = problem.edges() * problem.dimension();
  CertifyEffort effort;
  effort.team = team;
  effort.enough = numbers > kFew ? tolerance : effort.enough;
  const bool patient = numbers <= kFew || (numbers <= kManyCurved && iterations >= kChance);
  effort.exact = is_affordably_small(problem) && (patient || !is_curved_everywhere(problem));
  return effort;
}

bool is_bound(const Certificate& certificate) {
  return certificate.kind == Certificate::Kind::kGap || certificate.kind == Certificate::Kind::kGapWithinRadius;
}

std::string_view to_string(Certificate::Kind kind) {
  switch (kind) {
    case Certificate::Kind::kGap:
      return "gap";
    case Certificate::Kind::kGapWithinRadius:
      return "gap-within-radius";
    case Certificate::Kind::kResidualOnly:
      return "residual-only";
    case Certificate::Kind::kNoneNonconvex:
      return "none-nonconvex";
  }
  return "";
}

Certified certify(const Problem& problem, const Matrix& w, Matrix u) {
  constexpr std::int64_t kDone = std::numeric_limits<std::int64_t>::max();
  return certify(problem, w, std::move(u), worthwhile_effort(problem, 1e-12, kDone));
}

Certified certify(const Problem& problem, const Matrix& w, Matrix u, const CertifyEffort& effort) {
  if (!is_convex(problem)) return {residual_certificate(problem, w, u), std::move(u)};
  ThreadTeam alone(1);
  ThreadTeam& team = effort.team != nullptr ? *effort.team : alone;
  const Subgradients at = subgradients(problem, w, u, team);
  const Matrix& gradients = at.y;
  const auto certified_with = [&](Fit fit) {
    Certified certified{add_up(problem, w, at, fit, team), {}};
    if (!certified.certificate.node_terms.allFinite()) {
      fall_back_to_no_flow(problem, certified.certificate.node_terms, fit);
      certified.certificate = add_up(problem, w, at, fit, team);
    }
    certified.u = std::move(fit.u);
    return certified;
  };
  return std::visit(
      [&](const auto& penalty) -> Certified {
        using PenaltyType = std::decay_t<decltype(penalty)>;
        if constexpr (PenaltyType::kIsNorm) {
          if (!effort.exact)
            return certified_with(fit_norm(problem, penalty, w, std::move(u), gradients, true, effort.enough, team));
          const bool absorb_first = !effort.routing_first;
          Certified first =
              certified_with(fit_norm(problem, penalty, w, u, gradients, absorb_first, effort.enough, team));
          if (is_bound(first.certificate) && first.certificate.relative <= effort.enough) return first;
          Certified second =
              certified_with(fit_norm(problem, penalty, w, u, gradients, !absorb_first, effort.enough, team));
          return better(first.certificate, second.certificate) ? std::move(first) : std::move(second);
        } else if constexpr (std::is_same_v<PenaltyType, CustomPenalty>) {
          return certified_with({std::move(u), Matrix::Zero(w.rows(), w.cols()), Vector::Ones(w.cols())});
        } else {
          return certified_with(fit_smooth(problem, penalty, w, std::move(u), gradients));
        }
      },
      problem.penalty());
}

}  // namespace gtvmin
