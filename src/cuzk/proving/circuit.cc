#include "cuzk/proving/circuit.h"

#include "cuzk/filecoin/porep/circuit.h"
#include "cuzk/filecoin/porep/parameters.h"
#include "cuzk/filecoin/post/circuit.h"
#include "cuzk/filecoin/post/parameters.h"
#include "cuzk/filecoin/update/circuit.h"
#include "cuzk/filecoin/update/parameters.h"
#include "cuzk/proving/internal/head_and_parts.h"

namespace cuzk {
namespace {

/// 2048 -> "2k", 8 MiB -> "8m", 32 GiB -> "32g".
std::string size_suffix(std::uint64_t bytes) {
  constexpr char kUnits[] = {'k', 'm', 'g'};
  unsigned unit = 0;
  std::uint64_t n = bytes >> 10;
  for (; n >= 1024; n >>= 10) ++unit;
  return std::to_string(n) + kUnits[unit];
}

/// The id behind another name of it.
std::string canonical_id(std::string_view id) {
  for (const auto& [alias, prefix] : {std::pair{"window-", "wpost-"}, std::pair{"update-", "snap-"}})
    if (id.starts_with(alias)) return prefix + std::string(id.substr(std::string_view(alias).size()));
  return std::string(id);
}

}  // namespace

Circuit porep_circuit(const porep::SectorParams& sector) {
  return {"porep-" + size_suffix(sector.bytes), ProofKind::porep_seal_commit, porep::parameter_stem(sector),
          [&sector](ThreadPool& pool, const std::stop_token& stop) {
            const auto input = porep::PartitionInput::blank(sector);
            return detail::record_in_parts(
                pool, stop, input.challenges.size(), true,
                [&](auto& cs) { return porep::synthesize_head(cs, input); },
                [&](auto& cs, const auto& head, std::size_t i) {
                  porep::synthesize_challenge(cs, head, input, i);
                });
          }};
}

Circuit post_circuit(const post::PostParams& params) {
  const bool winning = params.kind == post::Kind::winning;
  return {(winning ? "winning-" : "wpost-") + size_suffix(params.size->bytes),
          winning ? ProofKind::winning_post : ProofKind::window_post_partition, post::parameter_stem(params),
          [&params](ThreadPool& pool, const std::stop_token& stop) {
            const auto input = post::PartitionInput::blank(params);
            return detail::record_in_parts(
                pool, stop, input.slot_count, true, [](auto&) { return 0; },
                [&](auto& cs, int, std::size_t i) { post::synthesize_slot(cs, input.slot(i)); });
          }};
}

Circuit update_circuit(const update::SectorParams& sector) {
  return {"snap-" + size_suffix(sector.bytes), ProofKind::snap_deals_update, update::parameter_stem(sector),
          [&sector](ThreadPool& pool, const std::stop_token& stop) {
            const auto input = update::PartitionInput::blank(sector);
            return detail::record_in_parts(
                pool, stop, input.challenges.size(), false,
                [&](auto& cs) { return update::synthesize_head(cs, input); },
                [&](auto& cs, const auto& head, std::size_t i) {
                  update::synthesize_challenge(cs, head, input, i);
                });
          }};
}

std::vector<Circuit> known_circuits() {
  std::vector<Circuit> out;
  for (const porep::SectorParams& sector : porep::sector_table()) out.push_back(porep_circuit(sector));
  for (const post::PostParams& params : post::post_table()) out.push_back(post_circuit(params));
  for (const update::SectorParams& sector : update::sector_table()) out.push_back(update_circuit(sector));
  return out;
}

Result<Circuit> find_circuit(std::string_view id) {
  const std::string canonical = canonical_id(id);
  std::string ids;
  for (Circuit& circuit : known_circuits()) {
    if (circuit.id == canonical) return std::move(circuit);
    ids += (ids.empty() ? "" : ", ") + circuit.id;
  }
  return usage_error("there is no circuit '" + std::string(id) + "'; known: " + ids);
}

std::shared_ptr<const Shape> record_shape(ThreadPool& pool, const Circuit& circuit) {
  return *record_shape(pool, circuit, {});
}

Result<std::shared_ptr<const Shape>> record_shape(ThreadPool& pool, const Circuit& circuit,
                                                  const std::stop_token& stop) {
  std::optional<Shape> shape = circuit.record(pool, stop);
  if (!shape) return Error{ErrorCode::kStopped, circuit.id + ": stopped on request"};
  return std::shared_ptr<const Shape>(std::make_shared<const Shape>(*std::move(shape)));
}

}  // namespace cuzk
