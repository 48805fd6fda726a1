#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
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

/// The value, or the end of the program.
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
