#include "cuzk/engine/saved_shapes.h"

#include <filesystem>

#include "cuzk/base/input_file.h"
#include "cuzk/hash/sha256.h"
#include "cuzk/r1cs/shape_file.h"

namespace cuzk::engine {
namespace {

Bytes32 fingerprint(const Bytes32& program, const Circuit& circuit) {
  Sha256 hash;
  hash.update(program);
  hash.update(ByteSpan(reinterpret_cast<const std::uint8_t*>(circuit.id.data()), circuit.id.size()));
  return hash.finish();
}

}  // namespace

Result<LoadedShape> SavedShapes::load(ThreadPool& pool, const Circuit& circuit,
                                      const std::stop_token& stop) const {
  const std::string file = path(circuit);
  const Bytes32 expected = fingerprint(program_, circuit);
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    Result<Shape> saved = read_shape_file(pool, file, expected);
    if (saved) return LoadedShape{std::make_shared<const Shape>(*std::move(saved)), true};
    warn_(saved.error().message + "; the circuit is recorded anew");
  }
  LoadedShape recorded;
  CUZK_TRY_ASSIGN(recorded.shape, record_shape(pool, circuit, stop));
  std::filesystem::create_directories(folder_, error);  // a failure shows in the write
  if (const Result<void> written = write_shape_file(pool, *recorded.shape, expected, file); !written)
    warn_(written.error().message + "; the shape is not saved");
  return recorded;
}

Result<Bytes32> running_program() {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
  CUZK_TRY_ASSIGN(const FileBytes program, FileBytes::read("/proc/self/exe", kMaxBytes));
  return sha256(program.bytes());
}

}  // namespace cuzk::engine
