#pragma once

#include <string>
#include <vector>

#include "../solve_options.h"
#include "gtvmin/federation/federation.h"

namespace gtvmin::app {

/// What [solve] of a federation says: problem and solver, the same for every site.
struct FederationSettings {
  SolveSettings solve;
  /// The classes of the label, in order, where the model has classes: a site need not have samples of all.
  std::vector<std::string> classes;
};

/// The options that may stand in [solve]: those of `gtvmin solve`, and `classes`. `settings` must outlive the set.
[[nodiscard]] OptionSet declare_federation_settings(FederationSettings& settings);

/// Checks [solve] by the declarations of `gtvmin solve` and fills in what was not given. Options that need everybody's
/// data or make no sense between sites are refused by name. All problems are listed; `path` is the file in which the
/// federation stands. `settings.solve` lacks what belongs to one site: data, out, threads.
[[nodiscard]] Result<FederationSettings> federation_settings(const Federation& federation, const std::string& path);

/// The settings written out, defaults included, so that no later version of gtvmin reads them in another way.
[[nodiscard]] SetOptions complete_settings(FederationSettings settings);

}  // namespace gtvmin::app
