#include "cuzk/proving/circuit.h"

#include "cuzk/filecoin/porep/circuit.h"
#include "cuzk/filecoin/porep/parameters.h"
#include "cuzk/r1cs/shape_recorder.h"

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

}  // namespace

Circuit porep_circuit(const porep::SectorParams& sector) {
  return {"porep-" + size_suffix(sector.bytes), porep::parameter_stem(sector), [&sector] {
            ShapeRecorder recorder;
            porep::synthesize(recorder, porep::PartitionInput::blank(sector));
            return std::move(recorder).finish();
          }};
}

std::vector<Circuit> known_circuits() {
  std::vector<Circuit> out;
  for (const porep::SectorParams& sector : porep::sector_table()) out.push_back(porep_circuit(sector));
  return out;
}

Result<Circuit> find_circuit(std::string_view id) {
  std::string ids;
  for (Circuit& circuit : known_circuits()) {
    if (circuit.id == id) return std::move(circuit);
    ids += (ids.empty() ? "" : ", ") + circuit.id;
  }
  return usage_error("there is no circuit '" + std::string(id) + "'; known: " + ids);
}

std::shared_ptr<const Shape> record_shape(const Circuit& circuit) {
  return std::make_shared<const Shape>(circuit.record());
}

}  // namespace cuzk
