#pragma once

#include <span>
#include <string>
#include <vector>

#include "cuzk/cpu/isa.h"
#include "cuzk/field/fr.h"

namespace cuzk {

/// One Poseidon instance over Fr as the network fixed it (neptune 11, strength "standard", S-box x^5): round
/// constants from the Grain LFSR, the Cauchy matrix, and the sparse factorisation of the partial rounds.
/// Matrices act on row vectors: (s A)[j] = sum_i s[i] A[i][j]; they are stored row by row.
/// Immutable once built; safe to share.
struct PoseidonConstants {
  std::string name;             ///< "poseidon arity A tag T", T in hex: tells instances apart
  unsigned arity = 0;           ///< message elements
  unsigned width = 0;           ///< t = arity + 1, state elements
  unsigned full_rounds = 0;     ///< R_F, half before and half after the partial rounds
  unsigned partial_rounds = 0;  ///< R_P
  Fr domain_tag{};              ///< state element 0 at the start

  std::vector<Fr> raw;         ///< (R_F + R_P) * t round constants, for the plain form
  std::vector<Fr> compressed;  ///< R_F * t + R_P constants, in the order the optimised form consumes them
  std::vector<Fr> mds;         ///< t * t
  std::vector<Fr> pre_sparse;  ///< t * t, used once, after the last of the first full rounds
  std::vector<Fr> sparse;      ///< R_P * (2 t - 1): for each partial round w_hat (t), then v_rest (t - 1)

  /// All of the above but `raw` again, in the form of the eight-lane implementation (poseidon_lanes.h): tag,
  /// compressed, mds, pre_sparse, sparse.
  std::vector<std::uint64_t> lane_digits;

  /// The sparse matrix of partial round j: out[0] = sum_i s[i] w_hat[i], out[i] = s[i] + s[0] v_rest[i - 1].
  [[nodiscard]] std::span<const Fr> w_hat(unsigned j) const {
    return std::span(sparse).subspan(std::size_t{j} * (2 * width - 1), width);
  }
  [[nodiscard]] std::span<const Fr> v_rest(unsigned j) const {
    return std::span(sparse).subspan(std::size_t{j} * (2 * width - 1) + width, width - 1);
  }
};

/// The instance with the Merkle-tree tag 2^arity - 1 of one of the arities in use: 2, 4, 8, 11, 16, 24, 36
/// (any other is the programmer's error). Built on first use, then shared; thread-safe.
const PoseidonConstants& poseidon_constants(unsigned arity);

/// The same instance with another domain tag.
PoseidonConstants poseidon_constants_custom(unsigned arity, const Fr& domain_tag);

/// Hash of exactly `arity` elements: state element 1 after the last round. The optimised form (dense matrices
/// only in the full rounds, dot products reduced once).
Fr poseidon_hash(const PoseidonConstants& constants, std::span<const Fr> message);

/// The same hash by the definition: full matrix and uncompressed constants in every round. The oracle.
Fr poseidon_hash_plain(const PoseidonConstants& constants, std::span<const Fr> message);

/// out[i] = hash of the i-th group of `arity` elements of `messages`; exactly arity * out.size() elements.
/// Eight at a time with Isa::ifma: give it many (multiples of 8). `isa` must be supported here (checked). One
/// core; `out` must not overlap.
void poseidon_hash_batch(const PoseidonConstants& constants, std::span<const Fr> messages, std::span<Fr> out,
                         Isa isa);

/// The steps of a hash that a circuit has variables for, in its order (constraint-system-and-gadgets 7.10):
/// of every S-box x, x^2, x^4 and x^5 plus the constant of its layer; none for the tag and no x in the first
/// layer; last the hash. 3 arity + 28 (arity + 1) + 4 R_P + 1 values for R_F = 8.
std::size_t poseidon_trace_size(const PoseidonConstants& constants);
/// `trace` has exactly poseidon_trace_size elements.
void poseidon_trace(const PoseidonConstants& constants, std::span<const Fr> message, std::span<Fr> trace);
/// traces[i] points to room for the trace of the i-th group of `arity` elements of `messages`; otherwise as
/// poseidon_hash_batch.
void poseidon_trace_batch(const PoseidonConstants& constants, std::span<const Fr> messages,
                          std::span<Fr* const> traces, Isa isa);

/// Hash with the Merkle-tree instance of arity message.size().
inline Fr poseidon(std::span<const Fr> message) {
  return poseidon_hash(poseidon_constants(static_cast<unsigned>(message.size())), message);
}

}  // namespace cuzk
