#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "cuzk/gadgets/uint32.h"
#include "cuzk/hash/sha256.h"

namespace cuzk {

using Sha256Words = std::array<UInt32, 8>;

inline Sha256Words sha256_initial_words() {
  Sha256Words out;
  for (std::size_t i = 0; i < 8; ++i) out[i] = UInt32::constant(kSha256InitialState[i]);
  return out;
}

namespace detail {

/// A working variable of the compression: a word, or a sum that is not carried out yet.
class Sha256Pending {
 public:
  explicit Sha256Pending(const UInt32& word) : concrete_(word) {}
  explicit Sha256Pending(std::span<const UInt32> operands) : count_(operands.size()) {
    std::copy(operands.begin(), operands.end(), operands_.begin());
  }
  /// The word; carries the sum out, with `extra` added to it. A concrete word ignores `extra`.
  template <class CS>
  UInt32 force(MultiEq<CS>& meq, const UInt32* extra = nullptr) const {
    if (concrete_) return *concrete_;
    std::array<const UInt32*, 8> all{};
    for (std::size_t i = 0; i < count_; ++i) all[i] = &operands_[i];
    if (extra != nullptr) all[count_] = extra;
    return uint32_addmany(meq, std::span(all).first(count_ + (extra != nullptr ? 1 : 0)));
  }

 private:
  std::optional<UInt32> concrete_;
  std::array<UInt32, 7> operands_;
  std::size_t count_ = 0;
};

template <class CS>
UInt32 sha256_sigma(CS& cs, const UInt32& x, const UInt32& y, const UInt32& z) {
  return uint32_xor(cs, uint32_xor(cs, x, y), z);
}

}  // namespace detail

/// The compression function on 512 message Booleans (message order) and a chaining value. The additions for
/// the new a and e of a round are carried out at the start of the next one, those of the last round together
/// with the feed-forward (constraint-system-and-gadgets 6.2); that order is part of the circuit.
template <class CS>
Sha256Words sha256_compress_circuit(CS& cs, std::span<const Boolean> block, const Sha256Words& state) {
  CUZK_CHECK(block.size() == 512);
  const Block scope(cs, "sha256 compression", [&](auto&& port) {
    for (const Boolean& b : block) port(b.port());
    for (const UInt32& word : state)
      for (const Boolean& b : word.bits) port(b.port());
  });

  std::array<UInt32, 64> w;
  for (std::size_t j = 0; j < 16; ++j) w[j] = UInt32::from_bits_be(block.subspan(32 * j, 32));
  MultiEq<CS> meq(cs);
  for (std::size_t i = 16; i < 64; ++i) {
    const UInt32 s0 = detail::sha256_sigma(cs, w[i - 15].rotr(7), w[i - 15].rotr(18), w[i - 15].shr(3));
    const UInt32 s1 = detail::sha256_sigma(cs, w[i - 2].rotr(17), w[i - 2].rotr(19), w[i - 2].shr(10));
    w[i] = uint32_addmany(meq, std::array{&std::as_const(w[i - 16]), &s0, &std::as_const(w[i - 7]), &s1});
  }

  detail::Sha256Pending a(state[0]);
  detail::Sha256Pending e(state[4]);
  UInt32 b = state[1];
  UInt32 c = state[2];
  UInt32 d = state[3];
  UInt32 f = state[5];
  UInt32 g = state[6];
  UInt32 h = state[7];
  for (std::size_t i = 0; i < 64; ++i) {
    const UInt32 e_now = e.force(meq);
    const UInt32 s1 = detail::sha256_sigma(cs, e_now.rotr(6), e_now.rotr(11), e_now.rotr(25));
    const UInt32 ch = uint32_ch(cs, e_now, f, g);
    const UInt32 k = UInt32::constant(cuzk::detail::kSha256RoundConstants[i]);
    const UInt32 a_now = a.force(meq);
    const UInt32 s0 = detail::sha256_sigma(cs, a_now.rotr(2), a_now.rotr(13), a_now.rotr(22));
    const UInt32 maj = uint32_maj(cs, a_now, b, c);
    e = detail::Sha256Pending(std::array{h, s1, ch, k, w[i], d});
    a = detail::Sha256Pending(std::array{h, s1, ch, k, w[i], s0, maj});
    h = g;
    g = f;
    f = e_now;
    d = c;
    c = b;
    b = a_now;
  }

  Sha256Words out;
  out[0] = a.force(meq, &state[0]);
  out[1] = uint32_addmany(meq, std::array{&state[1], &std::as_const(b)});
  out[2] = uint32_addmany(meq, std::array{&state[2], &std::as_const(c)});
  out[3] = uint32_addmany(meq, std::array{&state[3], &std::as_const(d)});
  out[4] = e.force(meq, &state[4]);
  out[5] = uint32_addmany(meq, std::array{&state[5], &std::as_const(f)});
  out[6] = uint32_addmany(meq, std::array{&state[6], &std::as_const(g)});
  out[7] = uint32_addmany(meq, std::array{&state[7], &std::as_const(h)});
  meq.close();
  return out;
}

/// The words' bits in message order.
inline std::vector<Boolean> sha256_output_bits(const Sha256Words& words) {
  std::vector<Boolean> out;
  out.reserve(256);
  for (const UInt32& w : words) out.insert(out.end(), w.bits.rbegin(), w.bits.rend());
  return out;
}

/// One compression from the initial value, without padding.
template <class CS>
std::vector<Boolean> sha256_block_no_padding(CS& cs, std::span<const Boolean> bits) {
  return sha256_output_bits(sha256_compress_circuit(cs, bits, sha256_initial_words()));
}

/// SHA-256 of Booleans in message order (most significant bit of the first byte first), a whole number of
/// bytes. Returns 256 Booleans in the same order.
template <class CS>
std::vector<Boolean> sha256_circuit(CS& cs, std::span<const Boolean> bits) {
  CUZK_CHECK(bits.size() % 8 == 0);
  std::vector<Boolean> padded(bits.begin(), bits.end());
  padded.push_back(Boolean::constant(true));
  while ((padded.size() + 64) % 512 != 0) padded.push_back(Boolean::constant(false));
  const std::uint64_t length = bits.size();
  for (unsigned i = 64; i-- > 0;) padded.push_back(Boolean::constant((length >> i & 1) != 0));
  Sha256Words state = sha256_initial_words();
  for (std::size_t at = 0; at < padded.size(); at += 512) {
    const Namespace ns(cs, {"block ", at / 512});
    state = sha256_compress_circuit(cs, std::span<const Boolean>(padded).subspan(at, 512), state);
  }
  return sha256_output_bits(state);
}

}  // namespace cuzk
