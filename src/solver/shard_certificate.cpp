#include "gtvmin/solver/shard_certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "gtvmin/certify/node_share.h"

namespace gtvmin {
namespace {

// By how much, relatively, the last rounding may have left a flow outside its domain.
constexpr double kOutside = 4 * std::numeric_limits<double>::epsilon();

/// Calls visit(local edge, local head, local tail) for every edge, in the order that all shards have.
template <class Visit>
void for_each_edge(const Shard& shard, const Visit& visit) {
  for (std::size_t k = 0; k + 1 < shard.runs.size(); ++k) {
    for (EdgeId e = shard.runs[k].first; e < shard.runs[k + 1].first; ++e) {
      visit(e, shard.runs[k].head, shard.ends[e].tail);
    }
  }
}

/// Of every owned node, Σ ‖u_e‖ over its edges.
Vector flow_sizes(const Shard& shard) {
  const auto owned = static_cast<NodeId>(shard.owned());
  Vector sizes = Vector::Zero(owned);
  for_each_edge(shard, [&](EdgeId e, NodeId head, NodeId tail) {
    const Vector flow = shard.u.col(e);
    const double size = flow.norm();
    if (head < owned) sizes[head] += size;
    if (tail < owned) sizes[tail] += size;
  });
  return sizes;
}

void add_nodes(const Shard& shard, ShardCertificate& share) {
  const Vector sizes = flow_sizes(shard);
  auto& sums = share.sums.sums;
  Vector w(shard.w.rows());
  Vector flow(shard.w.rows());
  for (Index i = 0; i < shard.owned(); ++i) {
    const LocalLoss& loss = shard.problem->loss(shard.nodes[i]);
    w = shard.w.col(i);
    flow.setZero();
    for (NodeId slot = shard.first_slot[i]; slot < shard.first_slot[i + 1]; ++slot) flow += shard.flow.col(slot);
    const NodeShare node = node_share(loss, w, flow);
    share.node_gaps[i] = node.gap;
    share.misses[i] = node.miss + kOutside * sizes[i];
    sums[SteeringSums::kLoss].add(loss.value(w));
    sums[SteeringSums::kNodeGap].add(share.node_gaps[i]);
    sums[SteeringSums::kMiss].add(share.misses[i]);
    sums[SteeringSums::kResidual2].add(node.residual * node.residual);
    sums[SteeringSums::kGradient2].add(node.gradient * node.gradient);
    sums[SteeringSums::kFlow2].add(flow.squaredNorm());
    share.sums.raise(SteeringSums::kLongest, w.norm());
    share.sums.raise(SteeringSums::kLargestMiss, node.miss);
    share.sums.raise(SteeringSums::kLargestSize, node.size + sizes[i]);
  }
}

void add_edges(const Shard& shard, ShardCertificate& share) {
  const Problem& problem = *shard.problem;
  const Index d = problem.dimension();
  Vector difference(d);
  Vector flow(d);
  Vector scratch(d);
  std::visit(
      [&](const auto& penalty) {
        for_each_edge(shard, [&](EdgeId e, NodeId head, NodeId tail) {
          if (head >= shard.owned()) return;
          difference = shard.w.col(head) - shard.w.col(tail);
          flow = shard.u.col(e);
          const double value = penalty.value(difference.data(), d);
          share.edge_gaps[e] =
              penalty.fenchel_young(difference.data(), flow.data(), d, shard.kappa(e), scratch.data()) +
              kOutside * shard.kappa(e) * value;
          share.sums.sums[SteeringSums::kVariation].add(problem.graph().weight(shard.edge_ids[e]) * value);
          share.sums.sums[SteeringSums::kEdgeGap].add(share.edge_gaps[e]);
        });
      },
      problem.penalty());
}

Certificate residual(const SteeringSums& total, Certificate::Kind kind) {
  Certificate certificate;
  certificate.kind = kind;
  certificate.value = std::sqrt(total[SteeringSums::kResidual2]);
  const double size = std::sqrt(total[SteeringSums::kGradient2]) + std::sqrt(total[SteeringSums::kFlow2]);
  certificate.relative = certificate.value / std::max(size, std::numeric_limits<double>::min());
  return certificate;
}

}  // namespace

ShardCertificate shard_certificate(const Shard& shard) {
  ShardCertificate share{
      {}, Vector::Zero(shard.owned()), Vector::Zero(shard.owned()), Vector::Zero(shard.local_edges())};
  add_nodes(shard, share);
  add_edges(shard, share);
  return share;
}

Certificate certificate_of(const SteeringSums& total, double lambda, double size_at_start) {
  Certificate certificate;
  certificate.value = total[SteeringSums::kNodeGap] + total[SteeringSums::kEdgeGap];
  const double objective = total.objective(lambda);
  certificate.relative = relative_gap(certificate.value, objective, size_at_start);
  certificate.dual_value = objective - certificate.value;
  return certificate;
}

Certificate residual_of(const SteeringSums& total) { return residual(total, Certificate::Kind::kNoneNonconvex); }

void add_terms(const Shard& shard, const ShardCertificate& share, Certificate& certificate) {
  for (Index i = 0; i < shard.owned(); ++i) {
    certificate.node_terms[shard.nodes[i]] = share.node_gaps[i];
  }
  for (Index e = 0; e < shard.local_edges(); ++e) {
    if (share.edge_gaps[e] != 0) certificate.edge_terms[shard.edge_ids[e]] = share.edge_gaps[e];
  }
}

}  // namespace gtvmin
