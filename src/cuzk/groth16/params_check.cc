#include <atomic>

#include "cuzk/groth16/internal/section_check.h"
#include "cuzk/groth16/params_file.h"

namespace cuzk::groth16 {

Result<void> check_points(ThreadPool& pool, const ParamsFile& file,
                          const std::function<void(std::uint64_t)>& progress) {
  const ParamsLayout& layout = file.layout();
  std::atomic<std::uint64_t> total{0};
  const auto advance = [&](std::uint64_t bytes) {
    const std::uint64_t done = total.fetch_add(bytes) + bytes;
    if (progress) progress(done);
  };
  const auto ignore = [](std::size_t, auto) {};
  CUZK_TRY(check_section<Fp>(pool, file, layout.h, "h", true, advance, {}, ignore));
  CUZK_TRY(check_section<Fp>(pool, file, layout.l, "l", true, advance, {}, ignore));
  CUZK_TRY(check_section<Fp>(pool, file, layout.a, "a", true, advance, {}, ignore));
  CUZK_TRY(check_section<Fp>(pool, file, layout.b_g1, "b_g1", true, advance, {}, ignore));
  return check_section<Fp2>(pool, file, layout.b_g2, "b_g2", true, advance, {}, ignore);
}

}  // namespace cuzk::groth16
