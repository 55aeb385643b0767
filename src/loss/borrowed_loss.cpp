#include "gtvmin/loss/borrowed_loss.h"

namespace gtvmin {
namespace {

/// Every virtual function of LocalLoss, passed on.
class BorrowedLoss final : public LocalLoss {
 public:
  explicit BorrowedLoss(const LocalLoss& owned) : owned_(owned) {}

  [[nodiscard]] Index dimension() const override { return owned_.dimension(); }
  [[nodiscard]] double value(ConstVectorRef w) const override { return owned_.value(w); }
  void gradient(ConstVectorRef w, VectorRef g) const override { owned_.gradient(w, g); }
  [[nodiscard]] bool is_convex() const override { return owned_.is_convex(); }
  [[nodiscard]] bool is_smooth() const override { return owned_.is_smooth(); }
  void start(VectorRef w) const override { owned_.start(w); }
  void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const override {
    owned_.prox(v, rho, tolerance, z, scratch);
  }
  [[nodiscard]] Index scratch_size() const override { return owned_.scratch_size(); }
  [[nodiscard]] double lower_bound() const override { return owned_.lower_bound(); }
  [[nodiscard]] bool has_hessian() const override { return owned_.has_hessian(); }
  [[nodiscard]] bool bounds_hessian_steps() const override { return owned_.bounds_hessian_steps(); }
  [[nodiscard]] bool hessian_is_constant() const override { return owned_.hessian_is_constant(); }
  void add_hessian(ConstVectorRef w, MatrixRef hessian) const override { owned_.add_hessian(w, hessian); }
  void apply_hessian(ConstVectorRef w, ConstVectorRef p, VectorRef out) const override {
    owned_.apply_hessian(w, p, out);
  }
  void solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const override {
    owned_.solve_hessian(w, r, out);
  }
  [[nodiscard]] double fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const override {
    return owned_.fenchel_young_bound(w, p, theta);
  }
  [[nodiscard]] const QuadraticForm* quadratic_form() const override { return owned_.quadratic_form(); }
  [[nodiscard]] const SampleForm* sample_form() const override { return owned_.sample_form(); }
  [[nodiscard]] bool is_trivial() const override { return owned_.is_trivial(); }
  [[nodiscard]] Index parameters() const override { return owned_.parameters(); }
  void complete(ConstVectorRef w, VectorRef all) const override { owned_.complete(w, all); }
  [[nodiscard]] std::string warning() const override { return owned_.warning(); }

 private:
  const LocalLoss& owned_;
};

}  // namespace

LossPtr borrowed_loss(const LocalLoss& owned) { return std::make_unique<BorrowedLoss>(owned); }

}  // namespace gtvmin
