#pragma once

#include <string>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/r1cs/shape.h"

namespace cuzk {

/// Shapes on disk, so that a program need not run a circuit to know its rows: reading one costs a tenth of
/// recording it.
///
/// A file holds little-endian numbers:
///   - at 0, 8 bytes: "cuzkshap"
///   - at 8, u32: version of the format, 1
///   - at 12, u32: 1 when coefficient numbers have a high half, else 0
///   - at 16, 32 bytes: fingerprint
///   - at 48, six u64: inputs (ONE counted), aux variables, rows, terms, distinct coefficients, bytes of
///   lengths
///   - at 96, 32 bytes: digest, see shape_file_digest
///   - at 128, sections, each padded with zeros to 8 bytes: which aux variables are boolean (64-bit words as
///   in
///     Bitmap), coefficients (32 bytes each, in memory form), columns (u32, the variable's code), low halves
///     of coefficient numbers (u16), high halves (u16, if there are any), lengths (the numbers of terms of
///     each row's A, B and C, LEB128)
///
/// The fingerprint is the caller's: it names the circuit and the program that recorded it, since a file says
/// nothing about a change in a circuit's code. One shape and fingerprint make one file, byte for byte.
/// Circuits with more inputs besides ONE than rows, which have inputs that nothing depends on, cannot be read
/// back.

/// Writes the shape through a FileSink. kIo when the path cannot be written.
Result<void> write_shape_file(ThreadPool& pool, const Shape& shape, const Bytes32& fingerprint,
                              const std::string& path);

/// Reads it back. kIo when there is no such file; kBadInput, saying what, when it has another fingerprint or
/// anything else is not as a recorder leaves it: digest, counts, every column, coefficient and length are
/// checked. Memory: the shape, taken once the file's size agrees with its counts.
Result<Shape> read_shape_file(ThreadPool& pool, const std::string& path, const Bytes32& fingerprint);

/// The same in memory.
std::vector<std::uint8_t> serialize_shape(ThreadPool& pool, const Shape& shape, const Bytes32& fingerprint);
Result<Shape> parse_shape(ThreadPool& pool, ByteSpan file, const Bytes32& fingerprint);

/// What the digest of a file must be: SHA-256 over the first 96 bytes and the SHA-256 of every piece of 1 MiB
/// of the rest. `file` has at least the 128 bytes of the header.
Bytes32 shape_file_digest(ThreadPool& pool, ByteSpan file);

}  // namespace cuzk
