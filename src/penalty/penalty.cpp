#include "gtvmin/penalty/penalty.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Eigenvalues>

namespace gtvmin {

Result<QuadraticPenalty> QuadraticPenalty::make(const Matrix& q) {
  if (q.rows() == 0 || q.rows() != q.cols()) {
    return bad_input(fmt::format("the penalty matrix Q must be square, this one is {} × {}", q.rows(), q.cols()));
  }
  const double scale = q.cwiseAbs().maxCoeff();
  if (!q.allFinite()) return bad_input("the penalty matrix Q has an entry that is not a finite number");
  if ((q - q.transpose()).cwiseAbs().maxCoeff() > 1e-12 * scale) {
    return bad_input("the penalty matrix Q is not symmetric");
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(q);
  EigenForm form{solver.eigenvalues(), solver.eigenvectors()};
  if (form.eigenvalues[0] < -1e-12 * scale) {
    return bad_input(fmt::format("the penalty matrix Q is not positive semidefinite: it has the eigenvalue {:.3g}",
                                 form.eigenvalues[0]));
  }
  for (auto& value : form.eigenvalues) {
    if (value < 1e-12 * scale) value = 0;
  }
  return QuadraticPenalty(std::move(form));
}

const std::vector<std::string>& penalty_names() {
  static const std::vector<std::string> names = {"l2", "l1", "squared_l2", "quadratic", "linf"};
  return names;
}

Result<Penalty> make_penalty(std::string_view name, const Matrix& q) {
  if (name == "l2") return Penalty(L2Penalty{});
  if (name == "l1") return Penalty(L1Penalty{});
  if (name == "linf") return Penalty(LinfPenalty{});
  if (name == "squared_l2") return Penalty(SquaredL2Penalty{});
  if (name == "quadratic") {
    auto penalty = QuadraticPenalty::make(q);
    if (!penalty) return penalty.error();
    return Penalty(*std::move(penalty));
  }
  return usage_error(fmt::format("unknown penalty '{}'; there are {}", name, fmt::join(penalty_names(), ", ")));
}

std::string penalty_name(const Penalty& penalty) {
  struct Name {
    std::string operator()(const L2Penalty&) const { return "l2"; }
    std::string operator()(const L1Penalty&) const { return "l1"; }
    std::string operator()(const LinfPenalty&) const { return "linf"; }
    std::string operator()(const SquaredL2Penalty&) const { return "squared_l2"; }
    std::string operator()(const QuadraticPenalty&) const { return "quadratic"; }
    std::string operator()(const CustomPenalty& custom) const { return custom.name(); }
  };
  return std::visit(Name{}, penalty);
}

bool is_norm(const Penalty& penalty) {
  return std::visit([](const auto& p) { return std::decay_t<decltype(p)>::kIsNorm; }, penalty);
}

double quadratic_modulus(const Penalty& penalty) {
  if (std::holds_alternative<SquaredL2Penalty>(penalty)) return 1;
  if (const auto* quadratic = std::get_if<QuadraticPenalty>(&penalty)) return quadratic->least_eigenvalue();
  return 0;
}

}  // namespace gtvmin
