#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace cuzk::app {

/// Shows on stderr which stage a command is in and for how long, and keeps the stage times for the summary.
/// On a terminal it redraws one line ten times a second once a stage has lasted over half a second; otherwise
/// it writes one plain line every ten seconds. Silent when made so (--no-progress). It has no colour.
class Progress {
 public:
  struct Stage {
    std::string name;
    double seconds;
  };

  explicit Progress(bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// For work that reports the fraction that is done: the total, and a part of it.
  static constexpr std::size_t kWhole = 10'000;
  static std::size_t part(double fraction) { return static_cast<std::size_t>(fraction * kWhole); }

  /// Ends the stage that runs, if any, and begins the next. `total` is in whatever unit advance() counts; 0
  /// means that the stage cannot tell how far it is.
  void begin(std::string name, std::size_t total = 0);
  /// May be called from any thread.
  void advance(std::size_t amount) { done_.fetch_add(amount, std::memory_order_relaxed); }
  /// For work that reports its running total. May be called from any thread; a total that comes late, below
  /// one already seen, changes nothing.
  void advance_to(std::size_t total) {
    std::size_t seen = done_.load(std::memory_order_relaxed);
    while (seen < total && !done_.compare_exchange_weak(seen, total, std::memory_order_relaxed)) {
    }
  }
  /// Ends the stage that runs.
  void end();

  [[nodiscard]] const std::vector<Stage>& stages() const { return stages_; }

 private:
  using Clock = std::chrono::steady_clock;
  void draw_loop();
  [[nodiscard]] std::string line() const;
  void erase_line();

  bool enabled_;
  bool terminal_;
  std::vector<Stage> stages_;
  std::atomic<std::size_t> done_{0};

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;          // guarded by mutex_
  bool running_ = false;       // guarded by mutex_
  bool drawn_ = false;         // guarded by mutex_
  std::string name_;           // guarded by mutex_
  std::size_t total_ = 0;      // guarded by mutex_
  Clock::time_point since_{};  // guarded by mutex_
  std::thread drawer_;
};

}  // namespace cuzk::app
