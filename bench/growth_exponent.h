#pragma once

#include <cmath>
#include <vector>

namespace gtvmin::bench {

/// The slope of log y over log x by least squares.
inline double growth_exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double mean_x = 0;
  double mean_y = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    mean_x += std::log(x[k]) / static_cast<double>(x.size());
    mean_y += std::log(y[k]) / static_cast<double>(x.size());
  }
  double covariance = 0;
  double variance = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    covariance += (std::log(x[k]) - mean_x) * (std::log(y[k]) - mean_y);
    variance += (std::log(x[k]) - mean_x) * (std::log(x[k]) - mean_x);
  }
  return covariance / variance;
}

}  // namespace gtvmin::bench
