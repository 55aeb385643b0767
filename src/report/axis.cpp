#include "axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gtvmin {
namespace {

constexpr double kMostTicks = 7;

/// The least of 1, 2, 5, 10, 20, … (times a power of ten) that is at least `step`.
double round_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1., 2., 5.}) {
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

Axis::Axis(double low, double high, bool logarithmic, double from, double to)
    : logarithmic_(logarithmic), low_(along(low)), high_(along(high)), from_(from), to_(to) {
  // Equal values get a range around them, wide enough for ticks with different labels.
  const double size = std::max(std::abs(low_), std::abs(high_));
  const double least = logarithmic ? 0.5 : size > 0 ? 1e-6 * size : 1e-6;
  const double equal = logarithmic || high_ - low_ > least ? least : size > 0 ? 0.1 * size : 1;
  const double padding = std::max(0.06 * (high_ - low_), equal);
  low_ -= padding;
  high_ += padding;
}

double Axis::along(double value) const { return logarithmic_ ? std::log10(value) : value; }

double Axis::position(double value) const { return from_ + (to_ - from_) * (along(value) - low_) / (high_ - low_); }

bool Axis::holds(double value) const {
  if (!std::isfinite(value) || (logarithmic_ && value <= 0)) return false;
  return along(value) >= low_ && along(value) <= high_;
}

std::vector<Axis::Tick> Axis::ticks() const {
  const double wanted = (high_ - low_) / kMostTicks;
  const double step = logarithmic_ ? std::max(1., std::ceil(wanted)) : round_step(wanted);
  // As many digits as tell neighbouring ticks apart, at least 6.
  const double size = std::max(std::abs(low_), std::abs(high_));
  const int digits = std::clamp(static_cast<int>(std::floor(std::log10(size / step))) + 2, 6, 15);
  std::vector<Tick> ticks;
  ticks.reserve(static_cast<std::size_t>(kMostTicks) + 1);
  for (double at = std::ceil(low_ / step); at * step <= high_; ++at) {
    const double value = at * step;
    ticks.push_back({logarithmic_ ? std::pow(10, value) : value,
                     logarithmic_ ? fmt::format("1e{:+03.0f}", value) : fmt::format("{:.{}g}", value + 0.0, digits)});
  }
  return ticks;
}

}  // namespace gtvmin
