#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace gtvmin {

/// A sum of doubles whose result does not depend on the order of the summands nor on how they were grouped: every
/// shard, thread count and partition gets the same bits. Fixed point over the whole exponent range, 32 bits a limb.
class ExactSum {
 public:
  /// x must be finite; a non-finite summand makes the sum NaN.
  void add(double x);
  void add(const ExactSum& other);
  [[nodiscard]] double value() const;
  /// The sum to 64 bits.
  [[nodiscard]] long double extended_value() const;

  // Exponents −1074 … 1023 and 53 bits of mantissa need 2098 bits; the rest is room for carries.
  static constexpr int kLimbs = 68;
  using Limbs = std::array<std::int64_t, kLimbs>;
  /// The one representation that each sum has: all limbs but the highest in [0, 2^32). All bits set for a sum that is
  /// NaN.
  [[nodiscard]] Limbs limbs() const;
  /// The sum that has these limbs; nothing for numbers that no sum has.
  [[nodiscard]] static std::optional<ExactSum> from_limbs(const Limbs& limbs);

 private:
  void carry();

  Limbs limbs_{};
  std::int64_t pending_ = 0;  // additions since the last carry; each adds less than 2^32 to a limb
  bool invalid_ = false;
};

}  // namespace gtvmin
