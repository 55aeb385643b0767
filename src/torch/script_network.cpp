#include <fmt/format.h>
#include <torch/csrc/jit/python/update_graph_executor_opt.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/script.h>

#include <exception>
#include <filesystem>
#include <utility>

#include "network.h"
#include "torch_errors.h"

namespace gtvmin {
namespace {

using torch::jit::Module;

/// A place in a module where a parameter stands. Tied parameters stand in several.
struct Slot {
  std::size_t owner;  // position among the module and its submodules
  std::string name;
  std::size_t tensor;  // position in the list of parameter tensors
};

struct Parameters {
  std::vector<ParameterTensor> tensors;
  std::vector<at::Tensor> values;
  std::vector<Slot> slots;
};

/// The parameters that a module trains, in its own order, each once.
Parameters parameters_of(const Module& module) {
  Parameters found;
  std::size_t position = 0;
  for (const auto& owner : module.named_modules()) {
    for (const auto& parameter : owner.value.named_parameters(/*recurse=*/false)) {
      if (!parameter.value.requires_grad()) continue;
      std::size_t k = 0;
      while (k < found.values.size() && !found.values[k].is_same(parameter.value)) ++k;
      if (k == found.values.size()) {
        const std::string prefix = owner.name.empty() ? "" : owner.name + ".";
        found.tensors.push_back({prefix + parameter.name, parameter.value.sizes().vec()});
        found.values.push_back(parameter.value);
      }
      found.slots.push_back({position, parameter.name, k});
    }
    ++position;
  }
  return found;
}

/// A TorchScript module as a function of its parameters: before every call these are put into its slots.
class ScriptNetwork final : public Network {
 public:
  ScriptNetwork(Module module, std::vector<ParameterTensor> tensors, std::vector<Slot> slots)
      : module_(std::move(module)), tensors_(std::move(tensors)), slots_(std::move(slots)) {
    for (const auto& owner : module_.named_modules()) owners_.push_back(owner.value);
  }

  at::Tensor outputs(const at::Tensor& theta, const at::Tensor& inputs) override {
    // Without specialisation to what has been seen: results must not depend on which thread came first.
    const torch::jit::GraphOptimizerEnabledGuard plain(false);
    const std::vector<at::Tensor> parts = cut(theta, tensors_);
    for (const Slot& slot : slots_) owners_[slot.owner].setattr(slot.name, parts[slot.tensor]);
    const c10::IValue result = module_.forward({inputs});
    TORCH_CHECK(result.isTensor(), "its forward does not return a tensor");
    return result.toTensor();
  }
  [[nodiscard]] std::unique_ptr<Network> clone() const override {
    const at::NoGradGuard copies_only;
    return std::make_unique<ScriptNetwork>(module_.deepcopy(), tensors_, slots_);
  }

 private:
  Module module_;
  std::vector<ParameterTensor> tensors_;
  std::vector<Slot> slots_;
  std::vector<Module> owners_;
};

Error cannot(const TorchSpec& net, const std::string& what) {
  return bad_input(fmt::format("{}: {}", net.module, what));
}

Result<Module> load(const TorchSpec& net) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(net.module, ignored)) return cannot(net, "there is no such file");
  try {
    Module module = torch::jit::load(net.module, at::kCPU);
    module.eval();
    return module;
  } catch (const std::exception& error) {
    return cannot(net, "not a TorchScript module (torch.jit.script(net).save(…)): " + first_line(error));
  }
}

}  // namespace

Result<NetworkPlan> plan_module(const ModelSpec& model, const TorchSpec& net, const ModelShape& shape) {
  if (model.intercept) return usage_error("a module has the biases it was saved with; leave the intercept out");
  if (shape.features.empty()) return bad_input("there are no features");
  if (net.module.empty()) return usage_error("the model torchscript needs a module, e.g. --module net.pt");
  Result<Module> module = load(net);
  if (!module) return module.error();
  const Parameters parameters = parameters_of(*module);
  if (parameters.values.empty()) return cannot(net, "the module has no parameters that require a gradient");
  std::vector<at::Tensor> flat;
  for (std::size_t k = 0; k < parameters.values.size(); ++k) {
    const at::Tensor& value = parameters.values[k];
    const bool known = value.scalar_type() == at::kFloat || value.scalar_type() == at::kDouble;
    if (!known || value.scalar_type() != parameters.values.front().scalar_type()) {
      return cannot(net, fmt::format("parameter {} has the type {}; all must be float32 or all float64",
                                     parameters.tensors[k].name, toString(value.scalar_type())));
    }
    flat.push_back(value.detach().reshape({-1}));
  }
  at::Tensor start = at::cat(flat).clone();
  if (!at::isfinite(start).all().item<bool>()) return cannot(net, "not all of its parameters are finite");
  return NetworkPlan{std::make_shared<ScriptNetwork>(*std::move(module), parameters.tensors, parameters.slots),
                     parameters.tensors, std::move(start)};
}

}  // namespace gtvmin
