#include "cuzk/engine/engine.h"

#include <algorithm>
#include <limits>
#include <system_error>

#include "cuzk/base/hex.h"
#include "cuzk/base/random.h"
#include "cuzk/engine/internal/engine_impl.h"
#include "cuzk/engine/internal/guarded.h"

namespace cuzk::engine {
namespace {

/// Circuits, and requests of the journal, that are loaded at the same time.
constexpr unsigned kLoaders = 2;

EngineConfig resolved(EngineConfig config) {
  if (config.memory_budget == 0) config.memory_budget = available_memory();
  if (config.memory_budget == 0) config.memory_budget = std::numeric_limits<std::uint64_t>::max();
  return config;
}

}  // namespace

Engine::Impl::Impl(EngineConfig config, EngineParts parts)
    : config_(resolved(std::move(config))),
      parts_(std::move(parts)),
      mode_(pipeline_mode(config_)),
      started_(parts_.clock.now()),
      condition_(parts_.clock.make_condition()),
      budget_(config_.memory_budget, std::min(request_memory(config_), config_.memory_budget)),
      freed_(budget_),
      cache_(budget_, freed_, config_.eviction_min_idle) {
  const bool before_per_partition = config_.partition_workers == 0U;
  synthesis_workers_ =
      before_per_partition ? config_.max_parallel_synthesis : config_.partition_workers.value_or(0);
  if (synthesis_workers_ == 0) synthesis_workers_ = parts_.pool.size();
  const auto devices = static_cast<unsigned>(parts_.devices.size());
  const unsigned device_workers = devices * config_.workers_per_device;
  finishers_ = config_.finishers > 0 ? config_.finishers : device_workers;
  queue_depth_ = config_.max_gpu_queue_depth.value_or(std::size_t{4} * device_workers);
  for (const std::shared_ptr<Device>& device : parts_.devices) {
    auto slot = std::make_unique<DeviceSlot>();
    slot->device = device;
    slot->index = devices_.size();
    slot->lock = groth16::DeviceLock(parts_.clock);
    slot->current.resize(config_.workers_per_device);
    devices_.push_back(std::move(slot));
  }
}

Result<void> Engine::Impl::start() {
  std::array<std::uint8_t, 4> prefix{};
  CUZK_TRY(os_random(prefix));
  id_prefix_ = to_hex(prefix);
  if (parts_.journal != nullptr) {
    CUZK_TRY_ASSIGN(const Journal::Recovered recovered, parts_.journal->recover());
    recover(recovered);
  }
  std::vector<std::function<void()>> bodies;
  for (unsigned w = 0; w < synthesis_workers_; ++w) bodies.push_back([this, w] { synthesis_worker(w); });
  for (const auto& slot : devices_)
    for (unsigned w = 0; w < config_.workers_per_device; ++w)
      bodies.push_back([this, device = slot.get(), w] { device_worker(*device, w); });
  for (unsigned w = 0; w < finishers_; ++w) bodies.push_back([this] { finisher(); });
  for (unsigned w = 0; w < kLoaders; ++w) bodies.push_back([this] { loader(); });
  bodies.push_back([this] { dropper(); });
  bodies.push_back([this] { delivery(); });
  bodies.push_back([this] { keeper(); });
  // The last two answer whoever waits at the end; they are there first.
  try {
    for (auto body = bodies.rbegin(); body != bodies.rend(); ++body)
      threads_.push_back(parts_.clock.start_thread(std::move(*body)));
  } catch (const std::system_error& e) {
    const std::string message = e.what();
    if (threads_.size() == 1) {
      // The keeper alone: there is no delivery to wait for, and nobody who could wait for its answers.
      const Lock lock(mutex_);
      delivered_all_ = true;
    }
    shut_down(Duration::zero());
    return io_error("the system refuses the engine's " + std::to_string(bodies.size()) +
                    " threads: " + message);
  }
  return {};
}

void Engine::Impl::stop_submissions() {
  const Lock lock(mutex_);
  submissions_stopped_ = true;
  if (batch_) flush_batch();
  changed();
}

bool Engine::Impl::shut_down(std::optional<Duration> patience) {
  stop_submissions();
  Lock lock(mutex_);
  const Wake end = patience ? Wake(deadline(now(), *patience)) : Wake();
  // Jobs of an engine whose devices are lost are for the next process.
  const auto somebody_works = [&] { return submissions_ > 0 || (!live_.empty() && !(loss_ && loss_->told)); };
  while (somebody_works() && !(end && now() >= *end)) wait(lock, end);

  std::vector<JobPtr> rest;
  for (const auto& [sequence, job] : live_) rest.push_back(job);
  bool clean = submissions_ == 0;
  for (const JobPtr& job : rest) {
    clean = clean && job->settled;
    fail(job, FailureClass::kShutdown, "the engine was shut down");
  }
  // What nobody waits for any more is not loaded.
  while (!load_queue_.empty()) {
    const LoadTask task = load_queue_.pop_front();
    if (task.circuit == nullptr) continue;
    task.circuit->loading = false;
    cache_.cancel_key(*task.circuit);
  }
  for (const auto& [id, circuit] : cache_.entries())
    if (!circuit->loading) answer_preloads(*circuit, shutting_down());
  stopping_ = true;
  changed();
  lock.unlock();
  stop_loads_.request_stop();
  if (threads_.empty()) return clean;
  for (std::thread& thread : threads_) parts_.clock.join(thread);
  threads_.clear();
  for (const auto& [id, circuit] : cache_.entries())
    for (const auto& slot : devices_)
      if (circuit->key != nullptr) drop_from(*slot, *circuit->key, id);
  if (!loss_) take_starts_back(rest);  // else one of them may be why
  return clean;
}

// ---- the public face

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Engine::~Engine() {
  impl_->shut_down(Duration::zero());
}

Result<std::unique_ptr<Engine>> Engine::create(EngineConfig config, EngineParts parts) {
  CUZK_TRY(check(config));
  if (parts.devices.empty()) return usage_error("there is no device to prove on");
  CUZK_CHECK(parts.circuits != nullptr && parts.read_request);
  auto impl = std::make_unique<Impl>(std::move(config), std::move(parts));
  CUZK_TRY(impl->start());
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

Submission Engine::submit(JobRequest request) {
  return impl_->submit(std::move(request));
}
Result<WaiterId> Engine::await(const std::string& job_id, std::optional<Duration> timeout,
                               AwaitCallback done) {
  return impl_->await(job_id, timeout, std::move(done));
}
bool Engine::forget(WaiterId waiter) {
  return impl_->forget(waiter);
}
Result<Cancelled> Engine::cancel(const std::string& job_id) {
  return impl_->cancel(job_id);
}
void Engine::preload(const std::string& circuit_id, PreloadCallback done) {
  impl_->preload(circuit_id, std::move(done));
}
Result<Evicted> Engine::evict(const std::string& circuit_id) {
  return impl_->evict(circuit_id);
}
Status Engine::status() const {
  return impl_->status();
}
std::vector<JobStatus> Engine::jobs(std::size_t limit) const {
  return impl_->jobs(limit);
}
Result<JobStatus> Engine::job(const std::string& job_id) const {
  return impl_->job(job_id);
}
void Engine::stop_submissions() {
  impl_->stop_submissions();
}
bool Engine::shut_down(std::optional<Duration> patience) {
  return impl_->shut_down(patience);
}

}  // namespace cuzk::engine
