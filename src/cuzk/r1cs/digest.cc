#include "cuzk/r1cs/digest.h"

#include "cuzk/r1cs/shape_rows.h"

namespace cuzk {
namespace {

/// Inputs, then aux values in aux order, drawn from the two classes.
Bytes32 hash_values(std::span<const Fr> inputs, std::span<const std::uint64_t> is_bit, std::size_t num_aux,
                    std::span<const std::uint64_t> bits, std::span<const Fr> wide) {
  r1cs_internal::ValueHasher hash;
  for (const Fr& x : inputs) hash.add(x);
  std::size_t bit = 0;
  std::size_t next_wide = 0;
  for (std::size_t i = 0; i < num_aux; ++i) {
    if ((is_bit[i / 64] >> (i % 64) & 1) != 0) {
      hash.add((bits[bit / 64] >> (bit % 64) & 1) != 0);
      ++bit;
    } else {
      hash.add(wide[next_wide++]);
    }
  }
  return hash.finish();
}

}  // namespace

DigestSystem::DigestSystem(const CircuitCounts& expected, const Options& options)
    : expected_(expected), options_(options), rows_(options.blake2s, options.checkpoint_depth != 0) {
  rows_.header(expected.inputs, expected.aux, expected.constraints);
  for (Bitmap* b : {&a_aux_, &b_aux_, &is_bit_, &bits_}) b->reserve(expected.aux);
  (void)alloc_input(Fr::one());
}

void DigestSystem::record_checkpoint() {
  Checkpoint c;
  c.path = path_text(path_);
  c.counts = {inputs_.size(), is_bit_.size(), constraints_};
  c.rows = rows_.rows_so_far();
  c.aux_values = aux_hash_.so_far();
  checkpoints_.push_back(std::move(c));
}

CircuitDigest DigestSystem::finish() {
  CircuitDigest out;
  out.counts = {inputs_.size(), is_bit_.size(), constraints_};
  CUZK_CHECK(out.counts == expected_);
  out.bits = is_bit_.count();
  out.terms = terms_;
  out.a_aux_density = a_aux_.count();
  out.b_input_density = b_input_.count();
  out.b_aux_density = b_aux_.count();
  out.r1cs_blake2s = rows_.finish_blake2s();
  out.r1cs_sha256 = rows_.finish_sha256();
  if (options_.witness)
    out.witness_sha256 = hash_values(inputs_, is_bit_.words(), is_bit_.size(), bits_.words(), wide_);
  out.inputs = std::move(inputs_);
  return out;
}

Bytes32 r1cs_sha256(const Shape& shape) {
  const ShapeRows rows(shape);
  std::vector<Bytes32> coefficients;
  coefficients.reserve(rows.coefficients().size());
  for (const Fr& c : rows.coefficients()) coefficients.push_back(r1cs_internal::RowHasher::to_big_endian(c));
  r1cs_internal::RowHasher hash(false, false);
  hash.header(shape.num_inputs(), shape.num_aux(), shape.num_constraints());
  const auto add = [&](const TermView& terms) {
    hash.begin(terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i)
      hash.add_term(terms[i].variable, coefficients[terms.coefficient_id(i)]);
  };
  rows.for_each(0, shape.num_constraints(),
                [&](std::size_t, const TermView& a, const TermView& b, const TermView& c) {
                  add(a);
                  add(b);
                  add(c);
                });
  return hash.finish_sha256();
}

Bytes32 witness_sha256(const Shape& shape, const Witness& witness) {
  CUZK_CHECK(shape.validate(witness).has_value());
  return hash_values(witness.inputs, shape.aux_is_bit(), shape.num_aux(), witness.bits, witness.wide);
}

}  // namespace cuzk
