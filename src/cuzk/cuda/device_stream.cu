#include <cuda_runtime.h>

#include <algorithm>

#include "cuzk/cuda/internal/device_stream.h"

namespace cuzk::cuda {

void EventDeleter::operator()(CUevent_st* event) const {
  // Fails on a dead device only, and the runtime must forget it: see Context::check.
  if (cudaEventDestroy(event) != cudaSuccess) (void)cudaGetLastError();
}

Result<Fence> Fence::create(Context& context) {
  cudaEvent_t event = nullptr;
  CUZK_TRY(context.check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "order of streams"));
  return Fence(context, event);
}

Result<void> Fence::record(CUstream_st* stream, const char* stage) {
  return context_->check(cudaEventRecord(event_.get(), stream), stage);
}
Result<void> Fence::wait(CUstream_st* stream, const char* stage) const {
  return context_->check(cudaStreamWaitEvent(stream, event_.get(), 0), stage);
}
Result<void> Fence::synchronize(const char* stage) const {
  return context_->check(cudaEventSynchronize(event_.get()), stage);
}

Result<void> copy_async(Context& context, CUstream_st* stream, void* to, const void* from,
                        std::uint64_t bytes, const char* stage) {
  if (bytes == 0) return {};
  return context.check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), stage);
}

void drain(Context& context) {
  if (context.fault() != Fault::none) return;
  (void)context.check(cudaStreamSynchronize(context.copies()), "end of a launch");
  for (unsigned i = 0; i < Context::kBeside; ++i)
    (void)context.check(cudaStreamSynchronize(context.beside(i)), "end of a launch");
  (void)context.check(cudaStreamSynchronize(context.stream()), "end of a launch");
}

Result<PieceStream> PieceStream::open(Context& context, std::vector<HostPiece> pieces, const char* stage) {
  PieceStream self(context, std::move(pieces), stage);
  if (self.pieces_.empty()) return Result<PieceStream>(std::move(self));
  std::uint64_t largest = 0;
  for (const HostPiece& piece : self.pieces_) largest = std::max(largest, piece.bytes);
  self.buffers_.reserve(kBuffers);
  for (std::size_t i = 0; i < kBuffers; ++i) {
    CUZK_TRY_ASSIGN(DeviceMemory memory, context.allocate(largest, stage));
    CUZK_TRY_ASSIGN(Fence copied, Fence::create(context));
    CUZK_TRY_ASSIGN(Fence released, Fence::create(context));
    // Memory is handed out in the order of stream(): what used it before may still run there.
    CUZK_TRY(released.record(context.stream(), stage));
    self.buffers_.push_back({std::move(memory), std::move(copied), std::move(released)});
  }
  CUZK_TRY(self.copy());
  return Result<PieceStream>(std::move(self));
}

PieceStream::~PieceStream() {
  // Errors: on a dead device nothing runs any more, and the context remembers it.
  for (Buffer& buffer : buffers_) (void)buffer.copied.wait(context_->stream(), stage_);
}

Result<void> PieceStream::copy() {
  for (; begun_ < pieces_.size() && begun_ < released_ + kBuffers; ++begun_) {
    Buffer& buffer = buffers_[begun_ % kBuffers];
    const HostPiece& piece = pieces_[begun_];
    CUZK_TRY(buffer.released.wait(context_->copies(), stage_));
    CUZK_TRY(
        copy_async(*context_, context_->copies(), buffer.memory.as<void>(), piece.data, piece.bytes, stage_));
    CUZK_TRY(buffer.copied.record(context_->copies(), stage_));
  }
  return {};
}

Result<const void*> PieceStream::next() {
  CUZK_CHECK(taken_ < begun_ && taken_ == released_);
  const Buffer& buffer = buffers_[taken_ % kBuffers];
  CUZK_TRY(buffer.copied.wait(context_->stream(), stage_));
  ++taken_;
  return static_cast<const void*>(buffer.memory.as<void>());
}

Result<void> PieceStream::release() {
  CUZK_CHECK(released_ < taken_);
  CUZK_TRY(buffers_[released_ % kBuffers].released.record(context_->stream(), stage_));
  ++released_;
  return copy();
}

}  // namespace cuzk::cuda
