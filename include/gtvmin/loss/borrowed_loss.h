#pragma once

#include "gtvmin/loss/local_loss.h"

namespace gtvmin {

/// A loss that somebody else owns, for a second problem over the same data. The owner must outlive it.
[[nodiscard]] LossPtr borrowed_loss(const LocalLoss& owned);

}  // namespace gtvmin
