#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"
#include "gtvmin/problem/dataset.h"
#include "gtvmin/problem/model.h"

namespace gtvmin {

/// One sale of the Sacramento dataset.
struct House {
  double beds = 0;
  double baths = 0;
  double sqft = 0;
  double price = 0;
  double latitude = 0;
  double longitude = 0;
  std::string city = {};  ///< empty if the file does not say
};

/// Reads the columns beds, baths, sqft, price, latitude, longitude and, if it is there, city, wherever they stand.
/// Fails with "file:line: what is wrong".
[[nodiscard]] Result<std::vector<House>> parse_houses(const std::string& name, std::string_view content);

/// Every house is a node with one sale, joined to its nearest neighbours; some houses stay in the graph as nodes
/// without data, and their prices are to be predicted.
struct HousingProblem {
  /// All nodes, all edges, the sales of the known houses. Features and price have mean 0 and standard deviation 1 over
  /// the known houses.
  Dataset known;
  /// The same nodes, the sales of the withheld houses, in the same units.
  Dataset withheld;
  /// 2 × nodes, metres on a plane that touches the earth at the middle of the houses.
  Matrix places;
};

/// Withholds `withheld` of the houses, at random but the same for the same seed. Edges to the `neighbours` nearest
/// houses have the inverse distance as weight, scaled to mean 1; distances below 25 m count as 25 m, since some houses
/// stand in the same place. Needs more houses than are withheld, and at least two known ones.
[[nodiscard]] HousingProblem make_housing_problem(const std::vector<House>& houses, std::int64_t withheld,
                                                  std::int64_t neighbours, std::uint64_t seed);

/// Mean squared errors on the withheld houses of what one would try first.
struct HousingBaselines {
  double mean_price = 0;
  double pooled_linear = 0;
  double nearest_sales = 0;  ///< the mean price of the nearest known sales
};
[[nodiscard]] HousingBaselines housing_baselines(const HousingProblem& problem, std::int64_t neighbours);

/// Mean squared error when each withheld house is predicted with the parameters of its node. The columns of w belong
/// to the nodes `names`, which are those of `withheld` in any order.
[[nodiscard]] double housing_error(const LocalModel& model, ConstMatrixRef w, const std::vector<std::string>& names,
                                   const Dataset& withheld);

/// A pair of parameters and its cross-validated error.
struct HousingCandidate {
  double lambda = 0;
  double ridge = 0;
  double error = 0;
};

/// Gives w (coordinates × nodes) for a dataset, a ridge and a λ.
using HousingTrainer = std::function<Result<Matrix>(const Dataset&, double ridge, double lambda)>;

/// Fills in the errors of `candidates` by cross-validation among the known houses: each fold in turn becomes nodes
/// without data. The withheld houses play no part. Folds are random but the same for the same seed.
[[nodiscard]] Result<std::vector<HousingCandidate>> cross_validate_housing(const Dataset& known,
                                                                           std::vector<HousingCandidate> candidates,
                                                                           const LocalModel& model, int folds,
                                                                           std::uint64_t seed,
                                                                           const HousingTrainer& train);

}  // namespace gtvmin
