#include "local_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "gtvmin/io/text_file.h"
#include "module_library.h"
#include "nets_library.h"

namespace gtvmin::app {
const std::vector<std::string>& local_model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list = model_names();
    list.insert(list.end(), torch_model_names().begin(), torch_model_names().end());
    return list;
  }();
  return names;
}

bool is_neural_net(std::string_view model) {
  const auto& nets = torch_model_names();
  return std::find(nets.begin(), nets.end(), model) != nets.end();
}

LabelDomain local_label_domain(const ModelSpec& model, const TorchSpec& net) {
  return is_neural_net(model.name) ? torch_label_domain(model.name, net.module_loss) : label_domain(model.name);
}

Status check_available([[maybe_unused]] std::string_view model) {
#ifndef GTVMIN_NETS_LIBRARY
  if (is_neural_net(model)) {
    return usage_error(fmt::format(
        "--model {}: this gtvmin was built without libtorch; install libtorch-dev (cmake/packages/torch.txt) and build "
        "it again",
        model));
  }
#endif
  return Unit{};
}

Result<ModelPtr> make_local_model(const ModelSpec& model, const TorchSpec& net, const ModelShape& shape) {
  if (!is_neural_net(model.name)) return make_model(model, shape);
  if (const Status available = check_available(model.name); !available) return available.error();
#ifdef GTVMIN_NETS_LIBRARY
  const Result<void*> make = load_symbol(GTVMIN_NETS_LIBRARY, kMakeTorchModel, "neural nets");
  if (!make) return make.error();
  Result<ModelPtr> made = ModelPtr();
  reinterpret_cast<MakeTorchModel> (*make)(model, net, shape, made);
  return made;
#else
  static_cast<void>(net);
  return ModelPtr();
#endif
}

const std::vector<std::pair<std::string, Optimizer>>& optimizers() {
  static const std::vector<std::pair<std::string, Optimizer>> names = {{"lbfgs", Optimizer::kLbfgs},
                                                                       {"sgd", Optimizer::kSgd},
                                                                       {"adam", Optimizer::kAdam},
                                                                       {"rmsprop", Optimizer::kRmsprop}};
  return names;
}

const std::vector<std::pair<std::string, ModuleLoss>>& module_losses() {
  static const std::vector<std::pair<std::string, ModuleLoss>> names = {
      {"cross-entropy", ModuleLoss::kCrossEntropy},
      {"binary-cross-entropy", ModuleLoss::kBinaryCrossEntropy},
      {"mse", ModuleLoss::kMse},
      {"l1", ModuleLoss::kL1},
      {"huber", ModuleLoss::kHuber},
      {"poisson", ModuleLoss::kPoisson}};
  return names;
}

Result<std::vector<Index>> parse_hidden(const std::vector<std::string>& entries) {
  constexpr Index kMostUnits = 1'000'000;
  std::vector<Index> units;
  for (const std::string& entry : entries) {
    Index count = 0;
    const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), count);
    if (error != std::errc{} || end != entry.data() + entry.size() || count < 1 || count > kMostUnits) {
      return usage_error(fmt::format("--hidden: '{}' is not a whole number from 1 to {}", entry, kMostUnits));
    }
    units.push_back(count);
  }
  return units;
}

Status add_module_file(const TorchSpec& net, NamedFiles& files) {
  if (net.module.empty()) return Unit{};
  const Result<TextFile> module = TextFile::open(net.module);
  if (!module) return module.error();
  files.emplace_back(kModuleFile, module->content());
  return Unit{};
}

}  // namespace gtvmin::app
