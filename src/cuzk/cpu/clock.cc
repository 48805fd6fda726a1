#include "cuzk/cpu/clock.h"

#include <condition_variable>

namespace cuzk {
namespace {

class RealCondition : public Condition {
 public:
  void wait(std::unique_lock<std::mutex>& lock) override { changed_.wait(lock); }
  void wait_until(std::unique_lock<std::mutex>& lock, TimePoint deadline) override {
    changed_.wait_until(lock, deadline);
  }
  void notify_all() override { changed_.notify_all(); }

 private:
  std::condition_variable changed_;
};

class RealClock : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override { return std::chrono::steady_clock::now(); }
  void sleep_until(TimePoint deadline) override { std::this_thread::sleep_until(deadline); }
  [[nodiscard]] std::unique_ptr<Condition> make_condition() override {
    return std::make_unique<RealCondition>();
  }
  [[nodiscard]] std::thread start_thread(std::function<void()> body) override {
    return std::thread(std::move(body));
  }
  void join(std::thread& thread) override { thread.join(); }
};

}  // namespace

Clock& real_clock() {
  static RealClock clock;
  return clock;
}

}  // namespace cuzk
