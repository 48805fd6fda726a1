#include "cuzk/field/internal/scalar_kernels.h"

namespace cuzk::internal {
namespace {

/// The definitions, not the operators: those choose the host's assembly.
struct PortableMul {
  template <class F>
  static F mul(const F& a, const F& b) {
    return F::mul_plain(a, b);
  }
  template <class F>
  static F square(const F& a) {
    return F::mul_plain(a, a);
  }
  template <class F>
  static F add(const F& a, const F& b) {
    return F::add_plain(a, b);
  }
  template <class F>
  static F sub(const F& a, const F& b) {
    return F::sub_plain(a, b);
  }
};

/// Every value reduced.
struct PortableStep {
  static constexpr std::size_t kFactorWords = Fr::kLimbs;
  static void prepare_factor(const Fr& w, std::uint64_t* out) { put(out, w); }
  static Fr get(const std::uint64_t* x) { return Fr{{x[0], x[1], x[2], x[3]}}; }
  static void put(std::uint64_t* x, const Fr& v) {
    for (std::size_t i = 0; i < Fr::kLimbs; ++i) x[i] = v.limb[i];
  }
  static void combine(std::uint64_t* x, std::uint64_t* y, const Fr& t) {
    const Fr u = get(x);
    put(x, Fr::add_plain(u, t));
    put(y, Fr::sub_plain(u, t));
  }
  static void cross(std::uint64_t* x, std::uint64_t* y) { combine(x, y, get(y)); }
  static void butterfly(std::uint64_t* x, std::uint64_t* y, const std::uint64_t* w) {
    combine(x, y, mul(get(y), w));
  }
  static void scale(std::uint64_t* x, const std::uint64_t* w) { put(x, mul(get(x), w)); }
  static void scale_by(std::uint64_t* x, const Fr& k) { put(x, mul(get(x), k.limb)); }
  static Fr mul(const Fr& k, const std::uint64_t* w) { return Fr::mul_plain(k, get(w)); }
  static Fr finish(const std::uint64_t* x) { return get(x); }
};

}  // namespace

const FrKernels kFrPortable = ScalarKernels<Fr, PortableMul>::kTable;
const FpKernels kFpPortable = ScalarKernels<Fp, PortableMul>::kTable;
const NttKernels kNttPortable = ScalarNtt<PortableStep>::kTable;

}  // namespace cuzk::internal
