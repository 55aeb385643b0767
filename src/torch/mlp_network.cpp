#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "gtvmin/base/rng.h"
#include "network.h"

namespace gtvmin {
namespace {

constexpr std::size_t kMostClasses = 10'000;
constexpr double kMostParameters = 1e8;

/// Dense layers, ReLU between them; the outputs are scores.
class MlpNetwork final : public Network {
 public:
  MlpNetwork(std::vector<ParameterTensor> tensors, bool bias) : tensors_(std::move(tensors)), bias_(bias) {}

  at::Tensor outputs(const at::Tensor& theta, const at::Tensor& inputs) override {
    const std::vector<at::Tensor> parts = cut(theta, tensors_);
    const std::size_t stride = bias_ ? 2 : 1;
    at::Tensor values = inputs;
    for (std::size_t k = 0; k < parts.size(); k += stride) {
      if (k > 0) values = at::relu(values);
      values = bias_ ? at::linear(values, parts[k], parts[k + 1]) : at::linear(values, parts[k]);
    }
    return values;
  }
  [[nodiscard]] std::unique_ptr<Network> clone() const override {
    return std::make_unique<MlpNetwork>(tensors_, bias_);
  }

 private:
  std::vector<ParameterTensor> tensors_;
  bool bias_;
};

/// As PyTorch starts a dense layer: uniform within 1/√inputs, weights and biases. Bits do not depend on libtorch.
at::Tensor start_of(const std::vector<ParameterTensor>& tensors, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> numbers;
  double bound = 0;
  for (const ParameterTensor& tensor : tensors) {
    if (tensor.is_weight()) bound = 1 / std::sqrt(static_cast<double>(tensor.shape[1]));
    for (std::int64_t k = 0; k < tensor.size(); ++k) {
      numbers.push_back(static_cast<float>(bound * (2 * rng.uniform() - 1)));
    }
  }
  return at::tensor(numbers, at::kFloat);
}

}  // namespace

Result<NetworkPlan> plan_mlp(const ModelSpec& model, const TorchSpec& net, const ModelShape& shape) {
  if (shape.features.empty()) return bad_input("there are no features");
  if (shape.classes.size() > kMostClasses) {
    return bad_input(fmt::format("the labels name {} classes; at most {} are possible (are they numbers?)",
                                 shape.classes.size(), kMostClasses));
  }
  std::vector<ParameterTensor> tensors;
  auto inputs = static_cast<std::int64_t>(shape.features.size());
  std::vector<Index> widths = net.hidden;
  widths.push_back(static_cast<Index>(shape.classes.size()));
  double parameters = 0;
  for (std::size_t k = 0; k < widths.size(); ++k) {
    if (widths[k] < 1) return usage_error(fmt::format("a hidden layer has {} units; at least 1 is needed", widths[k]));
    tensors.push_back({fmt::format("layer{}.weight", k + 1), {widths[k], inputs}});
    if (model.intercept) tensors.push_back({fmt::format("layer{}.bias", k + 1), {widths[k]}});
    parameters += static_cast<double>(widths[k]) * static_cast<double>(inputs + 1);
    inputs = widths[k];
  }
  if (parameters > kMostParameters) {
    return bad_input(
        fmt::format("the net would have {:.3g} parameters; at most {:g} are possible", parameters, kMostParameters));
  }
  at::Tensor start = start_of(tensors, net.seed);
  return NetworkPlan{std::make_shared<MlpNetwork>(tensors, model.intercept), std::move(tensors), std::move(start)};
}

}  // namespace gtvmin
