#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "output.h"

namespace cuzk::app {

using namespace std::chrono_literals;

Progress::Progress(bool enabled) : enabled_(enabled), terminal_(::isatty(STDERR_FILENO) == 1) {
  if (enabled_) drawer_ = std::thread([this] { draw_loop(); });
}

Progress::~Progress() {
  end();
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (drawer_.joinable()) drawer_.join();
}

void Progress::begin(std::string name, std::size_t total) {
  end();
  const std::lock_guard lock(mutex_);
  name_ = std::move(name);
  total_ = total;
  done_.store(0, std::memory_order_relaxed);
  since_ = Clock::now();
  running_ = true;
}

void Progress::end() {
  const std::lock_guard lock(mutex_);
  if (!running_) return;
  running_ = false;
  erase_line();
  stages_.push_back({name_, std::chrono::duration<double>(Clock::now() - since_).count()});
}

std::string Progress::line() const {
  const double seconds = std::chrono::duration<double>(Clock::now() - since_).count();
  if (total_ == 0) return fmt::format("{}  {:.1f} s", name_, seconds);
  const double part =
      std::min(1.0, static_cast<double>(done_.load(std::memory_order_relaxed)) / static_cast<double>(total_));
  constexpr int kWidth = 30;
  const int filled = static_cast<int>(part * kWidth);
  std::string text = fmt::format("{}  [{:=<{}}{: <{}}] {:3.0f} %  {:.1f} s", name_, "", filled, "",
                                 kWidth - filled, 100 * part, seconds);
  if (part > 0.02) text += fmt::format(", about {:.0f} s left", seconds * (1 - part) / part);
  return text;
}

void Progress::erase_line() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

void Progress::draw_loop() {
  Clock::time_point last_plain = Clock::now();
  std::unique_lock lock(mutex_);
  while (!stop_) {
    wake_.wait_for(lock, 100ms);
    if (stop_ || !running_ || Clock::now() - since_ < 500ms) continue;
    if (terminal_) {
      tell("\r\x1b[K{}", line());
      std::fflush(stderr);
      drawn_ = true;
    } else if (Clock::now() - std::max(last_plain, since_) >= 10s) {
      tell("{}\n", line());
      last_plain = Clock::now();
    }
  }
}

}  // namespace cuzk::app
