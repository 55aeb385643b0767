#include "network.h"

#include <functional>
#include <numeric>

namespace gtvmin {

std::int64_t ParameterTensor::size() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<at::Tensor> cut(const at::Tensor& theta, const std::vector<ParameterTensor>& tensors) {
  std::vector<std::int64_t> sizes;
  sizes.reserve(tensors.size());
  for (const ParameterTensor& tensor : tensors) sizes.push_back(tensor.size());
  std::vector<at::Tensor> parts = theta.split_with_sizes(sizes);
  for (std::size_t k = 0; k < parts.size(); ++k) parts[k] = parts[k].view(tensors[k].shape);
  return parts;
}

}  // namespace gtvmin
