#include "gtvmin/solver/shard_certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "gtvmin/certify/checked_sum.h"
#include "gtvmin/certify/fit_slopes.h"
#include "gtvmin/certify/node_share.h"
#include "gtvmin/certify/rounding.h"
#include "gtvmin/certify/sample_gap.h"
#include "gtvmin/graph/spanning_forest.h"
#include "gtvmin/penalty/edge_bracket.h"

namespace gtvmin {
namespace {

/// Sums of pooled rows beyond which components are not told apart: no bound then.
constexpr Index kMostSums = 20'000;

/// Calls visit(local edge, local head, local tail) for every edge, in the order that all shards have.
template <class Visit>
void for_each_edge(const Shard& shard, const Visit& visit) {
  for (std::size_t k = 0; k + 1 < shard.runs.size(); ++k) {
    for (EdgeId e = shard.runs[k].first; e < shard.runs[k + 1].first; ++e) {
      visit(e, shard.runs[k].head, shard.ends[e].tail);
    }
  }
}

/// Adds up vectors of exact sums over all shards, as many at a time as travel together at a check next to the
/// quantities that exchanges count themselves.
Result<std::vector<ExactSum>> sum_over_shards(Exchange& exchange, const std::vector<std::vector<ExactSum>>& parts,
                                              std::size_t count) {
  constexpr std::size_t kAtATime = SteeringSums::kInterrupted;
  static_assert(SteeringSums::kInterrupted < SteeringSums::kAbsent);
  std::vector<ExactSum> totals;
  totals.reserve(count);
  for (std::size_t first = 0; first < count; first += kAtATime) {
    const std::size_t some = std::min(kAtATime, count - first);
    std::vector<SteeringSums> messages(std::max<std::size_t>(1, parts.size()));
    for (std::size_t k = 0; k < parts.size(); ++k) {
      for (std::size_t j = 0; j < some; ++j) messages[k].sums[j].add(parts[k][first + j]);
    }
    const Result<SteeringSums> total = exchange.sum(messages);
    if (!total) return total.error();
    totals.insert(totals.end(), total->sums.begin(), total->sums.begin() + static_cast<std::ptrdiff_t>(some));
  }
  return totals;
}

std::vector<double> values(const std::vector<ExactSum>& sums) {
  std::vector<double> all;
  all.reserve(sums.size());
  for (const ExactSum& sum : sums) all.push_back(sum.value());
  return all;
}

std::vector<long double> extended_values(const std::vector<ExactSum>& sums) {
  std::vector<long double> all;
  all.reserve(sums.size());
  for (const ExactSum& sum : sums) all.push_back(sum.extended_value());
  return all;
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

/// One certificate: the passes over the shards held here.
class SumCertificate {
 public:
  SumCertificate(const SumCertifier& certifier, std::span<const Shard> shards, Exchange& exchange)
      : certifier_(certifier),
        problem_(certifier.problem_),
        shards_(shards),
        exchange_(exchange),
        d_(problem_.dimension()),
        norm_(is_norm(problem_.penalty())) {}

  Result<SumCertifier::Outcome> run(double size_at_start) {
    fit_nodes();
    add_edges();
    std::vector<SteeringSums> parts;
    for (Part& part : parts_) parts.push_back(part.sums);
    if (parts.empty()) parts.emplace_back();
    const Result<SteeringSums> total = exchange_.sum(parts);
    if (!total) return total.error();
    SumCertifier::Outcome outcome;
    outcome.sums = *total;
    const double objective = total->objective(problem_.lambda());
    Certificate& certificate = outcome.certificate;
    certificate.kind = Certificate::Kind::kNoneUnknownLoss;
    // Of an unknown loss an estimate: an optimum may be as far from w as w from 0.
    double charge = (*total)[SteeringSums::kMiss] * 2 * total->maxima[SteeringSums::kLongest];
    if (certifier_.known_) {
      const Result<std::optional<double>> charged = charge_misses();
      if (!charged) return charged.error();
      certificate.kind = *charged ? Certificate::Kind::kGap : failure_;
      charge = charged->value_or(0);
    }
    const auto state = [&](double charged) {
      const double gap = (*total)[SteeringSums::kNodeGap] + (*total)[SteeringSums::kEdgeGap];
      certificate.value = (gap + charged) * (1 + 4 * kEpsilon) + 4 * kEpsilon * std::abs(objective);
      certificate.relative = relative_gap(certificate.value, objective, size_at_start);
    };
    state(charge + for_unlocated_);
    if (some_unlocated_ && certificate.relative >= kWorthStating) {
      certificate.kind = failure_;
      state(charge);
    }
    certificate.dual_value = objective - certificate.value;
    if (!std::isfinite(certificate.value)) certificate.kind = Certificate::Kind::kNoneUnbounded;
    for (Part& part : parts_) outcome.terms.push_back(std::move(part.terms));
    return outcome;
  }

 private:
  struct Part {
    SteeringSums sums;
    ShardTerms terms;
    Matrix miss;                         // d × owned
    std::vector<std::vector<double>> p;  // slopes of the samples of owned nodes
    Matrix q;
    Vector half_gap;  // of owned nodes, with half the slopes; of local edges below
    Vector half_edge_gap;
    Vector zero_gap;  // the same with the dual point 0, whose balance is exact: no loss falls below its least value
    Vector zero_edge_gap;
  };

  /// Slopes, gaps and what is missed at every owned node.
  void fit_nodes() {
    for (const Shard& shard : shards_) {
      Part& part = parts_.emplace_back();
      const auto owned = static_cast<NodeId>(shard.owned());
      part.terms = {Vector::Zero(owned), Vector::Zero(shard.local_edges())};
      part.miss = Matrix::Zero(d_, owned);
      part.q = Matrix::Zero(d_, owned);
      part.p.resize(owned);
      part.half_gap = Vector::Zero(owned);
      part.zero_gap = Vector::Zero(owned);
      std::vector<CheckedSum> balance(static_cast<std::size_t>(owned) * d_);
      for_each_edge(shard, [&](EdgeId e, NodeId head, NodeId tail) {
        for (Index j = 0; j < d_; ++j) {
          if (head < owned) balance[head * d_ + j].add(shard.u(j, e));
          if (tail < owned) balance[tail * d_ + j].add(-shard.u(j, e));
        }
      });
      for (NodeId i = 0; i < owned; ++i) add_node(shard, i, balance.data() + i * d_, part);
    }
  }

  void add_node(const Shard& shard, NodeId i, CheckedSum* balance, Part& part) {
    const LocalLoss& loss = problem_.loss(shard.nodes[i]);
    const Vector w = shard.w.col(i);
    Vector s(d_);
    for (Index j = 0; j < d_; ++j) s[j] = balance[j].value();
    auto& sums = part.sums.sums;
    Vector gradient(d_);
    loss.gradient(w, gradient);
    sums[SteeringSums::kResidual2].add((gradient + s).squaredNorm());
    sums[SteeringSums::kGradient2].add(gradient.squaredNorm());
    sums[SteeringSums::kFlow2].add(s.squaredNorm());
    part.sums.raise(SteeringSums::kLongest, w.norm());
    const SampleForm* form = loss.sample_form();
    if (form == nullptr || form->dimension != d_) {
      const NodeShare share = node_share(loss, w, s);
      sums[SteeringSums::kMiss].add(share.miss);
      part.terms.nodes[i] = share.gap;
      sums[SteeringSums::kLoss].add(loss.value(w));
      sums[SteeringSums::kNodeGap].add(share.gap);
      return;
    }
    std::vector<double>& p = part.p[i];
    p.resize(static_cast<std::size_t>(form->samples));
    if (form->samples > 0 || form->stiffness != nullptr) {
      fit_slopes(*form, w.data(), s, p.data(), part.q.data() + i * d_);
    }
    long double gap = 0;
    long double half = 0;
    long double zero = 0;
    for (Index r = 0; r < form->samples; ++r) {
      gap += form->weight * sample_gap(*form, r, w.data(), p[r]);
      half += form->weight * sample_gap(*form, r, w.data(), p[r] / 2);
      zero += form->weight * sample_gap(*form, r, w.data(), 0);
      const DoubleDouble slope = DoubleDouble::exact_product(form->weight, p[r]);
      for (Index j = 0; j < d_; ++j) balance[j].add(DoubleDouble::product(slope, form->x(r)[j]));
    }
    for (Index j = 0; j < d_ && form->stiffness != nullptr; ++j) {
      const long double off = static_cast<long double>(w[j]) - form->centre_at(j);
      const double q = part.q(j, i);
      gap += form->stiffness[j] * (off - q / 2) * (off - q / 2);
      half += form->stiffness[j] * (off - q / 4) * (off - q / 4);
      zero += form->stiffness[j] * off * off;
      balance[j].add(DoubleDouble::exact_product(form->stiffness[j], q));
    }
    for (Index j = 0; j < d_; ++j) {
      // Rounding may have left a flow outside its domain by a few ε.
      const double outside = balance[j].magnitude * (static_cast<double>(d_) + 6) * kEpsilon;
      part.miss(j, i) = std::abs(balance[j].value()) + balance[j].error() + outside;
    }
    const double slack = 1 + static_cast<double>(form->samples + d_ + 4) * kEpsilon;
    part.terms.nodes[i] = static_cast<double>(gap) * slack;
    part.half_gap[i] = static_cast<double>(half) * slack;
    part.zero_gap[i] = static_cast<double>(zero) * slack;
    sums[SteeringSums::kLoss].add(static_cast<double>(sample_loss(*form, w.data())));
    sums[SteeringSums::kNodeGap].add(part.terms.nodes[i]);
  }

  void add_edges() {
    for (std::size_t k = 0; k < shards_.size(); ++k) {
      const Shard& shard = shards_[k];
      Part& part = parts_[k];
      part.half_edge_gap = Vector::Zero(shard.local_edges());
      part.zero_edge_gap = Vector::Zero(shard.local_edges());
      std::vector<long double> v(d_);
      Vector u(d_);
      Vector half(d_);
      Vector scratch(d_);
      std::visit(
          [&](const auto& penalty) {
            for_each_edge(shard, [&](EdgeId e, NodeId head, NodeId tail) {
              if (head >= shard.owned()) return;
              for (Index j = 0; j < d_; ++j) v[j] = static_cast<long double>(shard.w(j, head)) - shard.w(j, tail);
              u = shard.u.col(e);
              half = u / 2;
              const double kappa = shard.kappa(e);
              const long double value = penalty_value(penalty, v.data(), d_);
              long double size = kappa * value;
              for (Index j = 0; j < d_; ++j) size += std::abs(u[j] * v[j]);
              const double slack = static_cast<double>(size) * (static_cast<double>(d_) + 6) * kEpsilon;
              part.terms.edges[e] =
                  static_cast<double>(edge_bracket(penalty, v.data(), u.data(), d_, kappa, scratch.data())) + slack;
              part.half_edge_gap[e] =
                  static_cast<double>(edge_bracket(penalty, v.data(), half.data(), d_, kappa, scratch.data())) + slack;
              part.zero_edge_gap[e] = static_cast<double>(kappa * value) + slack;
              part.sums.sums[SteeringSums::kVariation].add(problem_.graph().weight(shard.edge_ids[e]) *
                                                           static_cast<double>(value));
              part.sums.sums[SteeringSums::kEdgeGap].add(part.terms.edges[e]);
            });
          },
          problem_.penalty());
    }
  }

  [[nodiscard]] Index place_of(NodeId node) const {
    return certifier_.component_[certifier_.components_.group_of[node]].place;
  }

  /// What is charged for misses, Σ_ij miss_ij · reach_ij; nothing if no radius is proved.
  Result<std::optional<double>> charge_misses() {
    const Index normals = PooledLevel::normal_size(d_);
    if (certifier_.shared_ * normals > kMostSums) {
      failure_ = Certificate::Kind::kNoneUnknownLoss;
      return std::optional<double>();
    }
    if (const Status known = sum_components(); !known) return known.error();
    // First pass over the rows, then the second with the inverse of what they add up to.
    const auto shared = static_cast<std::size_t>(certifier_.shared_);
    std::vector<std::vector<ExactSum>> normal(shards_.size(), std::vector<ExactSum>(shared * normals));
    for_each_row([&](std::size_t shard, std::size_t place, const BoundedRow& row) {
      PooledLevel::add_row(row, gaps_[place], d_,
                           {normal[shard].data() + place * normals, static_cast<std::size_t>(normals)});
    });
    const auto pooled = sum_over_shards(exchange_, normal, shared * normals);
    if (!pooled) return pooled.error();
    std::vector<std::optional<PooledLevel>> levels;
    const std::vector<long double> entries = extended_values(*pooled);
    for (std::size_t place = 0; place < shared; ++place) {
      levels.push_back(PooledLevel::make({entries.data() + place * normals, static_cast<std::size_t>(normals)}, d_));
    }
    const std::size_t width = 3 * static_cast<std::size_t>(d_) + 2;
    std::vector<std::vector<ExactSum>> shares(shards_.size(), std::vector<ExactSum>(shared * width));
    for_each_row([&](std::size_t shard, std::size_t place, const BoundedRow& row) {
      if (!levels[place]) return;
      levels[place]->add_share(row, gaps_[place],
                               {shares[shard].data() + place * width, 2 * static_cast<std::size_t>(d_)});
    });
    add_misses(width, shares);
    const auto summed = sum_over_shards(exchange_, shares, shared * width);
    if (!summed) return summed.error();
    const std::vector<double> totals = values(*summed);
    double charge = 0;
    for (std::size_t place = 0; place < shared; ++place) {
      const auto charged = charge_component(levels[place], {totals.data() + place * width, width}, gaps_[place], place);
      charge += charged.value_or(0);
      if (charged) continue;
      some_unlocated_ = true;
      unlocated_[place] = 1;
      for_unlocated_ += unlocated_charge_[place];
    }
    const Result<double> alone = charge_isolated();
    if (!alone) return alone.error();
    add_charges_to_terms(levels, totals, width);
    return std::optional<double>(charge + *alone);
  }

  /// Of every component of more than one node: the gap with half the dual point, λTV, the energy of half the flow, and
  /// how much more the dual point 0 leaves open than the present one.
  Status sum_components() {
    enum Quantity { kHalfGap, kWeightedVariation, kEnergy, kZeroGap, kGap, kQuantities };
    const auto shared = static_cast<std::size_t>(certifier_.shared_);
    std::vector<std::vector<ExactSum>> parts(shards_.size(), std::vector<ExactSum>(kQuantities * shared));
    for (std::size_t k = 0; k < shards_.size(); ++k) {
      const Shard& shard = shards_[k];
      for (Index i = 0; i < shard.owned(); ++i) {
        const Index place = place_of(shard.nodes[i]);
        if (place < 0) continue;
        ExactSum* const sums = parts[k].data() + kQuantities * place;
        sums[kHalfGap].add(parts_[k].half_gap[i]);
        sums[kZeroGap].add(parts_[k].zero_gap[i]);
        sums[kGap].add(parts_[k].terms.nodes[i]);
      }
      for_each_edge(shard, [&](EdgeId e, NodeId head, NodeId tail) {
        if (head >= shard.owned()) return;
        const Index place = place_of(shard.nodes[head]);
        if (place < 0) return;
        ExactSum* const sums = parts[k].data() + kQuantities * place;
        sums[kHalfGap].add(parts_[k].half_edge_gap[e]);
        sums[kZeroGap].add(parts_[k].zero_edge_gap[e]);
        sums[kGap].add(parts_[k].terms.edges[e]);
        const double kappa = shard.kappa(e);
        const Vector v = shard.w.col(head) - shard.w.col(tail);
        const Vector u = shard.u.col(e);
        double value = 0;
        std::visit([&](const auto& penalty) { value = penalty.value(v.data(), d_); }, problem_.penalty());
        sums[kWeightedVariation].add(kappa * value * (1 + 1e-12));
        if (kappa > 0) sums[kEnergy].add(u.squaredNorm() / 4 / kappa * (1 + 1e-12));
      });
    }
    const auto summed = sum_over_shards(exchange_, parts, kQuantities * shared);
    if (!summed) return summed.error();
    const std::vector<double> totals = values(*summed);
    for (std::size_t place = 0; place < shared; ++place) {
      const double* const sums = totals.data() + kQuantities * place;
      gaps_.push_back(std::max(sums[kHalfGap] * (1 + 1e-12), std::numeric_limits<double>::min()));
      variations_.push_back(sums[kWeightedVariation]);
      energies_.push_back(sums[kEnergy]);
      unlocated_charge_.push_back(std::max(0.0, sums[kZeroGap] - sums[kGap]));
    }
    unlocated_.assign(shared, 0);
    return Unit{};
  }

  /// How far a node's distance from its root can differ between w and an optimum.
  [[nodiscard]] Affine deviation(NodeId node, std::size_t place) const {
    if (norm_) {
      const double bottleneck = certifier_.bottleneck_[node];
      return {variations_[place] / bottleneck, 2 / bottleneck};
    }
    const double resistance = certifier_.resistance_[node];
    if (!std::isfinite(resistance)) return {kInfinity, kInfinity};
    // ‖w_i − w_root‖ ≤ √(2ρ·λTV); ‖w*_i − w*_root‖ ≤ Σ‖u_e/2κ‖ + √(2ρT), the sum at most √(ρ Σ‖u_e‖²/4κ).
    const double s = std::max(std::sqrt(2 * resistance * gaps_[place]), std::numeric_limits<double>::min());
    return {std::sqrt(2 * resistance * variations_[place]) + std::sqrt(resistance * energies_[place]) + s / 2,
            resistance / s};
  }

  /// What the samples of an owned node say about the distance of its root.
  template <class Visit>
  void rows_of_node(const Part& part, const Shard& shard, Index i, const Affine& away, double typical,
                    const Visit& visit) const {
    const SampleForm& form = *problem_.loss(shard.nodes[i]).sample_form();
    const Vector w = shard.w.col(i);
    for (Index r = 0; r < form.samples; ++r) {
      const double* x = form.x(r);
      double score = 0;
      double size = 0;
      for (Index j = 0; j < d_; ++j) {
        score += x[j] * w[j];
        size += std::abs(x[j]);
      }
      if (size == 0) continue;
      const ScoreReach reach = score_reach(form, form.labels[r], part.p[i][r] / 2, score, typical / form.weight);
      visit(BoundedRow{x,
                       0,
                       {reach.offset + 1e-12 * std::abs(score) + size * away.offset,
                        reach.growth / form.weight + size * away.growth}});
    }
    for (Index j = 0; j < d_ && form.stiffness != nullptr; ++j) {
      if (form.stiffness[j] == 0) continue;
      const double root = std::max(std::sqrt(typical / form.stiffness[j]), std::numeric_limits<double>::min());
      const double off = std::abs(w[j] - form.centre_at(j) - part.q(j, i) / 4);
      visit(BoundedRow{nullptr, j, {off + root / 2 + away.offset, 1 / (2 * root * form.stiffness[j]) + away.growth}});
    }
  }

  template <class Visit>
  void for_each_row(const Visit& visit) const {
    for (std::size_t k = 0; k < shards_.size(); ++k) {
      const Shard& shard = shards_[k];
      for (Index i = 0; i < shard.owned(); ++i) {
        const Index place = place_of(shard.nodes[i]);
        if (place < 0) continue;
        const auto at = static_cast<std::size_t>(place);
        rows_of_node(parts_[k], shard, i, deviation(shard.nodes[i], at), gaps_[at],
                     [&](const BoundedRow& row) { visit(k, at, row); });
      }
    }
  }

  /// Behind the shares of rows: Σ_i miss_ij of every coordinate, and Σ_ij miss_ij times the deviation of node i.
  void add_misses(std::size_t width, std::vector<std::vector<ExactSum>>& shares) const {
    for (std::size_t k = 0; k < shards_.size(); ++k) {
      const Shard& shard = shards_[k];
      for (Index i = 0; i < shard.owned(); ++i) {
        const Index place = place_of(shard.nodes[i]);
        if (place < 0) continue;
        const auto at = static_cast<std::size_t>(place);
        const Affine away = deviation(shard.nodes[i], at);
        ExactSum* const sums = shares[k].data() + at * width + 2 * static_cast<std::size_t>(d_);
        for (Index j = 0; j < d_; ++j) {
          const double miss = parts_[k].miss(j, i);
          if (miss == 0) continue;
          sums[j].add(miss);
          sums[d_].add(miss * away.offset);
          sums[d_ + 1].add(miss * away.growth);
        }
      }
    }
  }

  /// The charge of one component; remembers its T.
  std::optional<double> charge_component(const std::optional<PooledLevel>& level, std::span<const double> totals,
                                         double gap, std::size_t place) {
    const auto d = static_cast<std::size_t>(d_);
    double missed = 0;
    for (std::size_t j = 0; j < d; ++j) missed += totals[2 * d + j];
    if (reached_.size() <= place) reached_.resize(place + 1, 0);
    if (missed == 0) return 0;
    if (!level) {
      failure_ = Certificate::Kind::kNoneCollinear;
      return std::nullopt;
    }
    const std::vector<Affine> bounds = level->bounds(totals.first(2 * d));
    Affine total{totals[3 * d], totals[3 * d + 1]};
    for (std::size_t j = 0; j < d; ++j) {
      total.offset += totals[2 * d + j] * bounds[j].offset;
      total.growth += totals[2 * d + j] * bounds[j].growth;
    }
    // T ≤ gap + ½ Σ miss · reach(T), the balance of half the dual point.
    if (!(total.growth < 1) || !std::isfinite(total.offset)) {
      failure_ = Certificate::Kind::kNoneUnbounded;
      return std::nullopt;
    }
    reached_[place] = (gap + total.offset / 2) / (1 - total.growth / 2);
    return total.at(reached_[place]) * (1 + 1e-9);
  }

  /// Nodes without neighbours: everything is their own.
  Result<double> charge_isolated() {
    std::vector<std::vector<ExactSum>> parts(shards_.size(), std::vector<ExactSum>(3));
    for (std::size_t k = 0; k < shards_.size(); ++k) {
      const Shard& shard = shards_[k];
      for (Index i = 0; i < shard.owned(); ++i) {
        if (place_of(shard.nodes[i]) >= 0) continue;
        double& term = parts_[k].terms.nodes[i];
        const auto proved = charge_alone(parts_[k], shard, i);
        const double charge = proved.value_or(std::max(0.0, parts_[k].zero_gap[i] - term));
        parts[k][proved ? 0 : 1].add(charge);
        parts[k][2].add(proved ? 0 : 1);
        term += charge;
      }
    }
    const auto totals = sum_over_shards(exchange_, parts, 3);
    if (!totals) return totals.error();
    for_unlocated_ += (*totals)[1].value();
    if ((*totals)[2].value() > 0) some_unlocated_ = true;
    return (*totals)[0].value();
  }

  std::optional<double> charge_alone(const Part& part, const Shard& shard, Index i) {
    if (part.miss.col(i).isZero(0)) return 0;
    const double typical = std::max(part.half_gap[i], std::numeric_limits<double>::min());
    std::vector<ExactSum> normal(PooledLevel::normal_size(d_));
    rows_of_node(part, shard, i, {}, typical,
                 [&](const BoundedRow& row) { PooledLevel::add_row(row, typical, d_, normal); });
    const auto level = PooledLevel::make(extended_values(normal), d_);
    std::vector<ExactSum> shares(2 * static_cast<std::size_t>(d_));
    if (level) {
      rows_of_node(part, shard, i, {}, typical, [&](const BoundedRow& row) { level->add_share(row, typical, shares); });
    }
    std::vector<double> totals = values(shares);
    for (Index j = 0; j < d_; ++j) totals.push_back(part.miss(j, i));
    totals.insert(totals.end(), 2, 0);
    std::vector<double> kept = std::exchange(reached_, {});
    const auto charge = charge_component(level, totals, typical, 0);
    reached_ = std::move(kept);
    return charge;
  }

  void add_charges_to_terms(const std::vector<std::optional<PooledLevel>>& levels, const std::vector<double>& totals,
                            std::size_t width) {
    std::vector<std::vector<Affine>> bounds;
    for (std::size_t place = 0; place < levels.size(); ++place) {
      bounds.push_back(levels[place]
                           ? levels[place]->bounds({totals.data() + place * width, 2 * static_cast<std::size_t>(d_)})
                           : std::vector<Affine>(static_cast<std::size_t>(d_)));
    }
    for (std::size_t k = 0; k < shards_.size(); ++k) {
      const Shard& shard = shards_[k];
      for (Index i = 0; i < shard.owned(); ++i) {
        const Index place = place_of(shard.nodes[i]);
        if (place < 0) continue;
        const auto at = static_cast<std::size_t>(place);
        if (unlocated_[at] != 0) {
          parts_[k].terms.nodes[i] = parts_[k].zero_gap[i];
          continue;
        }
        const Affine away = deviation(shard.nodes[i], at);
        for (Index j = 0; j < d_; ++j) {
          const double miss = parts_[k].miss(j, i);
          if (miss > 0) parts_[k].terms.nodes[i] += miss * (bounds[at][j].at(reached_[at]) + away.at(reached_[at]));
        }
      }
      for_each_edge(shard, [&](EdgeId e, NodeId head, NodeId /*tail*/) {
        if (head >= shard.owned()) return;
        const Index place = place_of(shard.nodes[head]);
        if (place >= 0 && unlocated_[place] != 0) parts_[k].terms.edges[e] = parts_[k].zero_edge_gap[e];
      });
    }
  }

  const SumCertifier& certifier_;
  const Problem& problem_;
  std::span<const Shard> shards_;
  Exchange& exchange_;
  Index d_;
  bool norm_;
  std::vector<Part> parts_;
  std::vector<double> gaps_;
  std::vector<double> variations_;
  std::vector<double> energies_;
  std::vector<double> reached_;           // T of the components
  std::vector<double> unlocated_charge_;  // what the dual point 0 leaves open in a component beyond the present one
  std::vector<char> unlocated_;           // components where no radius locates an optimum
  bool some_unlocated_ = false;
  double for_unlocated_ = 0;  // charged for those and for such nodes on their own
  Certificate::Kind failure_ = Certificate::Kind::kNoneUnbounded;
};

SumCertifier::SumCertifier(const Problem& problem, bool known) : problem_(problem), known_(known) {
  const EmpiricalGraph& graph = problem.graph();
  const double modulus = quadratic_modulus(problem.penalty());
  std::vector<char> coupled(problem.edges());
  Vector kappa(problem.edges());
  const bool couples = is_norm(problem.penalty()) || modulus > 0;
  for (EdgeId e = 0; e < problem.edges(); ++e) {
    kappa[e] = problem.kappa(e);
    coupled[e] = kappa[e] > 0 ? 1 : 0;
  }
  components_ = connected_groups(graph, coupled);
  std::vector<Index> sizes(components_.groups, 0);
  for (const NodeId c : components_.group_of) ++sizes[c];
  component_.resize(components_.groups);
  for (NodeId c = 0; c < components_.groups; ++c) {
    component_[c] = {sizes[c] == 1, sizes[c] == 1 ? -1 : shared_};
    if (sizes[c] > 1) ++shared_;
  }
  bottleneck_.assign(problem.nodes(), kInfinity);
  resistance_.assign(problem.nodes(), 0);
  const SpanningForest forest = maximum_spanning_forest(graph, {kappa.data(), kappa.data() + kappa.size()});
  for (const NodeId i : forest.order) {
    const NodeId parent = forest.parent[i];
    if (parent < 0 || coupled[forest.edge[i]] == 0) continue;
    bottleneck_[i] = std::min(bottleneck_[parent], kappa[forest.edge[i]]);
    resistance_[i] =
        couples ? resistance_[parent] + 1 / (kappa[forest.edge[i]] * std::max(modulus, 1e-300)) : kInfinity;
  }
}

Result<SumCertifier::Outcome> SumCertifier::certify(std::span<const Shard> shards, Exchange& exchange,
                                                    double size_at_start) const {
  return SumCertificate(*this, shards, exchange).run(size_at_start);
}

Certificate residual_of(const SteeringSums& total) { return residual(total, Certificate::Kind::kNoneNonconvex); }

void add_terms(const Shard& shard, const ShardTerms& terms, Certificate& certificate) {
  for (Index i = 0; i < shard.owned(); ++i) certificate.node_terms[shard.nodes[i]] = terms.nodes[i];
  for (Index e = 0; e < shard.local_edges(); ++e) {
    if (terms.edges[e] != 0) certificate.edge_terms[shard.edge_ids[e]] = terms.edges[e];
  }
}

}  // namespace gtvmin
