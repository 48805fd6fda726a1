// The structure of a parameter file, and every point of it: no input may crash, hang, or allocate by a count
// it claims. A file that is accepted must be laid out gaplessly.

#include <vector>

#include "cuzk/groth16/params_file.h"
#include "cuzk/groth16/point_codec.h"

using namespace cuzk;
using namespace cuzk::groth16;

namespace {

template <class F>
void decode_section(ByteSpan bytes, const ParamsSection& section) {
  std::vector<Affine<F>> points(section.count);
  const ByteSpan encoded = bytes.subspan(section.offset, section.bytes());
  if (decode_points(encoded, std::span(points))) return;
  std::vector<std::uint8_t> again(encoded.size());
  encode_points(std::span<const Affine<F>>(points), std::span(again));
  CUZK_CHECK(std::equal(again.begin(), again.end(), encoded.begin()));
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
  return 0;
}
