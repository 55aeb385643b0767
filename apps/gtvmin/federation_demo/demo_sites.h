#pragma once

#include <string>
#include <vector>

#include "gtvmin/demo/sacramento.h"
#include "gtvmin/federation/federation.h"

namespace gtvmin::app {

/// A federation of house sales: the cities with the most sales, and one site for all the others.
struct DemoSites {
  Federation federation;          ///< without addresses
  std::vector<std::string> data;  ///< the data file of each site
  std::string all_data;           ///< one after another: what one process would read
  std::string edges;              ///< the edge file of one process
};

/// `sites` of them, at least 2. Fails if there are fewer cities, or some site shares no edge with the others.
[[nodiscard]] Result<DemoSites> split_by_city(const std::vector<House>& houses, int sites, std::int64_t neighbours);

}  // namespace gtvmin::app
