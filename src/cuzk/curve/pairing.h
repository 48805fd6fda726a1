#pragma once

#include <array>
#include <span>

#include "cuzk/curve/point.h"
#include "cuzk/field/fp12.h"

namespace cuzk {

/// The reduced optimal ate pairing G1 x G2 -> GT of BLS12-381, e(P, Q) = f_{z,Q}(P)^(3 (p^12 - 1) / r).
///
/// The factor 3 in the exponent is that of the libraries the network uses. It does not matter for equations
/// between pairings, but it does where elements of GT are serialised or hashed. Arguments are expected in the
/// subgroups of order r; others give a meaningless value but nothing worse. All functions are pure and
/// thread-safe.

/// The lines of the Miller loop for one fixed Q, so that a point used in many pairings is walked once. 20 KB.
class G2Prepared {
 public:
  explicit G2Prepared(const G2Affine& q);

  /// The line is a + b x_P v + c y_P v w, up to a factor in Fp2 that the final exponentiation removes.
  struct Line {
    Fp2 a;
    Fp2 b;
    Fp2 c;
  };
  static constexpr std::size_t kLines = 68;  // 63 doublings and 5 additions of |z|

  [[nodiscard]] bool is_infinity() const { return infinity_; }
  [[nodiscard]] const std::array<Line, kLines>& lines() const { return lines_; }

 private:
  std::array<Line, kLines> lines_;
  bool infinity_;
};

/// One factor e(p, *q). `q` must outlive the call.
struct PairingInput {
  G1Affine p;
  const G2Prepared* q;
};

/// The product of the Miller loops of all inputs, with common squarings, before the final exponentiation. A
/// pair with infinity on either side contributes 1, and so does an empty span.
Fp12 multi_miller_loop(std::span<const PairingInput> inputs);

/// f^(3 (p^12 - 1) / r), the easy part (p^6 - 1)(p^2 + 1) first, then (z - 1)^2 (z + p)(z^2 + p^2 - 1) + 3
/// (D. Hayashida, K. Hayasaka, T. Teruya, eprint 2020/875). 0 stays 0.
Fp12 final_exponentiation(const Fp12& f);

/// One pairing.
Fp12 pairing(const G1Affine& p, const G2Affine& q);

}  // namespace cuzk
