#pragma once

#include <functional>
#include <memory>

#include "cuzk/cuda/context.h"
#include "cuzk/field/fr.h"

namespace cuzk::cuda {

/// Results do not depend on it.
struct NttOptions {
  /// Above 2^18, 128 bytes of tables an element more, which save a product an element of about 14 in a
  /// transform. No prover asks for them (docs/performance.md): at 2^27 17 GB save 8 ms of a launch.
  bool whole_tables = false;
  /// For measurements: threads of a block, 2^log_threads, 7 or 8; 0 chooses.
  unsigned log_threads = 0;
  /// Only the quotient and its steps, as a prover needs: without the tables of inverse() and forward(), which
  /// may not be called.
  bool quotient_only = false;
};

/// The transforms of one size on one device, with their tables in device memory. Arrays are 2^log_size
/// elements in device memory, in the memory form of Fr; reversed order means that position reverse_bits(i)
/// holds element i. Everything is asynchronous on the context's stream; errors of launches are returned,
/// errors of the work itself by the next Context::synchronize.
/// Threads: one at a time, the one that uses the context; log_size() may be called by any.
///
/// Memory of the tables without whole_tables: up to 101 MB up to 2^18, then 19 MB at 2^22, 50 at 2^24, 118 at
/// 2^26 and 202 at 2^27; with quotient_only up to 67, then 15, 38, 92 and 151.
class Ntt {
 public:
  static constexpr unsigned kMaxLogSize = 28;

  /// log_size <= kMaxLogSize (kUsage).
  static Result<std::unique_ptr<Ntt>> create(Context& context, unsigned log_size,
                                             const NttOptions& options = {});
  ~Ntt();

  /// Values on the domain (coset: on w2 * domain, w2 of order 2 n) to coefficients; natural to reversed
  /// order.
  Result<void> inverse(Fr* data, bool coset);
  /// Coefficients to values; reversed to natural order.
  Result<void> forward(Fr* data, bool coset);
  /// The quotient of ntt/quotient.h in six transforms. In: the values a and b. Out: in `a` the coefficients
  /// of h in reversed order, fully reduced; b and c are overwritten. Takes no memory beside the three arrays
  /// and the tables.
  Result<void> quotient(Fr* a, Fr* b, Fr* c);

  // The steps of the quotient, for callers that keep some of its arrays elsewhere; not below kLeastSteps.
  // What is const here is read once, front to back or in runs of 128 bytes and more, and may be page-locked
  // host memory.
  static constexpr unsigned kLeastSteps = 3;
  /// c: -1/2 times the coefficients of the polynomial with the values a o b (both reduced). c may be a.
  Result<void> product(const Fr* a, const Fr* b, Fr* c);
  /// Values on the domain to values on w2 * domain.
  Result<void> to_coset(Fr* data);
  /// data = factor o to_coset(data).
  Result<void> to_coset_times(Fr* data, const Fr* factor);
  /// From a o b on w2 * domain, and what product() left, to the coefficients of h, as quotient() leaves them.
  /// `before_c` is called before the only pass that reads c.
  Result<void> quotient_end(Fr* data, const Fr* c, const std::function<Result<void>()>& before_c = nullptr);

  [[nodiscard]] unsigned log_size() const;

 private:
  struct Impl;
  explicit Ntt(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk::cuda
