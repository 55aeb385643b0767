#include "lbfgs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace gtvmin {
namespace {

double inner(const Matrix& a, const Matrix& b) { return a.cwiseProduct(b).sum(); }

}  // namespace

Lbfgs::Lbfgs(Function function, Matrix start) : function_(std::move(function)), w_(std::move(start)) {
  value_ = function_(w_, gradient_);
}

/// The two-loop recursion; before there are pairs, a step of length at most 1.
Matrix Lbfgs::direction() const {
  Matrix q = -gradient_;
  if (pairs_.empty()) return q / std::max(1.0, q.norm());
  std::vector<double> shares;
  shares.reserve(pairs_.size());
  for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
    shares.push_back(inner(pair->moved, q) / pair->product);
    q -= shares.back() * pair->turned;
  }
  q *= pairs_.back().product / pairs_.back().turned.squaredNorm();
  auto share = shares.rbegin();
  for (const Pair& pair : pairs_) q += (*share++ - inner(pair.turned, q) / pair.product) * pair.moved;
  return q;
}

/// Finds next_ by doubling and bisection.
bool Lbfgs::search(const Matrix& direction) {
  constexpr double kDescent = 1e-4;
  constexpr double kSlope = 0.9;
  constexpr int kMostTrials = 60;
  const double slope = inner(gradient_, direction);
  if (!(slope < 0)) return false;
  double shortest = 0;
  double longest = std::numeric_limits<double>::infinity();
  double length = 1;
  for (int trial = 0; trial < kMostTrials; ++trial) {
    next_ = w_ + length * direction;
    next_value_ = function_(next_, next_gradient_);
    const bool descends = std::isfinite(next_value_) && next_value_ < value_ + kDescent * length * slope;
    if (!descends) {
      longest = length;
    } else if (inner(next_gradient_, direction) < kSlope * slope) {
      shortest = length;
    } else {
      return true;
    }
    length = std::isinf(longest) ? 2 * length : (shortest + longest) / 2;
  }
  return false;
}

bool Lbfgs::step() {
  constexpr std::size_t kMemory = 10;
  if (!std::isfinite(value_)) return false;
  if (!search(direction())) {
    // What is remembered may lead nowhere beyond a kink; once more without it.
    if (pairs_.empty()) return false;
    pairs_.clear();
    if (!search(direction())) return false;
  }
  Pair pair{next_ - w_, next_gradient_ - gradient_, 0};
  pair.product = inner(pair.moved, pair.turned);
  if (pair.product > 0) pairs_.push_back(std::move(pair));
  if (pairs_.size() > kMemory) pairs_.pop_front();
  std::swap(w_, next_);
  std::swap(gradient_, next_gradient_);
  value_ = next_value_;
  return true;
}

}  // namespace gtvmin
