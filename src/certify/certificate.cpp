#include "gtvmin/certify/certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gtvmin {

std::string_view to_string(Certificate::Kind kind) {
  switch (kind) {
    case Certificate::Kind::kGap:
      return "gap";
    case Certificate::Kind::kNoneCollinear:
      return "none-collinear";
    case Certificate::Kind::kNoneUnbounded:
      return "none-unbounded";
    case Certificate::Kind::kNoneUnknownLoss:
      return "none-unknown-loss";
    case Certificate::Kind::kNoneNonconvex:
      return "none-nonconvex";
    case Certificate::Kind::kNoneUnfinished:
      return "none-unfinished";
  }
  return "";
}

bool is_bound(const Certificate& certificate) {
  return certificate.kind == Certificate::Kind::kGap && std::isfinite(certificate.value);
}

double relative_gap(double value, double objective, double start_objective) {
  constexpr double kSmallOptimum = 1e-9;
  return value /
         std::max({std::abs(objective), kSmallOptimum * std::abs(start_objective), std::numeric_limits<double>::min()});
}

}  // namespace gtvmin
