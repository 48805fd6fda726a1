#include "cuzk/r1cs/row_store.h"

namespace cuzk {
namespace {

std::size_t hash_of(const Fr& x) {
  std::uint64_t h = 0;
  for (const std::uint64_t l : x.limb) h = (h ^ l) * 0x9e3779b97f4a7c15ULL + (h >> 29);
  return static_cast<std::size_t>(h >> 20);
}

}  // namespace

CoefficientTable::CoefficientTable() : values_{Fr::one(), -Fr::one()}, slots_(1024, 0) {}

std::uint32_t CoefficientTable::find_or_add(const Fr& coefficient) {
  CUZK_CHECK(!slots_.empty());
  for (std::size_t at = hash_of(coefficient);; ++at) {
    std::uint32_t& slot = slots_[at & (slots_.size() - 1)];
    if (slot == 0) {
      values_.push_back(coefficient);
      const auto id = static_cast<std::uint32_t>(values_.size() - 1);
      slot = id + 1;
      if (values_.size() * 2 > slots_.size()) grow();
      return id;
    }
    if (values_[slot - 1] == coefficient) return slot - 1;
  }
}

void CoefficientTable::grow() {
  slots_.assign(slots_.size() * 2, 0);
  for (std::uint32_t id = 0; id < values_.size(); ++id) {
    std::size_t at = hash_of(values_[id]);
    while (slots_[at & (slots_.size() - 1)] != 0) ++at;
    slots_[at & (slots_.size() - 1)] = id + 1;
  }
}

void CoefficientTable::freeze() {
  slots_ = {};
  values_.shrink_to_fit();
}

void RowStore::append_terms(std::span<const Term> terms) {
  for (std::size_t n = terms.size();; n >>= 7) {
    lengths_.push_back(static_cast<std::uint8_t>((n & 0x7fU) | (n >= 0x80 ? 0x80U : 0U)));
    if (n < 0x80) break;
  }
  for (const Term& t : terms) {
    const std::uint32_t id = table_.id_of(t.coefficient);
    if (id > 0xffff && id_high_.empty()) id_high_.assign(columns_.size(), 0);
    columns_.push_back(t.variable.code());
    id_low_.push_back(static_cast<std::uint16_t>(id & 0xffffU));
    if (!id_high_.empty() || id > 0xffff) id_high_.push_back(static_cast<std::uint16_t>(id >> 16));
  }
}

void RowStore::append(std::span<const Term> a, std::span<const Term> b, std::span<const Term> c) {
  if (rows_ % kGroup == 0) groups_.push_back({columns_.size(), lengths_.size()});
  append_terms(a);
  append_terms(b);
  append_terms(c);
  ++rows_;
}

void RowStore::freeze() {
  table_.freeze();
  columns_.shrink_to_fit();
  id_low_.shrink_to_fit();
  id_high_.shrink_to_fit();
  lengths_.shrink_to_fit();
  groups_.shrink_to_fit();
}

std::size_t RowStore::memory_bytes() const {
  return columns_.capacity() * 4 + id_low_.capacity() * 2 + id_high_.capacity() * 2 + lengths_.capacity() +
         groups_.capacity() * sizeof(Group) + table_.values().size() * sizeof(Fr);
}

}  // namespace cuzk
