#include "whole_objective.h"

#include <cmath>
#include <variant>

#include "gtvmin/base/exact_sum.h"
#include "team.h"

namespace gtvmin {
namespace {

/// out ← a (sub)gradient of κφ at v.
struct PenaltySlope {
  const Vector& v;
  double kappa;
  VectorRef out;

  void operator()(const L2Penalty& /*penalty*/) {
    const double length = v.norm();
    if (length > 0) {
      out = kappa / length * v;
    } else {
      out.setZero();
    }
  }
  void operator()(const L1Penalty& /*penalty*/) { out = kappa * v.cwiseSign(); }
  void operator()(const LinfPenalty& /*penalty*/) {
    const double largest = v.cwiseAbs().maxCoeff();
    const auto attained = (v.array().abs() == largest).cast<double>();
    out = kappa / attained.sum() * v.cwiseSign().array() * attained;
  }
  void operator()(const CustomPenalty& /*penalty*/) { out.setZero(); }  // refused before
  template <class Smooth>
  void operator()(const Smooth& penalty) {
    Vector scratch(v.size());
    penalty.smooth_flow(v.data(), v.size(), kappa, out.data(), scratch.data());
  }
};

double sum(const Vector& summands) {
  ExactSum sum;
  for (const double x : summands) sum.add(x);
  return sum.value();
}

}  // namespace

WholeObjective::WholeObjective(const Problem& problem, int threads)
    : problem_(problem),
      team_(threads),
      losses_(problem.nodes()),
      penalties_(problem.edges()),
      flow_(problem.dimension(), problem.edges()) {}

bool WholeObjective::knows(const Penalty& penalty) { return !std::holds_alternative<CustomPenalty>(penalty); }

double WholeObjective::operator()(const Matrix& w, Matrix& gradient) {
  const EmpiricalGraph& graph = problem_.graph();
  gradient.resize(w.rows(), w.cols());
  for_each(team_, problem_.edges(), [&](int /*worker*/, Index k) {
    const auto e = static_cast<EdgeId>(k);
    const Vector v = w.col(graph.head(e)) - w.col(graph.tail(e));
    const double phi =
        std::visit([&](const auto& penalty) { return penalty.value(v.data(), v.size()); }, problem_.penalty());
    penalties_[k] = problem_.kappa(e) * phi;
    std::visit(PenaltySlope{v, problem_.kappa(e), flow_.col(k)}, problem_.penalty());
  });
  for_each(team_, problem_.nodes(), [&](int /*worker*/, Index k) {
    const auto i = static_cast<NodeId>(k);
    losses_[k] = problem_.loss(i).value(w.col(k));
    if (!std::isfinite(losses_[k])) return;
    problem_.loss(i).gradient(w.col(k), gradient.col(k));
    for (const Incidence& at : graph.incident(i)) gradient.col(k) += at.sign * flow_.col(at.edge);
  });
  return sum(losses_) + sum(penalties_);
}

}  // namespace gtvmin
