#include "random_models.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "step_sizes.h"

namespace gtvmin {
namespace {

/// Where a tensor begins, by the names tensor[i,j] of its entries, and the number of parameters.
std::vector<Index> tensor_begins(const std::vector<std::string>& names) {
  const auto tensor = [](std::string_view name) { return name.substr(0, name.find('[')); };
  std::vector<Index> begins = {0};
  for (std::size_t p = 1; p < names.size(); ++p) {
    if (tensor(names[p]) != tensor(names[p - 1])) begins.push_back(static_cast<Index>(p));
  }
  begins.push_back(static_cast<Index>(names.size()));
  return begins;
}

}  // namespace

RandomModels::RandomModels(Clients& clients, const LocalModel* model)
    : start_(clients.start()),
      seed_(clients.options().seed),
      kind_(clients.options().start),
      convex_(is_convex(clients.problem())) {
  if (kind_ != ModelStart::kNormal) return;
  if (convex_) {
    deviation_ = median_reach(clients) / std::sqrt(static_cast<double>(start_.size()));
  } else if (model != nullptr) {
    tensor_begins_ = tensor_begins(model->parameter_names());
  } else {
    tensor_begins_ = {0, start_.size()};
  }
}

Matrix RandomModels::draw(int k, std::int64_t start) const {
  Matrix models = start_.replicate(1, k);
  if (kind_ == ModelStart::kZero) return models;
  for (Index j = 0; j < k; ++j) {
    Rng rng = random_numbers(seed_, Purpose::kModels, start, j);
    if (kind_ == ModelStart::kBernoulli) {
      for (double& entry : models.col(j)) entry += static_cast<double>(rng.below(2));
      continue;
    }
    for (Index p = 0; convex_ && p < start_.size(); ++p) models(p, j) += deviation_ * rng.normal();
    for (std::size_t t = 0; t + 1 < tensor_begins_.size(); ++t) {
      shuffle(models.col(j).segment(tensor_begins_[t], tensor_begins_[t + 1] - tensor_begins_[t]), rng);
    }
  }
  return models;
}

}  // namespace gtvmin
