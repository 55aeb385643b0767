#include "step_sizes.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gtvmin/solver/local_minimiser.h"

namespace gtvmin {
namespace {

/// out = ∇²L(w) p for a p of norm 1.
void hessian_times(const LocalLoss& loss, const Vector& w, const Vector& p, Vector& out) {
  if (loss.has_hessian()) {
    loss.apply_hessian(w, p, out);
    return;
  }
  // Nets compute in float: a smaller step would be lost in rounding.
  constexpr double kStep = 1e-3;
  const double step = kStep * std::max(w.norm(), kStep);
  Vector behind(w.size());
  loss.gradient(Vector(w - step * p), behind);
  loss.gradient(Vector(w + step * p), out);
  out = (out - behind) / (2 * step);
}

/// The largest eigenvalue of the operator apply(p, out), from below: a few percent short at worst.
template <class Apply>
double largest_eigenvalue(Index d, const Apply& apply) {
  constexpr int kSteps = 30;
  Rng rng = random_numbers(0, Purpose::kCurvature, 0, 0);
  Vector p(d);
  for (double& entry : p) entry = rng.normal();
  p.normalize();
  Vector out(d);
  double largest = 0;
  for (int step = 0; step < kSteps; ++step) {
    apply(p, out);
    largest = out.norm();
    if (!(largest > 0) || !std::isfinite(largest)) return 0;
    p = out / largest;
  }
  return largest;
}

double slope_over_distance(const LocalLoss& loss, const Vector& start) {
  Vector slope(start.size());
  loss.gradient(start, slope);
  const double distance = (minimise_locally(loss).w - start).norm();
  return distance > 0 ? slope.norm() / distance : 0;
}

double reach(const Clients& clients, NodeId i, const Vector& start, Vector& g) {
  const LocalMinimiser own = minimise_locally(clients.problem().loss(i));
  if (own.attained) return (own.w - start).norm();
  clients.loss(i).gradient(start, g);
  const double curved = curvature(clients, i);
  return curved > 0 ? g.norm() / curved : 0;
}

/// 0 of nothing.
double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

/// of_client(i, scratch), on any thread, of all clients.
template <class OfClient>
double median_of_clients(Clients& clients, const OfClient& of_client) {
  std::vector<double> of_node(static_cast<std::size_t>(clients.nodes()), 0);
  clients.in_parallel(clients.clients(), [&](NodeId i, Vector& g) { of_node[i] = of_client(i, g); });
  std::vector<double> numbers;
  numbers.reserve(clients.clients().size());
  for (const NodeId i : clients.clients()) numbers.push_back(of_node[i]);
  return median(std::move(numbers));
}

}  // namespace

double curvature(const Clients& clients, NodeId i) {
  const LocalLoss& loss = clients.problem().loss(i);
  const Vector start = clients.start();
  const auto hessian = [&](const Vector& p, Vector& out) { hessian_times(loss, start, p, out); };
  const double of_loss =
      loss.is_smooth() ? largest_eigenvalue(start.size(), hessian) : slope_over_distance(loss, start);
  return clients.loss_scale(i) * of_loss;
}

double largest_curvature(Clients& clients) {
  Vector of_node = Vector::Zero(clients.nodes());
  clients.in_parallel(clients.clients(), [&](NodeId i, Vector& /*g*/) { of_node[i] = curvature(clients, i); });
  const double largest = of_node.maxCoeff();
  return largest > 0 ? largest : 1;
}

double curvature_of_average(Clients& clients) {
  if (has_kinks(clients.problem())) return largest_curvature(clients);
  const Vector start = clients.start();
  double total = 0;
  for (const NodeId i : clients.clients()) total += clients.weight(i);
  Matrix of_node(clients.dimension(), clients.nodes());
  const double largest = largest_eigenvalue(clients.dimension(), [&](const Vector& p, Vector& out) {
    clients.in_parallel(clients.clients(), [&](NodeId i, Vector& product) {
      hessian_times(clients.problem().loss(i), start, p, product);
      of_node.col(i) = clients.weight(i) / total * clients.loss_scale(i) * product;
    });
    out.setZero();
    for (const NodeId i : clients.clients()) out += of_node.col(i);
  });
  return largest > 0 ? largest : 1;
}

double median_curvature_of_losses(Clients& clients) {
  return median_of_clients(clients,
                           [&](NodeId i, Vector& /*g*/) { return curvature(clients, i) / clients.loss_scale(i); });
}

double median_reach(Clients& clients) {
  const Vector start = clients.start();
  return median_of_clients(clients, [&](NodeId i, Vector& g) { return reach(clients, i, start, g); });
}

Tunable tunable_learning_rate(std::span<const double> multiples, double curvature) {
  Tunable tunable{.option = "learning-rate", .value = &BaselineOptions::learning_rate, .grid = {}};
  tunable.grid.reserve(multiples.size());
  for (const double multiple : multiples) tunable.grid.push_back(multiple / curvature);
  return tunable;
}

std::vector<Tunable> personal_tunables(const BaselineInput& input, const BaselineOptions& options,
                                       std::span<const double> rates) {
  std::vector<Tunable> tunables;
  if (options.learning_rate > 0 && options.proximity > 0) return tunables;
  Clients clients(input, options);
  const double largest = largest_curvature(clients);
  if (options.learning_rate == 0) tunables.push_back(tunable_learning_rate(rates, largest));
  if (options.proximity == 0) {
    Tunable proximity{.option = "proximity", .value = &BaselineOptions::proximity, .grid = {}};
    for (const double multiple : {1e-3, 1e-2, 0.1, 1., 10.}) proximity.grid.push_back(multiple * largest);
    tunables.push_back(std::move(proximity));
  }
  return tunables;
}

}  // namespace gtvmin
