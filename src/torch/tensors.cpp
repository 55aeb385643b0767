#include "tensors.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

namespace gtvmin {

void compute_alone() {
  static const bool blas_told = [] {
    // OpenBLAS, if that is what libtorch found, has threads of its own.
    using SetThreads = void (*)(int);
    void* const symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (symbol != nullptr) reinterpret_cast<SetThreads>(symbol)(1);
    return symbol != nullptr;
  }();
  static thread_local const bool torch_told = [] {
    at::set_num_threads(1);
    return true;
  }();
  static_cast<void>(blas_told);
  static_cast<void>(torch_told);
}

at::Tensor to_tensor(const double* numbers, Index count, at::ScalarType type) {
  const at::TensorOptions real = at::TensorOptions().dtype(at::kDouble);
  // from_blob has no read-only form; the copy below leaves the numbers alone.
  return at::from_blob(const_cast<double*>(numbers), {count}, real).to(type, /*non_blocking=*/false, /*copy=*/true);
}

at::Tensor to_rows(ConstMatrixRef samples, at::ScalarType type) {
  const Matrix contiguous = samples;
  return to_tensor(contiguous.data(), contiguous.size(), type).view({samples.cols(), samples.rows()});
}

void to_vector(const at::Tensor& tensor, VectorRef out) {
  const at::Tensor numbers = tensor.detach().to(at::kDouble).contiguous();
  out = Eigen::Map<const Vector>(numbers.data_ptr<double>(), numbers.numel());
}

Matrix to_matrix(const at::Tensor& tensor, Index rows) {
  const at::Tensor numbers = tensor.detach().to(at::kDouble).contiguous();
  return Eigen::Map<const Matrix>(numbers.data_ptr<double>(), rows, rows == 0 ? 0 : numbers.numel() / rows);
}

}  // namespace gtvmin
