#pragma once

#include <memory>

#include "gtvmin/loss/local_loss.h"

namespace gtvmin {

/// ρL(w) for a weight ρ > 0, with all that L knows about itself: quadratic losses stay quadratic, and sums over samples
/// stay sums over samples.
[[nodiscard]] LossPtr scaled_loss(std::shared_ptr<const LocalLoss> loss, double weight);

}  // namespace gtvmin
