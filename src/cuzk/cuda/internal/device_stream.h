#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cuzk/cuda/context.h"

namespace cuzk::cuda {

// Errors of everything here: as Context::check, with the stage that is passed in. What runs on a stream is
// asynchronous, so its own errors come with the next call that waits.

struct EventDeleter {
  void operator()(CUevent_st* event) const;
};
/// An event of the CUDA runtime.
using Event = std::unique_ptr<CUevent_st, EventDeleter>;

/// A moment in one stream that another one, or the host, can wait for. Move-only; must not outlive its
/// context. One thread at a time.
class Fence {
 public:
  Fence() = default;  ///< none: to be assigned to
  static Result<Fence> create(Context& context);
  /// Behind what `stream` has been given so far; a later record replaces it.
  Result<void> record(CUstream_st* stream, const char* stage);
  /// What `stream` is given from now on runs after the moment recorded last; at once where there is none.
  Result<void> wait(CUstream_st* stream, const char* stage) const;
  /// The calling thread waits for it.
  Result<void> synchronize(const char* stage) const;

 private:
  Fence(Context& context, CUevent_st* event) : context_(&context), event_(event) {}
  Context* context_ = nullptr;
  Event event_;
};

/// Begins a copy between host and device, in either direction, or within the device, in the order of
/// `stream`. The host's side must stay as it is until the copy is done.
Result<void> copy_async(Context& context, CUstream_st* stream, void* to, const void* from,
                        std::uint64_t bytes, const char* stage);

/// Waits for the streams of a context. An error is remembered by it.
void drain(Context& context);

/// Some bytes of host memory.
struct HostPiece {
  const void* data = nullptr;
  std::uint64_t bytes = 0;
};

/// Pieces of host memory that flow through two buffers of device memory, in order: one is copied on
/// Context::copies() while kernels of the one before run on Context::stream(). Used by one thread.
class PieceStream {
 public:
  /// Takes two buffers of the largest piece's size, none for no pieces, and begins to copy.
  static Result<PieceStream> open(Context& context, std::vector<HostPiece> pieces, const char* stage);
  PieceStream(PieceStream&&) noexcept = default;
  PieceStream& operator=(PieceStream&&) = delete;
  /// The buffers go back in the order of stream(), behind the copies that were begun.
  ~PieceStream();

  /// The next piece, for kernels on stream(). The one before was released.
  Result<const void*> next();
  /// What stream() is given from now on does not read the piece that next() gave last; its buffer is filled
  /// again.
  Result<void> release();

 private:
  static constexpr std::size_t kBuffers = 2;
  struct Buffer {
    DeviceMemory memory;
    Fence copied;
    Fence released;
  };
  PieceStream(Context& context, std::vector<HostPiece> pieces, const char* stage)
      : context_(&context), stage_(stage), pieces_(std::move(pieces)) {}
  /// Begins the copies for which there are buffers.
  Result<void> copy();

  Context* context_;
  const char* stage_;
  std::vector<HostPiece> pieces_;
  std::vector<Buffer> buffers_;
  std::size_t begun_ = 0;
  std::size_t taken_ = 0;
  std::size_t released_ = 0;
};

}  // namespace cuzk::cuda
