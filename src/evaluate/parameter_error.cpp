#include "gtvmin/evaluate/parameter_error.h"

#include <cassert>

namespace gtvmin {

ParameterError parameter_error(ConstMatrixRef learnt, ConstMatrixRef truth) {
  assert(learnt.rows() == truth.rows() && learnt.cols() == truth.cols() && learnt.size() > 0);
  ParameterError error;
  error.by_coordinate = (learnt - truth).cwiseAbs2().rowwise().sum() / static_cast<double>(truth.cols());
  error.mse = error.by_coordinate.sum();
  error.per_coordinate = error.mse / static_cast<double>(truth.rows());
  return error;
}

}  // namespace gtvmin
