#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "cuzk/base/result.h"

namespace cuzk {

/// Where a decoder is inside a nested message, for error messages: "vanilla_proofs.Single.path[3].hashes[0]".
/// Keeping it up to date costs two stores a level; the text is made only when it is asked for. Names must
/// outlive their level.
class FieldPath {
 public:
  static constexpr std::size_t kMaxDepth = 32;

  void push(std::string_view name) {
    CUZK_CHECK(depth_ < kMaxDepth);
    levels_[depth_++] = {name, 0};
  }
  void push_index(std::uint64_t index) {
    CUZK_CHECK(depth_ < kMaxDepth);
    levels_[depth_++] = {{}, index};
  }
  void set_index(std::uint64_t index) { levels_[depth_ - 1].index = index; }
  void pop() { --depth_; }

  /// Empty for the message itself.
  [[nodiscard]] std::string to_string() const {
    std::string out;
    for (std::size_t i = 0; i < depth_; ++i) {
      if (levels_[i].name.data() == nullptr) {
        out += '[' + std::to_string(levels_[i].index) + ']';
      } else {
        if (!out.empty()) out += '.';
        out += levels_[i].name;
      }
    }
    return out;
  }

 private:
  struct Level {
    std::string_view name;  // null data: an index
    std::uint64_t index;
  };
  std::array<Level, kMaxDepth> levels_{};
  std::size_t depth_ = 0;
};

/// One level of a FieldPath for the life of the object.
class PathLevel {
 public:
  PathLevel(FieldPath& path, std::string_view name) : path_(path) { path_.push(name); }
  PathLevel(FieldPath& path, std::uint64_t index) : path_(path) { path_.push_index(index); }
  ~PathLevel() { path_.pop(); }
  PathLevel(const PathLevel&) = delete;
  PathLevel& operator=(const PathLevel&) = delete;
  void set_index(std::uint64_t index) { path_.set_index(index); }

 private:
  FieldPath& path_;
};

}  // namespace cuzk
