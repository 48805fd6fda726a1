#include "cuzk/groth16/params_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace cuzk::groth16 {
namespace {

constexpr std::uint64_t kCountBytes = 4;

std::string text(std::uint64_t v) {
  return std::to_string(v);
}

/// What the structure is read from.
struct Source {
  std::uint64_t size;
  const ReadAt& read;
  const std::string& name;
};

/// Reads the count at `offset` and places the vector behind it.
Result<ParamsSection> read_section(const Source& source, const char* field, std::uint64_t offset,
                                   std::uint64_t point_bytes) {
  const std::uint64_t size = source.size;
  const std::string& name = source.name;
  if (offset > size || size - offset < kCountBytes)
    return bad_params(name + ": truncated at " + text(size) + " bytes: the count of " + field +
                      " belongs at offset " + text(offset));
  std::array<std::uint8_t, kCountBytes> count{};
  CUZK_TRY(source.read(offset, count));
  const ParamsSection section{offset + kCountBytes, load_be32(count.data()), point_bytes};
  if (section.bytes() > size - section.offset)
    return bad_params(name + ": " + field + " has " + text(section.count) +
                      " points by its count at offset " + text(offset) + ", which would end at " +
                      text(section.end()) + ", beyond the file's " + text(size) + " bytes");
  return section;
}

/// A file that has become shorter is a fault of the parameters, not of the system.
Result<void> read_params(const PositionedFile& file, std::uint64_t offset, std::span<std::uint8_t> out) {
  auto read = file.read(offset, out);
  if (!read && read.error().code == ErrorCode::kBadInput) return bad_params(read.error().message);
  return read;
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
  return read(
      bytes.size(),
      [bytes](std::uint64_t offset, std::span<std::uint8_t> out) -> Result<void> {
        const ByteSpan range = bytes.subspan(offset, out.size());
        std::copy(range.begin(), range.end(), out.begin());
        return {};
      },
      name);
}

Result<ParamsLayout> ParamsLayout::read(std::uint64_t size, const ReadAt& read_at, const std::string& name) {
  const Source source{size, read_at, name};
  ParamsLayout layout;
  if (size < kVkFixedBytes)
    return bad_params(name + ": truncated at " + text(size) +
                      " bytes, inside the six fixed points of the verifying key (" + text(kVkFixedBytes) +
                      " bytes)");
  CUZK_TRY_ASSIGN(const ParamsSection ic, read_section(source, "ic", kVkFixedBytes, kG1Bytes));
  layout.n_ic = ic.count;
  CUZK_TRY_ASSIGN(layout.h, read_section(source, "h", ic.end(), kG1Bytes));
  CUZK_TRY_ASSIGN(layout.l, read_section(source, "l", layout.h.end(), kG1Bytes));
  CUZK_TRY_ASSIGN(layout.a, read_section(source, "a", layout.l.end(), kG1Bytes));
  CUZK_TRY_ASSIGN(layout.b_g1, read_section(source, "b_g1", layout.a.end(), kG1Bytes));
  CUZK_TRY_ASSIGN(layout.b_g2, read_section(source, "b_g2", layout.b_g1.end(), kG2Bytes));
  if (layout.file_bytes() != size)
    return bad_params(name + ": " + text(size - layout.file_bytes()) +
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
  ParamsFile self;
  self.path_ = path;
  CUZK_TRY_ASSIGN(self.file_, PositionedFile::open(path));
  CUZK_TRY(self.read_head(pool, self.file_->size()));
  return self;
}

Result<ParamsFile> ParamsFile::from_memory(ThreadPool& pool, ParamsImage image, const std::string& name) {
  ParamsFile self;
  self.path_ = name;
  self.image_ = std::move(image);
  CUZK_TRY(self.read_head(pool, self.image_.size));
  return self;
}

Result<void> ParamsFile::read_head(ThreadPool& pool, std::uint64_t size) {
  const auto read_at = [this](std::uint64_t offset, std::span<std::uint8_t> out) {
    return read(offset, out);
  };
  CUZK_TRY_ASSIGN(layout_, ParamsLayout::read(size, read_at, path_));
  std::vector<std::uint8_t> prefix(vk_bytes(layout_.n_ic));
  CUZK_TRY(read(0, prefix));
  CUZK_TRY_ASSIGN(vk_, parse_verifying_key_prefix(pool, prefix, path_));
  // The count of ic was read twice; between, the file may have been written to.
  if (vk_.ic.size() != layout_.n_ic) return bad_params(path_ + ": the count of ic changed while it was read");
  return {};
}

Result<void> ParamsFile::read(std::uint64_t offset, std::span<std::uint8_t> out) const {
  if (file_) return read_params(*file_, offset, out);
  CUZK_CHECK(offset <= image_.size && out.size() <= image_.size - offset);
  std::memcpy(out.data(), image_.bytes.get() + offset, out.size());
  return {};
}

}  // namespace cuzk::groth16
