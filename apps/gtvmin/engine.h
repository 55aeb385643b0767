#pragma once

#include <memory>
#include <string>

#include "gtvmin/base/result.h"
#include "gtvmin/runtime/cluster.h"

namespace gtvmin::app {

/// Where a run takes place.
enum class Engine {
  kSelf,  ///< in this process
  kMpi    ///< in the processes that mpirun has started
};

/// Usage error if this gtvmin was built without it.
[[nodiscard]] Status check_engine(Engine engine);

[[nodiscard]] Result<std::unique_ptr<Cluster>> join(Engine engine);

}  // namespace gtvmin::app
