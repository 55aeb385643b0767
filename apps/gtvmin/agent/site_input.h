#pragma once

#include <string>

#include "../federation/federation_settings.h"
#include "gtvmin/federation/federation.h"
#include "gtvmin/problem/model.h"

namespace gtvmin::app {

/// What one site knows: the whole graph, and the samples of its own nodes.
struct SiteInput {
  Dataset dataset;  ///< all nodes of the federation, in its order; those of other sites have no samples
  ModelPtr model;
  Problem problem;
  Dataset own_dataset;  ///< the site's own nodes and the edges between them …
  Problem own_problem;  ///< … for its results
};

/// The problem of a dataset by the settings of a federation.
[[nodiscard]] Result<Problem> site_problem(const Dataset& dataset, const LocalModel& model,
                                           const FederationSettings& settings);

/// Reads the samples of a site. A sample of another site's node is refused.
[[nodiscard]] Result<SiteInput> read_site_input(const Federation& federation, SiteId site,
                                                const FederationSettings& settings, const std::string& data);

}  // namespace gtvmin::app
