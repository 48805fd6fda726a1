#pragma once

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cuzk/cuda/context.h"

namespace cuzk::device_test {

/// Prints one line a check and remembers whether any failed. One thread at a time.
class Report {
 public:
  void line(const std::string& what, bool ok) {
    std::printf("%-64s %s\n", what.c_str(), ok ? "ok" : "FAILED");
    std::fflush(stdout);
    ++checks_;
    failed_ += ok ? 0 : 1;
  }
  /// What this program cannot check: the closing line repeats it.
  void skipped(const std::string& what) { skipped_ += (skipped_.empty() ? "" : "; ") + what; }
  /// The exit code of the program.
  int finish(const char* program) const {
    std::printf("%s: %d checks, %d failed%s%s\n", program, checks_, failed_,
                skipped_.empty() ? "" : "; skipped: ", skipped_.c_str());
    return failed_ == 0 ? 0 : 1;
  }

 private:
  int checks_ = 0;
  int failed_ = 0;
  std::string skipped_;
};

/// What a program was called with, taken from front to back. What is wrong ends the program with 2 and its
/// usage; --help with 0. What can be asked for is to be taken before anything is checked.
class Arguments {
 public:
  Arguments(int argc, char** argv, const char* usage) : usage_(usage), all_(argv + 1, argv + argc) {
    if (all_.empty() || (all_[0] != "--help" && all_[0] != "-h")) return;
    std::fputs(usage_, stdout);
    std::exit(0);
  }
  /// Takes the next one where it is this word.
  bool word(const char* expected) {
    if (at_ == all_.size() || all_[at_] != expected) return false;
    ++at_;
    return true;
  }
  /// The next one, a whole number; `otherwise` where there is none.
  unsigned number(const char* what, unsigned least, unsigned most, unsigned otherwise) {
    if (at_ == all_.size()) return otherwise;
    const std::string text = all_[at_++];
    unsigned value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || value < least || value > most)
      wrong("'" + text + "' is no " + what + " from " + std::to_string(least) + " to " +
            std::to_string(most));
    return value;
  }
  /// The next one, a folder that is there; /tmp where there is none.
  std::string folder() {
    if (at_ == all_.size()) return "/tmp";
    std::error_code ignored;
    if (!std::filesystem::is_directory(all_[at_], ignored)) wrong("'" + all_[at_] + "' is no folder");
    return all_[at_++];
  }
  [[nodiscard]] bool more() const { return at_ < all_.size(); }
  std::string next() { return all_.at(at_++); }
  /// There are no others.
  void end() const {
    if (more()) wrong("'" + all_[at_] + "' is one argument too many");
  }
  [[noreturn]] void wrong(const std::string& what) const {
    std::fprintf(stderr, "%s\n%s", what.c_str(), usage_);
    std::exit(2);
  }

 private:
  const char* usage_;
  std::vector<std::string> all_;
  std::size_t at_ = 0;
};

/// The value, or the end of the program with 3: the environment does not serve.
template <class T>
T require(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(3);
  }
  return std::move(result).value();
}
inline void require(const Result<void>& result) {
  if (result) return;
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(3);
}

/// What the driver says of a context's memory, once the work before is done: what the context counts itself
/// cannot show that it counts wrongly.
inline cuda::Context::PoolMemory pool_memory(cuda::Context& context) {
  require(context.synchronize("check"));
  return require(context.pool_memory());
}
/// What the driver may have of the device beyond a limit: it takes memory in steps, and free memory in pieces
/// does not serve every request. Where an H200's driver (580.159.04) was asked, for limits from 3.5 MB to
/// 2.5 GB, it never had more (docs/gpu-runs.md). What is in use has no such slack.
constexpr std::uint64_t kPoolSlack = std::uint64_t{64} << 20;
/// Whether the limit held, by the driver's word, since the context was made or Context::reset_peak().
inline bool limit_held(cuda::Context& context) {
  const cuda::Context::PoolMemory memory = pool_memory(context);
  const bool held =
      memory.most_in_use <= context.vram_limit() && memory.most_reserved <= context.vram_limit() + kPoolSlack;
  if (!held)
    std::printf("the driver says: %llu bytes in use at a time, %llu of the device, under a limit of %llu\n",
                static_cast<unsigned long long>(memory.most_in_use),
                static_cast<unsigned long long>(memory.most_reserved),
                static_cast<unsigned long long>(context.vram_limit()));
  return held;
}

/// An array on the device.
template <class T>
class DeviceArray {
 public:
  DeviceArray(cuda::Context& context, std::size_t count)
      : context_(&context),
        count_(count),
        memory_(require(context.allocate(count * sizeof(T), "test data"))) {}
  DeviceArray(cuda::Context& context, const std::vector<T>& values) : DeviceArray(context, values.size()) {
    set(values);
  }
  void set(const std::vector<T>& values) {
    require(context_->upload(data(), values.data(), values.size() * sizeof(T), "test data"));
  }
  [[nodiscard]] std::vector<T> get() const {
    std::vector<T> values(count_);
    require(context_->download(values.data(), data(), count_ * sizeof(T), "test data"));
    return values;
  }
  [[nodiscard]] T* data() const { return memory_.template as<T>(); }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  cuda::Context* context_;
  std::size_t count_;
  cuda::DeviceMemory memory_;
};

}  // namespace cuzk::device_test
