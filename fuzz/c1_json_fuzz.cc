// The C1 JSON reader, both forms. First byte of the input: 0 the rest is the text itself; 1 edits to a valid
// plain text; 2 edits to a valid wrapper; 3 edits to the plain text, which then goes into a wrapper. What is
// accepted must write itself back and be read the same.
#include <cstdlib>

#include "cuzk/filecoin/porep/fabricate.h"
#include "cuzk/filecoin/porep/verify.h"
#include "edit_script.h"

using namespace cuzk;
using namespace cuzk::porep;

namespace {

struct Seed {
  std::string plain;
  std::string wrapper;
};

const Seed& seed() {
  static const Seed made = [] {
    ThreadPool pool(1);
    const auto c1 = fabricate_sector(pool, porep_config(*find_seal_proof(5)), SectorIdentity::reference());
    std::string plain = write_c1_json(*c1);
    std::string wrapper = write_c1_wrapper({7, 2048}, plain);
    return Seed{std::move(plain), std::move(wrapper)};
  }();
  return made;
}

void check(std::string_view text) {
  const auto document = parse_c1_json(byte_span(text));
  if (!document) {
    if (document.error().message.empty() || document.error().code != ErrorCode::kBadInput) std::abort();
    return;
  }
  const C1Output& c1 = document->output;
  const auto again = parse_c1_json(byte_span(write_c1_json(c1)));
  if (!again || !(again->output.vanilla == c1.vanilla) || again->output.seed != c1.seed) std::abort();
  static ThreadPool pool(1);
  (void)verify_vanilla(pool, c1).has_value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteSpan rest(data + 1, size - 1);
  switch (data[0]) {
    case 1:
    case 3: {
      std::string text = seed().plain;
      fuzz::apply_edits(text, rest);
      check(data[0] == 1 ? text : write_c1_wrapper({7, 2048}, text));
      break;
    }
    case 2: {
      std::string text = seed().wrapper;
      fuzz::apply_edits(text, rest);
      check(text);
      break;
    }
    default:
      check({reinterpret_cast<const char*>(rest.data()), rest.size()});
  }
  return 0;
}
