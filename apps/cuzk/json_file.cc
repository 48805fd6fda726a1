#include "json_file.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cuzk/base/input_file.h"

namespace cuzk::app {
namespace {

/// Builds the value and stops at the first thing that the format of our files forbids.
class StrictBuilder final : public nlohmann::json_sax<Json> {
 public:
  [[nodiscard]] const std::string& fault() const { return fault_; }
  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(Json::number_integer_t value) override { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) override { return add(value); }
  bool number_float(Json::number_float_t value, const std::string& /*text*/) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) override { return fail("a binary value"); }
  bool start_object(std::size_t /*elements*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*elements*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    open_.back().key = std::move(name);
    if (open_.back().value->contains(open_.back().key)) return fail("the member occurs twice");
    return true;
  }
  bool parse_error(std::size_t at, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    // The parser's own message holds the token, however long it is.
    fault_ = "not valid JSON at byte " + std::to_string(at);
    return false;
  }

 private:
  struct Level {
    Json* value;
    std::string key;  // of the member that is being read
  };

  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Level& level = open_.back();
    if (level.value->is_object()) return &((*level.value)[level.key] = std::move(value));
    level.value->push_back(std::move(value));
    return &level.value->back();
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json empty) {
    if (open_.size() == kMaxJsonDepth) {
      open_.resize(1);  // the whole path would be unreadable
      return fail("nested more than " + std::to_string(kMaxJsonDepth) + " levels deep");
    }
    open_.push_back({place(std::move(empty)), {}});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  /// `what` at the member that is being read.
  bool fail(const std::string& what) {
    constexpr std::size_t kMostOfAName = 64;
    std::string path;
    for (const Level& level : open_) {
      if (level.value->is_array()) {
        path.append("[")
            .append(std::to_string(std::max<std::size_t>(level.value->size(), 1) - 1))
            .append("]");
      } else {
        if (!path.empty()) path.push_back('.');
        path.append(level.key, 0, kMostOfAName);
      }
    }
    if (!path.empty()) path.append(": ");
    fault_ = path.append(what);
    return false;
  }

  Json root_;
  std::vector<Level> open_;
  std::string fault_;
};

}  // namespace

Result<Json> read_json(const std::string& path) {
  CUZK_TRY_ASSIGN(const FileBytes file, FileBytes::read(path, kMaxJsonBytes));
  const ByteSpan text = file.bytes();
  // The parser takes a zero byte for the end.
  if (std::find(text.begin(), text.end(), 0) != text.end())
    return bad_input("'" + path + "' is not valid JSON: it has a zero byte");
  StrictBuilder builder;
  if (!Json::sax_parse(text.begin(), text.end(), &builder))
    return bad_input("'" + path + "': " + builder.fault());
  return builder.take();
}

std::string to_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace cuzk::app
