#include "cuzk/groth16/verifying_key.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "cuzk/base/input_file.h"
#include "cuzk/cpu/atomic_min.h"
#include "cuzk/curve/subgroup.h"
#include "cuzk/groth16/point_codec.h"

namespace cuzk::groth16 {
namespace {

/// For points that no instruction set makes a difference for.
constexpr Isa kFewPoints = Isa::portable;

constexpr const char* kNotInSubgroup = "the point is not in the subgroup of order r";

Error point_error(const std::string& name, const std::string& field, std::size_t offset, const char* reason) {
  return bad_params(name + ": " + field + " at offset " + std::to_string(offset) + ": " + reason);
}

template <class F>
Result<void> read_point(ByteSpan bytes, const std::string& name, const char* field, std::size_t& offset,
                        Affine<F>& out) {
  const std::size_t begin = offset;
  offset += kPointBytes<F>;
  if (bytes.size() < offset)
    return bad_params(name + ": truncated at " + std::to_string(bytes.size()) + " bytes, inside " + field +
                      " (offset " + std::to_string(begin) + ")");
  if (const auto fault = decode_points(bytes.subspan(begin, kPointBytes<F>), std::span(&out, 1), kFewPoints))
    return point_error(name, field, begin, fault->reason);
  if (!in_subgroup(out)) return point_error(name, field, begin, kNotInSubgroup);
  return {};
}

}  // namespace

Result<VerifyingKey> parse_verifying_key_prefix(ThreadPool& pool, ByteSpan bytes, const std::string& name) {
  VerifyingKey vk;
  std::size_t offset = 0;
  CUZK_TRY(read_point(bytes, name, "alpha_g1", offset, vk.alpha_g1));
  CUZK_TRY(read_point(bytes, name, "beta_g1", offset, vk.beta_g1));
  CUZK_TRY(read_point(bytes, name, "beta_g2", offset, vk.beta_g2));
  CUZK_TRY(read_point(bytes, name, "gamma_g2", offset, vk.gamma_g2));
  CUZK_TRY(read_point(bytes, name, "delta_g1", offset, vk.delta_g1));
  CUZK_TRY(read_point(bytes, name, "delta_g2", offset, vk.delta_g2));
  const std::string count_offset = std::to_string(kVkFixedBytes);
  if (bytes.size() - offset < 4)
    return bad_params(name + ": truncated at " + std::to_string(bytes.size()) +
                      " bytes, inside the count of ic (offset " + count_offset + ")");
  const std::size_t count = load_be32(bytes.data() + offset);
  offset += 4;
  if (count == 0)
    return bad_params(name + ": ic is empty (count at offset " + count_offset +
                      "); it has a point for the constant ONE at least");
  if ((bytes.size() - offset) / kG1Bytes < count)
    return bad_params(name + ": truncated at " + std::to_string(bytes.size()) + " bytes: ic has " +
                      std::to_string(count) + " points by its count at offset " + count_offset +
                      " and would end at " + std::to_string(offset + kG1Bytes * count));
  vk.ic.resize(count);
  const auto ic_error = [&](std::size_t i, const char* reason) {
    return point_error(name, "ic[" + std::to_string(i) + "]", offset + kG1Bytes * i, reason);
  };
  // The smallest index wins, so that the message does not depend on the number of threads.
  std::atomic<std::size_t> first_bad{std::numeric_limits<std::size_t>::max()};
  pool.parallel_for(count, 16, [&](std::size_t begin, std::size_t end) {
    const std::span<G1Affine> out(vk.ic.data() + begin, end - begin);
    std::size_t bad = std::numeric_limits<std::size_t>::max();
    if (const auto fault =
            decode_points(bytes.subspan(offset + kG1Bytes * begin, kG1Bytes * out.size()), out, pool.isa())) {
      end = begin + fault->index;
      bad = end;
    }
    for (std::size_t i = begin; i < end; ++i)
      if (!in_subgroup(vk.ic[i])) {
        bad = i;
        break;
      }
    atomic_min(first_bad, bad);
  });
  if (const std::size_t i = first_bad; i < count) {
    G1Affine again;
    const auto fault =
        decode_points(bytes.subspan(offset + kG1Bytes * i, kG1Bytes), std::span(&again, 1), kFewPoints);
    return ic_error(i, fault ? fault->reason : kNotInSubgroup);
  }
  return vk;
}

Result<VerifyingKey> parse_verifying_key(ThreadPool& pool, ByteSpan bytes, const std::string& name) {
  CUZK_TRY_ASSIGN(VerifyingKey vk, parse_verifying_key_prefix(pool, bytes, name));
  const std::size_t end = vk_bytes(vk.ic.size());
  if (bytes.size() != end)
    return bad_params(name + ": " + std::to_string(bytes.size() - end) +
                      " bytes follow the last ic point, which ends at offset " + std::to_string(end));
  return vk;
}

Result<VerifyingKey> read_verifying_key(ThreadPool& pool, const std::string& path) {
  // The largest key, of a WindowPoSt of 32 GiB, has 25,840 points of ic in 2.5 MB.
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  const Result<FileBytes> file = FileBytes::read(path, kMaxBytes);
  if (!file && file.error().code == ErrorCode::kBadInput) return bad_params(file.error().message);
  if (!file) return file.error();
  return parse_verifying_key(pool, file->bytes(), path);
}

std::vector<std::uint8_t> encode_verifying_key(const VerifyingKey& vk) {
  std::vector<std::uint8_t> bytes(vk_bytes(vk.ic.size()));
  std::span<std::uint8_t> rest(bytes);
  const auto put = [&rest]<class F>(const Affine<F>& p) {
    encode_points(std::span(&p, 1), rest.first(kPointBytes<F>), kFewPoints);
    rest = rest.subspan(kPointBytes<F>);
  };
  put(vk.alpha_g1);
  put(vk.beta_g1);
  put(vk.beta_g2);
  put(vk.gamma_g2);
  put(vk.delta_g1);
  put(vk.delta_g2);
  CUZK_CHECK(vk.ic.size() <= std::numeric_limits<std::uint32_t>::max());
  store_be32(rest.data(), static_cast<std::uint32_t>(vk.ic.size()));
  encode_points(std::span(vk.ic), rest.subspan(4), kFewPoints);
  return bytes;
}

}  // namespace cuzk::groth16
