#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "cuzk/timeline/task.h"

namespace cuzk::timeline {

/// For things drawn that have no worker of their own: the row of each interval, the lowest row that is free
/// when it begins. `intervals` in order of their begins. O(n log n). Thread-safe.
inline std::vector<std::size_t> assign_rows(const std::vector<Interval>& intervals) {
  std::vector<std::size_t> rows;
  std::set<std::size_t> free;
  std::set<std::pair<std::int64_t, std::size_t>> busy;  // end, row
  std::size_t used = 0;
  for (const Interval& interval : intervals) {
    while (!busy.empty() && busy.begin()->first <= interval.begin) {
      free.insert(busy.begin()->second);
      busy.erase(busy.begin());
    }
    if (free.empty()) free.insert(used++);
    const std::size_t row = *free.begin();
    free.erase(free.begin());
    busy.insert({interval.end, row});
    rows.push_back(row);
  }
  return rows;
}

}  // namespace cuzk::timeline
