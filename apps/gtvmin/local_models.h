#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/io/result_directory.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/torch/torch_model.h"

namespace gtvmin::app {

/// The name under which a result directory keeps the module that it was trained with.
constexpr const char* kModuleFile = "module.pt";

/// The models that the command knows: those of the core, and neural nets. The one place that tells them apart.
[[nodiscard]] const std::vector<std::string>& local_model_names();
[[nodiscard]] bool is_neural_net(std::string_view model);
[[nodiscard]] LabelDomain local_label_domain(const ModelSpec& model, const TorchSpec& net);

/// Fails if the model is a neural net and this build has none.
[[nodiscard]] Status check_available(std::string_view model);

/// Neural nets stand in a library of their own, which is loaded here: libtorch takes a second to start, which nobody
/// should wait for who has no use for it.
[[nodiscard]] Result<ModelPtr> make_local_model(const ModelSpec& model, const TorchSpec& net, const ModelShape& shape);

/// Adds the module of a net, if it has one, to the files of a result directory.
[[nodiscard]] Status add_module_file(const TorchSpec& net, NamedFiles& files);

/// What the options say about neural nets, by names.
[[nodiscard]] const std::vector<std::pair<std::string, Optimizer>>& optimizers();
[[nodiscard]] const std::vector<std::pair<std::string, ModuleLoss>>& module_losses();
/// 16 or 64,16: the units of hidden layers.
[[nodiscard]] Result<std::vector<Index>> parse_hidden(const std::vector<std::string>& entries);

}  // namespace gtvmin::app
