// The structure of a parameter file, every point of it, and its loading as the key of a small circuit: no
// input may crash, hang, or allocate by a count it claims. A file that is accepted must be laid out
// gaplessly, and the key that it makes must hold the points that the file has.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cuzk/groth16/params_file.h"
#include "cuzk/groth16/point_codec.h"
#include "cuzk/groth16/proving_key_bases.h"
#include "cuzk/r1cs/shape_recorder.h"

using namespace cuzk;
using namespace cuzk::groth16;

namespace {

template <class F>
void decode_section(ByteSpan bytes, const ParamsSection& section) {
  std::vector<Affine<F>> points(section.count);
  const ByteSpan encoded = bytes.subspan(section.offset, section.bytes());
  if (decode_points(encoded, std::span(points), best_isa())) return;
  std::vector<std::uint8_t> again(encoded.size());
  encode_points(std::span<const Affine<F>>(points), std::span(again), best_isa());
  CUZK_CHECK(std::equal(again.begin(), again.end(), encoded.begin()));
}

/// x^3 + x + 5 and x^3 once more, as tests/data/groth16/toy/cubic has it, whose parameters are in the corpus.
/// One variable counts as boolean, so that every query has bases of both kinds.
std::shared_ptr<const Shape> cubic() {
  ShapeRecorder recorder;
  const Variable out = recorder.alloc_input(Fr::zero());
  const Variable x = recorder.alloc(Fr::zero());
  const Variable x2 = recorder.alloc_bit(false);
  const Variable x3 = recorder.alloc(Fr::zero());
  const Variable again = recorder.alloc(Fr::zero());
  const auto is = [](Variable v) { return [v](LinearCombination& lc) { lc.add(v); }; };
  recorder.enforce(is(x), is(x), is(x2));
  recorder.enforce(is(x2), is(x), is(x3));
  recorder.enforce([&](LinearCombination& lc) { lc.add(x3).add(x).add(Variable::one(), Fr::from_u64(5)); },
                   is(Variable::one()), is(out));
  recorder.enforce(is(x), is(x2), is(again));
  return std::make_shared<const Shape>(std::move(recorder).finish());
}

template <class F>
void check_query(const QueryBases<F>& query) {
  std::vector<Affine<F>> bits(query.bit_count());
  CUZK_CHECK(query.decode_bit_bases(best_isa(), 0, std::span(bits)).has_value());
  std::vector<Affine<F>> wide(query.wide_count());
  CUZK_CHECK(query.decode_wide_bases(best_isa(), 0, std::span(wide)).has_value());
  CUZK_CHECK(bits.size() + wide.size() == query.size());
  for (const Affine<F>& p : bits) CUZK_CHECK(!p.is_infinity());
  for (const Affine<F>& p : wide) CUZK_CHECK(!p.is_infinity());
}

void load(ByteSpan bytes) {
  static ThreadPool pool(1);
  static const std::shared_ptr<const Shape> shape = cubic();
  const int fd = ::memfd_create("params", MFD_CLOEXEC);
  CUZK_CHECK(fd >= 0 && ::write(fd, bytes.data(), bytes.size()) == static_cast<::ssize_t>(bytes.size()));
  const auto key = ProvingKey::load(pool, "/proc/self/fd/" + std::to_string(fd), shape);
  ::close(fd);
  if (!key) {
    CUZK_CHECK(key.error().code == ErrorCode::kParams && !key.error().message.empty());
    return;
  }
  const ProvingKeyBases& bases = ProvingKeyBases::of(**key);
  check_query(bases.l);
  check_query(bases.a);
  check_query(bases.b_g1);
  check_query(bases.b_g2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes(data, size);
  const auto layout = ParamsLayout::read(bytes, "input");
  if (!layout) {
    CUZK_CHECK(!layout.error().message.empty());
    return 0;
  }
  CUZK_CHECK(layout->file_bytes() == size);
  decode_section<Fp>(bytes, layout->h);
  decode_section<Fp>(bytes, layout->l);
  decode_section<Fp>(bytes, layout->a);
  decode_section<Fp>(bytes, layout->b_g1);
  decode_section<Fp2>(bytes, layout->b_g2);
  load(bytes);
  return 0;
}
