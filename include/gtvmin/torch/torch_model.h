#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/problem/model.h"

namespace gtvmin {

/// Who minimises a node's L(z) + (ρ/2)‖z − v‖².
enum class Optimizer { kSgd, kAdam, kRmsprop, kLbfgs };

/// What a TorchScript module's outputs o mean, and how they are compared with a label y.
enum class ModuleLoss {
  kCrossEntropy,        ///< o: a score per class; −log softmax(o)_y
  kBinaryCrossEntropy,  ///< o: the score of label 1; −log of the logistic function
  kMse,                 ///< (o − y)²
  kL1,                  ///< |o − y|
  kHuber,               ///< (o − y)² up to δ, 2δ|o − y| − δ² beyond; δ is ModelSpec::huber_delta
  kPoisson              ///< o: the logarithm of the rate; exp(o) − yo
};

/// What neural nets need to know besides a ModelSpec, of which they use name, mean, ridge, huber_delta and, for mlp,
/// intercept (every layer gets a bias).
struct TorchSpec {
  std::vector<Index> hidden = {16};                    ///< mlp: units of each hidden layer
  std::string module = {};                             ///< torchscript: the file that torch.jit.save wrote
  ModuleLoss module_loss = ModuleLoss::kCrossEntropy;  ///< torchscript
  Optimizer optimizer = Optimizer::kLbfgs;
  int steps = 20;            ///< of the optimizer, per primal update
  double learning_rate = 0;  ///< 0: default_learning_rate
  /// False: the optimizer starts at v and sees L alone, as in the experiments of the paper's authors, where the
  /// proximity term had no gradient. Neighbours then act through v only.
  bool proximal_term = true;
  std::uint64_t seed = 0;  ///< mlp: of the initial weights, the same at every node
};

/// The names of the models that this room knows: mlp and torchscript. These three need no libtorch.
[[nodiscard]] inline const std::vector<std::string>& torch_model_names() {
  static const std::vector<std::string> names = {"mlp", "torchscript"};
  return names;
}
[[nodiscard]] inline LabelDomain torch_label_domain(std::string_view model, ModuleLoss loss) {
  if (model == "mlp" || loss == ModuleLoss::kCrossEntropy) return LabelDomain::kClass;
  if (loss == ModuleLoss::kBinaryCrossEntropy) return LabelDomain::kBinary;
  return loss == ModuleLoss::kPoisson ? LabelDomain::kCount : LabelDomain::kReal;
}
[[nodiscard]] inline double default_learning_rate(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::kSgd:
      return 0.1;
    case Optimizer::kAdam:
    case Optimizer::kRmsprop:
      return 0.001;
    case Optimizer::kLbfgs:
      break;
  }
  return 1;
}

/// A neural net as local model. w are its parameters, tensor after tensor, row after row, named layer1.weight[3,17].
///
/// mlp: dense layers with ReLU between them and softmax cross-entropy. torchscript: any module that PyTorch has saved
/// as TorchScript, whose forward takes samples × features; parameters that do not require a gradient, and buffers, stay
/// as they are; the module runs in evaluation mode, so that nothing is random.
///
/// Losses are not convex. Their prox runs so many steps of the optimizer on L(z) + (ρ/2)‖z − v‖² from the better of the
/// warm start and v, and returns the best point it has seen. They compute in float (torchscript: in the module's own
/// precision). Private parameters are trained in the same steps, without proximity term, and kept inside the loss: they
/// begin anew with LocalLoss::start.
///
/// libtorch is told to use one thread; the threads of the solver work on different nodes.
///
/// Fails on an unknown name, on a file that is no module, and on a module that does not fit the data.
[[nodiscard]] Result<ModelPtr> make_torch_model(const ModelSpec& model, const TorchSpec& net, const ModelShape& shape);

}  // namespace gtvmin
