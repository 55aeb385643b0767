#include "gtvmin/second_order/laplacian_system.h"

#include <algorithm>
#include <utility>

#include "gtvmin/base/lanes.h"
#include "gtvmin/second_order/elimination.h"

namespace gtvmin {
namespace {

constexpr double kMostFactorEntries = 2e7;
constexpr Index kNodesOfChunk = 512;
constexpr Index kEdgesOfChunk = 4096;

/// Sums over all nodes, one per row, whose bits do not depend on who adds up which chunk.
class ChunkedSums {
 public:
  ChunkedSums(Index rows, Index nodes) : parts_(rows, (nodes + kNodesOfChunk - 1) / kNodesOfChunk) {}
  /// The part of the chunk that begins at this node, set to 0.
  [[nodiscard]] double* part(Index begin) {
    auto column = parts_.col(begin / kNodesOfChunk);
    column.setZero();
    return column.data();
  }
  [[nodiscard]] Vector total() const { return parts_.rowwise().sum(); }

 private:
  Matrix parts_;
};

}  // namespace

LaplacianSystem::LaplacianSystem(const EmpiricalGraph& graph, std::vector<double> conductances, ThreadTeam& team,
                                 Way way)
    : graph_(graph), team_(team), conductances_(std::move(conductances)) {
  Vector diagonal = Vector::Zero(graph.nodes());
  std::vector<char> there(conductances_.size());
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    there[e] = conductances_[e] > 0 ? 1 : 0;
    diagonal[graph.head(e)] += conductances_[e];
    diagonal[graph.tail(e)] += conductances_[e];
  }
  for (auto& entry : diagonal) entry = entry > 0 ? entry : 1;
  inverse_diagonal_ = diagonal.cwiseInverse();
  incident_.reserve(2 * conductances_.size());
  first_incident_.reserve(graph.nodes());
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    first_incident_.push_back(static_cast<Index>(incident_.size()));
    for (const auto& incidence : graph.incident(i)) incident_.push_back(conductances_[incidence.edge]);
  }
  if (way == Way::kIterative) return;
  Elimination plan = plan_elimination(graph, there);
  if (plan.entries > kMostFactorEntries || plan.entries * plan.entries / graph.nodes() > 3e9) return;

  // The first node of every component is grounded, which makes the matrix regular.
  const Partition components = connected_groups(graph, there);
  std::vector<char> grounded(components.groups, 0);
  factor_ = std::make_unique<SymmetricFactor>(graph.nodes(), 1, std::move(plan));
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    const bool first = std::exchange(grounded[components.group_of[i]], 1) == 0;
    factor_->add(i, i, first ? 2 * diagonal[i] : diagonal[i]);
  }
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    if (there[e] != 0) factor_->add(graph.tail(e), graph.head(e), -conductances_[e]);
  }
  factor_->factorise();
}

LaplacianSystem::~LaplacianSystem() = default;

/// The nodes from `begin` on; `out` has only theirs.
void LaplacianSystem::multiply(const double* p, Index rows, NodeId begin, NodeId end, double* out) const {
  for (NodeId i = begin; i < end; ++i, out += rows) {
    std::fill_n(out, rows, 0.0);
    const double* own = p + i * rows;
    const double* next = incident_.data() + first_incident_[i];
    for (const auto& incidence : graph_.incident(i)) {
      const double conductance = *next++;
      const double* other = p + incidence.neighbour * rows;
      for_lanes(rows, [&](Index j, auto lanes) {
        using Lanes = decltype(lanes);
        store(out + j, load<Lanes>(out + j) + conductance * (load<Lanes>(own + j) - load<Lanes>(other + j)));
      });
    }
  }
}

// Conjugate gradients, every row on its own but all in one sweep over the nodes. With a factorisation as preconditioner
// this is iterative refinement and takes one to three steps; a step that no longer helps a row is taken back.
Matrix LaplacianSystem::solve(const Matrix& b, double absolute, int most_steps) const {
  const Index rows = b.rows();
  const Index nodes = b.cols();
  Matrix p = Matrix::Zero(rows, nodes);
  Matrix r = b;
  Matrix z(rows, nodes);
  Matrix direction(rows, nodes);
  Matrix image(rows, nodes);
  ChunkedSums squares(rows, nodes);
  ChunkedSums products(rows, nodes);
  const auto for_nodes = [&](const auto& job) {
    // Who works alone gets everything at once.
    team_.run(nodes, kNodesOfChunk, [&](int /*worker*/, Index begin, Index end) {
      for (; begin < end; begin += kNodesOfChunk) job(begin, std::min(begin + kNodesOfChunk, end));
    });
  };
  const auto add_products = [&](const Matrix& x, const Matrix& y, Index begin, Index end, double* sums) {
    for (Index i = begin; i < end; ++i) {
      const double* x_i = x.data() + i * rows;
      const double* y_i = y.data() + i * rows;
      for (Index j = 0; j < rows; ++j) sums[j] += x_i[j] * y_i[j];
    }
  };
  // z = r preconditioned, and rᵀz; what else is to be done with a chunk first.
  const auto precondition = [&](const auto& before) {
    for_nodes([&](Index begin, Index end) {
      before(begin, end);
      if (factor_) return;
      for (Index i = begin; i < end; ++i) z.col(i) = inverse_diagonal_[i] * r.col(i);
      add_products(r, z, begin, end, products.part(begin));
    });
    if (!factor_) return;
    z = factor_->solve(r.transpose()).transpose();
    for_nodes([&](Index begin, Index end) { add_products(r, z, begin, end, products.part(begin)); });
  };

  precondition([&](Index begin, Index end) { add_products(r, r, begin, end, squares.part(begin)); });
  Vector least = squares.total().cwiseSqrt();
  Vector rz = products.total();
  direction = z;
  const int most = factor_ ? 6 : most_steps;
  int stalled = 0;
  for (int k = 0; k < most && stalled < (factor_ ? 2 : 40) && (least.array() > absolute).any(); ++k) {
    for_nodes([&](Index begin, Index end) {
      multiply(direction.data(), rows, static_cast<NodeId>(begin), static_cast<NodeId>(end),
               image.data() + begin * rows);
      add_products(direction, image, begin, end, products.part(begin));
    });
    const Vector curvature = products.total();
    const Vector length = (curvature.array() > 0 && rz.array() > 0).select(rz.cwiseQuotient(curvature), 0);
    precondition([&](Index begin, Index end) {
      const Index chunk = end - begin;
      p.middleCols(begin, chunk) += length.asDiagonal() * direction.middleCols(begin, chunk);
      r.middleCols(begin, chunk) -= length.asDiagonal() * image.middleCols(begin, chunk);
      add_products(r, r, begin, end, squares.part(begin));
    });
    const Vector norms = squares.total().cwiseSqrt();
    Vector next = products.total();
    ++stalled;
    for (Index j = 0; j < rows; ++j) {
      if (norms[j] < least[j]) {
        if (norms[j] < 0.9 * least[j] && least[j] > absolute) stalled = 0;
        least[j] = norms[j];
      } else if (factor_) {
        p.row(j) -= length[j] * direction.row(j);
        next[j] = 0;
      }
    }
    const Vector turn = (rz.array() > 0).select(next.cwiseQuotient(rz), 0);
    for_nodes([&](Index begin, Index end) {
      const Index chunk = end - begin;
      direction.middleCols(begin, chunk) =
          z.middleCols(begin, chunk) + turn.asDiagonal() * direction.middleCols(begin, chunk);
    });
    rz = next;
  }
  return p;
}

void LaplacianSystem::add_flow(const Matrix& potential, MatrixRef u) const {
  team_.run(graph_.edges(), kEdgesOfChunk, [&](int /*worker*/, Index begin, Index end) {
    for (auto e = static_cast<EdgeId>(begin); e < end; ++e) {
      if (conductances_[e] == 0) continue;
      u.col(e) += conductances_[e] * (potential.col(graph_.head(e)) - potential.col(graph_.tail(e)));
    }
  });
}

std::vector<double> weights_of(const EmpiricalGraph& graph) {
  std::vector<double> weights(graph.edges());
  for (EdgeId e = 0; e < graph.edges(); ++e) weights[e] = graph.weight(e);
  return weights;
}

void add_flow_for(const EmpiricalGraph& graph, const Matrix& b, int steps, ThreadTeam& team, Matrix& u) {
  const LaplacianSystem system(graph, weights_of(graph), team, LaplacianSystem::Way::kIterative);
  system.add_flow(system.solve(b, 0, steps), u);
}

}  // namespace gtvmin
