#include "cuzk/engine/device.h"

namespace cuzk::engine {

CpuDevice::CpuDevice(ThreadPool& pool, std::uint32_t ordinal)
    : info_{ordinal, "", "CPU, " + std::to_string(pool.size()) + " threads", 0}, prover_(pool) {}

std::uint64_t witness_bytes(const Shape& shape) {
  return shape.num_bits() / 8 + sizeof(Fr) * (shape.num_wide() + shape.num_inputs());
}

KeyHostBytes CpuDevice::key_host_bytes(const Shape& shape) const {
  // CpuProver: 96 bytes a domain point for the quotient, then 128 for the sum over h; a Pippenger sum beside
  // it holds digits and buckets, an eighth of that at most. The wide bases of a query, decoded after that,
  // are less: of the largest circuit, wpost-32g, 8 GB of b_g2 where these are 19.
  const std::uint64_t points = std::uint64_t{1} << shape.domain_log_size();
  // Its Prepared has bits and wide values once for each of l, a and b.
  return {0, points * (128 + 16), 3 * witness_bytes(shape)};
}

}  // namespace cuzk::engine
