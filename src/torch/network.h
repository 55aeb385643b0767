#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/torch/torch_model.h"

namespace gtvmin {

/// A function of parameters and samples as libtorch computes it. One thread at a time.
class Network {
 public:
  Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  virtual ~Network() = default;

  /// Outputs, one row per sample, for inputs samples × features. `theta` has all parameters one after the other; what
  /// comes out can be differentiated by it. May throw what libtorch throws.
  virtual at::Tensor outputs(const at::Tensor& theta, const at::Tensor& inputs) = 0;
  [[nodiscard]] virtual std::unique_ptr<Network> clone() const = 0;
};

/// One of the tensors of which a network's parameters consist.
struct ParameterTensor {
  std::string name;
  std::vector<std::int64_t> shape;

  [[nodiscard]] std::int64_t size() const;
  /// A weight, in contrast to a bias: what a ridge term holds small.
  [[nodiscard]] bool is_weight() const { return shape.size() >= 2; }
};

/// A network, the parameters it has and where they start.
struct NetworkPlan {
  std::shared_ptr<const Network> network;
  std::vector<ParameterTensor> tensors;
  at::Tensor start;  ///< all parameters, in the precision in which the network computes
};

/// Cuts θ into its tensors. The derivative of all of them together is a single concatenation.
[[nodiscard]] std::vector<at::Tensor> cut(const at::Tensor& theta, const std::vector<ParameterTensor>& tensors);

// One line per kind of network.
[[nodiscard]] Result<NetworkPlan> plan_mlp(const ModelSpec& model, const TorchSpec& net, const ModelShape& shape);
[[nodiscard]] Result<NetworkPlan> plan_module(const ModelSpec& model, const TorchSpec& net, const ModelShape& shape);

}  // namespace gtvmin
