#include "cuzk/cuda/context.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <utility>

namespace cuzk::cuda {
namespace {

Fault fault_of(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return Fault::none;
    case cudaErrorMemoryAllocation:
      return Fault::out_of_memory;
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorAssert:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
      return Fault::illegal_access;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorNotSupported:
      return Fault::unavailable;
    case cudaErrorECCUncorrectable:
    case cudaErrorDevicesUnavailable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorDeviceUninitialized:
    case cudaErrorContextIsDestroyed:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown:
      return Fault::lost;
    default:
      return Fault::other;
  }
}

std::string describe(int device, const char* stage, const std::string& cause) {
  return "device " + std::to_string(device) + ", " + stage + ": " + cause;
}

Error error_for(Fault fault, std::string message) {
  const bool environment =
      fault == Fault::out_of_memory || fault == Fault::lost || fault == Fault::unavailable;
  return {environment ? ErrorCode::kIo : ErrorCode::kInternal, std::move(message)};
}

/// Of a call whose failure nobody can be told of. The runtime forgets it, so that it is not taken for that of
/// a launch.
void ignore(cudaError_t status) {
  if (status != cudaSuccess) (void)cudaGetLastError();
}

/// What the driver may need beside our allocations: its context, kernels, local memory of running threads.
constexpr std::uint64_t kDriverReserve = std::uint64_t{512} << 20;

/// Stands for all kernels, which are built for the same cards.
__global__ void any_kernel() {}

Result<void> has_kernels(const cudaDeviceProp& properties, int device, const char* stage) {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, any_kernel);
  if (status == cudaSuccess) return {};
  (void)cudaGetLastError();
  return error_for(
      fault_of(status),
      describe(device, stage,
               std::string("this program has no kernels for ") + properties.name + ", sm_" +
                   std::to_string(properties.major) + std::to_string(properties.minor) +
                   ", which must be among CMAKE_CUDA_ARCHITECTURES: " + cudaGetErrorString(status)));
}

}  // namespace

const char* fault_name(Fault fault) {
  switch (fault) {
    case Fault::none:
      return "none";
    case Fault::out_of_memory:
      return "out of memory";
    case Fault::illegal_access:
      return "illegal access";
    case Fault::lost:
      return "device lost";
    case Fault::unavailable:
      return "device unavailable";
    case Fault::other:
      break;
  }
  return "other";
}

void DeviceMemory::release() {
  if (context_ != nullptr) context_->free(data_, bytes_);
  context_ = nullptr;
  data_ = nullptr;
  bytes_ = 0;
}

PinnedMemory::~PinnedMemory() {
  if (data_ == nullptr) return;
  // On a thread without a device the runtime would begin to use the first one for this. A failure here means
  // a dead device, which the context has reported or will report.
  ignore(cudaSetDevice(device_));
  ignore(cudaFreeHost(data_));
}

Result<std::unique_ptr<Context>> Context::create(const ContextOptions& options) {
  std::unique_ptr<Context> self(new Context);
  self->device_ = options.device;
  const char* const stage = "start";
  CUZK_TRY(self->check(cudaSetDevice(options.device), stage));
  cudaDeviceProp properties{};
  CUZK_TRY(self->check(cudaGetDeviceProperties(&properties, options.device), stage));
  self->name_ = properties.name;
  self->multiprocessors_ = static_cast<unsigned>(properties.multiProcessorCount);
  self->shared_bytes_ = static_cast<unsigned>(properties.sharedMemPerMultiprocessor);
  self->shared_bytes_reserved_ = static_cast<unsigned>(properties.reservedSharedMemPerBlock);
  CUZK_TRY(has_kernels(properties, options.device, stage));
  std::size_t free = 0;
  std::size_t total = 0;
  CUZK_TRY(self->check(cudaMemGetInfo(&free, &total), stage));
  const std::uint64_t most = free > kDriverReserve ? free - kDriverReserve : 0;
  self->vram_limit_ = options.vram_limit == 0 ? most : std::min<std::uint64_t>(options.vram_limit, most);
  CUZK_TRY(self->check(cudaStreamCreateWithFlags(&self->stream_, cudaStreamNonBlocking), stage));
  CUZK_TRY(self->check(cudaStreamCreateWithFlags(&self->copies_, cudaStreamNonBlocking), stage));
  for (CUstream_st*& beside : self->beside_)
    CUZK_TRY(self->check(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking), stage));
  cudaMemPoolProps pool{};
  pool.allocType = cudaMemAllocationTypePinned;
  pool.location.type = cudaMemLocationTypeDevice;
  pool.location.id = options.device;
  CUZK_TRY(self->check(cudaMemPoolCreate(&self->pool_, &pool), stage));
  std::uint64_t keep = UINT64_MAX;
  CUZK_TRY(self->check(cudaMemPoolSetAttribute(self->pool_, cudaMemPoolAttrReleaseThreshold, &keep), stage));
  return Result<std::unique_ptr<Context>>(std::move(self));
}

Context::~Context() {
  // Nothing can be reported from here. A dead context is not waited for, as a device that hangs never comes
  // to an end; all else is done for it as well, since an error may be deadly here and leave the device alive.
  ignore(cudaSetDevice(device_));
  if (fault() == Fault::none) {
    if (stream_ != nullptr) ignore(cudaStreamSynchronize(stream_));
    if (copies_ != nullptr) ignore(cudaStreamSynchronize(copies_));
    for (CUstream_st* const beside : beside_)
      if (beside != nullptr) ignore(cudaStreamSynchronize(beside));
  }
  if (pool_ != nullptr) ignore(cudaMemPoolDestroy(pool_));
  if (stream_ != nullptr) ignore(cudaStreamDestroy(stream_));
  if (copies_ != nullptr) ignore(cudaStreamDestroy(copies_));
  for (CUstream_st* const beside : beside_)
    if (beside != nullptr) ignore(cudaStreamDestroy(beside));
}

std::uint64_t Context::bytes_in_use() const {
  const std::lock_guard lock(mutex_);
  return in_use_;
}
std::uint64_t Context::peak_bytes() const {
  const std::lock_guard lock(mutex_);
  return peak_;
}
void Context::reset_peak() {
  std::uint64_t from_now_on = 0;
  for (const cudaMemPoolAttr most : {cudaMemPoolAttrUsedMemHigh, cudaMemPoolAttrReservedMemHigh})
    ignore(cudaMemPoolSetAttribute(pool_, most, &from_now_on));
  const std::lock_guard lock(mutex_);
  peak_ = in_use_;
}
std::uint64_t Context::watched_bytes() const {
  const std::lock_guard lock(mutex_);
  return watched_;
}
void Context::watch() {
  const std::lock_guard lock(mutex_);
  watched_ = in_use_;
}
Fault Context::fault() const {
  const std::lock_guard lock(mutex_);
  return fault_;
}

Result<void> Context::bind() {
  return check(cudaSetDevice(device_), "start");
}

Result<DeviceMemory> Context::allocate(std::uint64_t bytes, const char* what) {
  const std::uint64_t size = bytes > vram_limit_ ? bytes : rounded(bytes);
  {
    const std::lock_guard lock(mutex_);
    if (fault_ != Fault::none) return error_for(fault_, fault_message_);
    if (size > vram_limit_ - in_use_)
      return error_for(Fault::out_of_memory, describe(device_, what,
                                                      "out of memory: " + std::to_string(size) +
                                                          " bytes asked for, " + std::to_string(in_use_) +
                                                          " of " + std::to_string(vram_limit_) + " in use"));
    in_use_ += size;
    peak_ = std::max(peak_, in_use_);
    watched_ = std::max(watched_, in_use_);
  }
  // From here on it is counted, and given back by the destructor whatever happens.
  DeviceMemory memory;
  memory.context_ = this;
  memory.bytes_ = size;
  cudaError_t status = cudaMallocFromPoolAsync(&memory.data_, size, pool_, stream_);
  if (status == cudaErrorMemoryAllocation) {
    // What the pool keeps may be in pieces that are too small.
    (void)cudaGetLastError();
    CUZK_TRY(trim());
    status = cudaMallocFromPoolAsync(&memory.data_, size, pool_, stream_);
  }
  if (status != cudaSuccess) memory.data_ = nullptr;
  CUZK_TRY(check(status, what));
  if (poison_) CUZK_TRY(check(cudaMemsetAsync(memory.data_, 0xA5, size, stream_), what));
  return Result<DeviceMemory>(std::move(memory));
}

void Context::free(void* data, std::uint64_t bytes) noexcept {
  // Dead or not: see the destructor. Without the mutex, which readers of the accounting must not wait for.
  if (data != nullptr) ignore(cudaFreeAsync(data, stream_));
  const std::lock_guard lock(mutex_);
  in_use_ -= bytes;
}

Result<Context::PoolMemory> Context::pool_memory() {
  PoolMemory memory;
  const auto ask = [&](cudaMemPoolAttr attribute, std::uint64_t& value) {
    return check(cudaMemPoolGetAttribute(pool_, attribute, &value), "memory");
  };
  CUZK_TRY(ask(cudaMemPoolAttrUsedMemCurrent, memory.in_use));
  CUZK_TRY(ask(cudaMemPoolAttrUsedMemHigh, memory.most_in_use));
  CUZK_TRY(ask(cudaMemPoolAttrReservedMemHigh, memory.most_reserved));
  return memory;
}

Result<PinnedMemory> Context::allocate_pinned(std::uint64_t bytes, const char* what) {
  PinnedMemory memory;
  const cudaError_t status =
      cudaHostAlloc(&memory.data_, std::max<std::uint64_t>(bytes, 1), cudaHostAllocPortable);
  if (status != cudaSuccess) {
    // The cause says "out of memory", which is not the device's.
    const std::string stage =
        std::string(what) + ", " + std::to_string(bytes) + " bytes of page-locked host memory";
    CUZK_TRY(check(status, stage.c_str()));
  }
  memory.device_ = device_;
  memory.bytes_ = bytes;
  return Result<PinnedMemory>(std::move(memory));
}

Result<void> Context::upload(void* to, const void* from, std::uint64_t bytes, const char* stage) {
  return check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), stage);
}
Result<void> Context::download(void* to, const void* from, std::uint64_t bytes, const char* stage) {
  CUZK_TRY(check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), stage));
  return synchronize(stage);
}

Result<void> Context::check(int code, const char* stage) {
  const auto status = static_cast<cudaError_t>(code);
  // The runtime keeps a copy for the thread, which must not be taken for the failure of a launch, neither
  // here nor on another device: whether this context is dead already or not. (Of what a kernel did it gives
  // the error again and again.)
  ignore(status);
  const std::lock_guard lock(mutex_);
  if (fault_ != Fault::none) return error_for(fault_, fault_message_);
  if (status == cudaSuccess) return {};
  const Fault fault = fault_of(status);
  std::string message = describe(device_, stage, std::string(cudaGetErrorString(status)));
  if (fault != Fault::out_of_memory) {
    fault_ = fault;
    fault_message_ = message;
  }
  return error_for(fault, std::move(message));
}

Result<void> Context::check_launch(const char* stage) {
  return check(cudaGetLastError(), stage);
}

Result<void> Context::synchronize(const char* stage) {
  return check(cudaStreamSynchronize(stream_), stage);
}

Result<void> Context::trim() {
  CUZK_TRY(synchronize("memory"));
  return check(cudaMemPoolTrimTo(pool_, 0), "memory");
}

}  // namespace cuzk::cuda
