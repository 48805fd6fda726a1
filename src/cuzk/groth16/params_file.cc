#include "cuzk/groth16/params_file.h"

#include <algorithm>
#include <bit>

#include "cuzk/hash/blake2.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::groth16 {
namespace {

constexpr std::uint64_t kCountBytes = 4;

std::string text(std::uint64_t v) {
  return std::to_string(v);
}

/// Reads the count at `offset` and places the vector behind it. `least_after` bytes must still follow the
/// vector (the counts of the vectors after it).
Result<ParamsSection> read_section(ByteSpan bytes, const std::string& name, const char* field,
                                   std::uint64_t offset, std::uint64_t point_bytes) {
  const std::uint64_t size = bytes.size();
  if (offset > size || size - offset < kCountBytes)
    return bad_params(name + ": truncated at " + text(size) + " bytes: the count of " + field +
                      " belongs at offset " + text(offset));
  const ParamsSection section{offset + kCountBytes, load_be32(bytes.data() + offset), point_bytes};
  if (section.bytes() > size - section.offset)
    return bad_params(name + ": " + field + " has " + text(section.count) +
                      " points by its count at offset " + text(offset) + ", which would end at " +
                      text(section.end()) + ", beyond the file's " + text(size) + " bytes");
  return section;
}

}  // namespace

ParamsLayout ParamsLayout::with_counts(std::uint64_t n_ic, std::uint64_t n_h, std::uint64_t n_l,
                                       std::uint64_t n_a, std::uint64_t n_b_g1, std::uint64_t n_b_g2) {
  ParamsLayout layout;
  layout.n_ic = n_ic;
  std::uint64_t offset = vk_bytes(n_ic);
  const auto place = [&offset](std::uint64_t count, std::uint64_t point_bytes) {
    const ParamsSection section{offset + kCountBytes, count, point_bytes};
    offset = section.end();
    return section;
  };
  layout.h = place(n_h, kG1Bytes);
  layout.l = place(n_l, kG1Bytes);
  layout.a = place(n_a, kG1Bytes);
  layout.b_g1 = place(n_b_g1, kG1Bytes);
  layout.b_g2 = place(n_b_g2, kG2Bytes);
  return layout;
}

Result<ParamsLayout> ParamsLayout::read(ByteSpan bytes, const std::string& name) {
  ParamsLayout layout;
  if (bytes.size() < kVkFixedBytes)
    return bad_params(name + ": truncated at " + text(bytes.size()) +
                      " bytes, inside the six fixed points of the verifying key (" + text(kVkFixedBytes) +
                      " bytes)");
  CUZK_TRY_ASSIGN(const ParamsSection ic, read_section(bytes, name, "ic", kVkFixedBytes, kG1Bytes));
  layout.n_ic = ic.count;
  CUZK_TRY_ASSIGN(layout.h, read_section(bytes, name, "h", ic.end(), kG1Bytes));
  CUZK_TRY_ASSIGN(layout.l, read_section(bytes, name, "l", layout.h.end(), kG1Bytes));
  CUZK_TRY_ASSIGN(layout.a, read_section(bytes, name, "a", layout.l.end(), kG1Bytes));
  CUZK_TRY_ASSIGN(layout.b_g1, read_section(bytes, name, "b_g1", layout.a.end(), kG1Bytes));
  CUZK_TRY_ASSIGN(layout.b_g2, read_section(bytes, name, "b_g2", layout.b_g1.end(), kG2Bytes));
  if (layout.file_bytes() != bytes.size())
    return bad_params(name + ": " + text(bytes.size() - layout.file_bytes()) +
                      " bytes follow b_g2, which ends at offset " + text(layout.file_bytes()));

  const auto at_count = [](const ParamsSection& s) {
    return " (count at offset " + text(s.offset - kCountBytes) + ")";
  };
  if (layout.n_ic == 0)
    return bad_params(name + ": ic is empty (count at offset " + text(kVkFixedBytes) +
                      "); it has a point for the constant ONE at least");
  if (layout.a.count < layout.n_ic)
    return bad_params(name + ": a has " + text(layout.a.count) + " points" + at_count(layout.a) +
                      ", fewer than the " + text(layout.n_ic) + " inputs of ic");
  if (!std::has_single_bit(layout.h.count + 1) || layout.h.count + 1 > std::uint64_t{1} << 31)
    return bad_params(name + ": h has " + text(layout.h.count) + " points" + at_count(layout.h) +
                      "; one more must be a power of two up to 2^31");
  if (layout.b_g1.count != layout.b_g2.count)
    return bad_params(name + ": b_g1 has " + text(layout.b_g1.count) + " points" + at_count(layout.b_g1) +
                      " but b_g2 has " + text(layout.b_g2.count) + at_count(layout.b_g2));
  return layout;
}

Result<ParamsFile> ParamsFile::open(ThreadPool& pool, const std::string& path) {
  CUZK_TRY_ASSIGN(MappedFile file, MappedFile::open(path));
  CUZK_TRY_ASSIGN(const ParamsLayout layout, ParamsLayout::read(file.bytes(), path));
  CUZK_TRY_ASSIGN(VerifyingKey vk, parse_verifying_key_prefix(pool, file.bytes(), path));
  return ParamsFile(std::move(file), layout, std::move(vk));
}

FileDigests digest_bytes(ThreadPool& pool, ByteSpan bytes,
                         const std::function<void(std::uint64_t)>& progress) {
  constexpr std::size_t kStep = std::size_t{1} << 24;
  FileDigests digests{};
  const auto feed = [&](auto& hash, bool reports) {
    for (std::size_t done = 0; done < bytes.size(); done += kStep) {
      const std::size_t n = std::min(kStep, bytes.size() - done);
      hash.update(bytes.subspan(done, n));
      if (reports && progress) progress(done + n);
    }
  };
  pool.parallel_for(2, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t which = begin; which < end; ++which) {
      if (which == 0) {
        Sha256 sha;
        feed(sha, false);
        digests.sha256 = sha.finish();
      } else {
        Blake2b blake;
        feed(blake, true);
        std::array<std::uint8_t, Blake2b::kMaxBytes> full;
        blake.finish(full);
        std::copy_n(full.begin(), digests.blake2b.size(), digests.blake2b.begin());
      }
    }
  });
  return digests;
}

}  // namespace cuzk::groth16
