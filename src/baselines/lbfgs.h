#pragma once

#include <deque>
#include <functional>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// L-BFGS (Nocedal 1980) with the weak Wolfe line search of Lewis and Overton (2013), which also serves functions with
/// kinks: it asks for descent and for a slope that has grown, never for one near 0.
class Lbfgs {
 public:
  /// The value at w, and in `gradient` a (sub)gradient; a value that is not finite means: outside the domain.
  using Function = std::function<double(const Matrix& w, Matrix& gradient)>;

  Lbfgs(Function function, Matrix start);

  /// One step. False if the line search has found none that descends: at a minimum, or at a kink that it cannot leave.
  [[nodiscard]] bool step();

  [[nodiscard]] const Matrix& w() const { return w_; }
  [[nodiscard]] double gradient_norm() const { return gradient_.norm(); }

 private:
  struct Pair {
    Matrix moved;
    Matrix turned;
    double product;  // ⟨moved, turned⟩ > 0
  };
  [[nodiscard]] Matrix direction() const;
  [[nodiscard]] bool search(const Matrix& direction);

  Function function_;
  Matrix w_;
  Matrix gradient_;
  double value_;
  Matrix next_;
  Matrix next_gradient_;
  double next_value_ = 0;
  std::deque<Pair> pairs_;
};

}  // namespace gtvmin
