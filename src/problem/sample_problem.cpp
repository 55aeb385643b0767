#include "gtvmin/problem/sample_problem.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "gtvmin/penalty/edge_bracket.h"

namespace gtvmin {
namespace {
constexpr Index kNodesOfChunk = 64;
}

std::optional<SampleProblem> SampleProblem::make(const Problem& problem) {
  SampleProblem result;
  result.problem_ = &problem;
  result.first_sample_.reserve(problem.nodes() + 1);
  result.first_sample_.push_back(0);
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    const SampleForm* form = problem.loss(i).sample_form();
    if (form == nullptr) return std::nullopt;
    if (i == 0) {
      result.dimension_ = form->dimension;
      result.coupled_.assign(form->coupled.begin(), form->coupled.end());
    }
    const auto& coupled = result.coupled_;
    if (form->dimension != result.dimension_ ||
        !std::equal(coupled.begin(), coupled.end(), form->coupled.begin(), form->coupled.end())) {
      return std::nullopt;
    }
    result.first_sample_.push_back(result.first_sample_.back() + form->samples);
    result.has_stiffness_ = result.has_stiffness_ || form->stiffness != nullptr;
  }
  Partition alone{std::vector<NodeId>(problem.nodes()), problem.nodes()};
  std::iota(alone.group_of.begin(), alone.group_of.end(), 0);
  result.group(alone);
  return result;
}

SampleProblem SampleProblem::contracted(const Partition& groups) const {
  SampleProblem result = *this;
  result.group(groups);
  return result;
}

void SampleProblem::group(const Partition& groups) {
  group_of_ = groups.group_of;
  first_member_.assign(groups.groups + 1, 0);
  for (const NodeId g : group_of_) ++first_member_[g + 1];
  std::partial_sum(first_member_.begin(), first_member_.end(), first_member_.begin());
  members_.resize(group_of_.size());
  std::vector<Index> next(first_member_.begin(), first_member_.end() - 1);
  for (std::size_t i = 0; i < group_of_.size(); ++i) members_[next[group_of_[i]]++] = static_cast<NodeId>(i);

  const auto& graph = problem_->graph();
  images_.assign(graph.edges(), {});
  std::vector<EdgeId> order;
  order.reserve(graph.edges());
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    if (group_of_[graph.head(e)] != group_of_[graph.tail(e)] && problem_->kappa(e) > 0) order.push_back(e);
  }
  const auto ends = [&](EdgeId e) { return std::minmax(group_of_[graph.head(e)], group_of_[graph.tail(e)]); };
  const auto before = [&](EdgeId a, EdgeId b) { return ends(a) < ends(b); };
  if (!std::is_sorted(order.begin(), order.end(), before)) std::stable_sort(order.begin(), order.end(), before);
  std::vector<WeightedEdge> edges;
  edges.reserve(order.size());
  for (const EdgeId e : order) {
    const auto [head, tail] = ends(e);
    if (edges.empty() || edges.back().a != head || edges.back().b != tail) edges.push_back({head, tail, 0});
    edges.back().weight += problem_->kappa(e);
    images_[e] = {static_cast<EdgeId>(edges.size()) - 1, group_of_[graph.head(e)] == head ? 1.0 : -1.0};
  }
  graph_ = EmpiricalGraph::make(groups.groups, std::move(edges)).value();
}

std::vector<long double> SampleProblem::group_losses(const Matrix& w, ThreadTeam& team) const {
  std::vector<long double> losses(nodes(), 0);
  team.run(nodes(), kNodesOfChunk, [&](int /*worker*/, Index begin, Index end) {
    for (auto g = static_cast<NodeId>(begin); g < end; ++g) {
      for (const NodeId i : members(g)) losses[g] += sample_loss(form(i), w.data() + g * dimension_);
    }
  });
  return losses;
}

long double SampleProblem::objective(const Matrix& w, ThreadTeam& team) const {
  const std::vector<long double> losses = group_losses(w, team);
  long double sum = std::accumulate(losses.begin(), losses.end(), 0.0L);
  std::vector<long double> v(coupled_dimension());
  std::visit(
      [&](const auto& penalty) {
        for (EdgeId e = 0; e < edges(); ++e) {
          difference(w, e, v.data());
          sum += kappa(e) * penalty_value(penalty, v.data(), coupled_dimension());
        }
      },
      penalty());
  return sum;
}

Matrix SampleProblem::gather(const Matrix& parameters) const {
  Matrix w = Matrix::Zero(dimension_, nodes());
  for (NodeId g = 0; g < nodes(); ++g) {
    for (const NodeId i : members(g)) w.col(g) += parameters.col(i);
    if (members(g).size() > 1) w.col(g) /= static_cast<double>(members(g).size());
  }
  return w;
}

Matrix SampleProblem::scatter(const Matrix& w) const {
  Matrix parameters(dimension_, static_cast<Index>(group_of_.size()));
  for (std::size_t i = 0; i < group_of_.size(); ++i) parameters.col(static_cast<Index>(i)) = w.col(group_of_[i]);
  return parameters;
}

Matrix SampleProblem::gather_flows(const Matrix& u) const {
  Matrix flows = Matrix::Zero(u.rows(), edges());
  for (EdgeId e = 0; e < problem_->edges(); ++e) {
    if (images_[e].edge >= 0) flows.col(images_[e].edge) += images_[e].sign * u.col(e);
  }
  return flows;
}

Matrix SampleProblem::scatter_flows(const Matrix& u) const {
  Matrix flows = Matrix::Zero(u.rows(), problem_->edges());
  for (EdgeId e = 0; e < problem_->edges(); ++e) {
    if (images_[e].edge >= 0) flows.col(e) = images_[e].sign * u.col(images_[e].edge);
  }
  return flows;
}

}  // namespace gtvmin
