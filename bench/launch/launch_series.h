#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "cuzk/cuda/context.h"
#include "cuzk/groth16/proof.h"
#include "cuzk/groth16/prover.h"
#include "device_check.h"

namespace cuzk::bench {

/// Ends the program: a result that cannot be is a failed check, anything else is the environment's.
[[noreturn]] inline void stop(const Error& error) {
  const bool wrong = error.code == ErrorCode::kInternal || error.code == ErrorCode::kUnsatisfied;
  std::fprintf(stderr, "%s: %s\n", wrong ? "FAILED" : "cuzk_launch_bench", error.message.c_str());
  std::exit(wrong ? 1 : error.code == ErrorCode::kUsage ? 2 : 3);
}
template <class T>
T require(Result<T> result) {
  if (!result) stop(result.error());
  return std::move(result).value();
}
inline void require(const Result<void>& result) {
  if (!result) stop(result.error());
}

/// Prints how long each step took.
class Steps {
 public:
  void done(const std::string& what) {
    const auto now = std::chrono::steady_clock::now();
    std::printf("%8.3f s  %s\n", std::chrono::duration<double>(now - last_).count(), what.c_str());
    std::fflush(stdout);
    last_ = std::chrono::steady_clock::now();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// The bench's secrets: never for use.
Fr secret(std::uint64_t i);

/// What a series of launches proves, how often.
struct LaunchSeries {
  std::shared_ptr<const groth16::ProvingKey> key;
  std::shared_ptr<const Witness> witness;
  unsigned launches;
  bool compare = false;  ///< the first proof with the CPU's
};

/// Launches one at a time, all with the same r and s; prints what each took and the medians of the stages.
/// Reports proofs that do not verify or are not all the same bytes; the proof. `context` is the device's,
/// null on the CPU.
groth16::ProofBytes run_launches(ThreadPool& pool, groth16::Prover& prover, cuda::Context* context,
                                 const LaunchSeries& series, device_test::Report& report);

}  // namespace cuzk::bench
