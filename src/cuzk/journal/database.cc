#include "cuzk/journal/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cuzk/base/positioned_file.h"

namespace cuzk::journal {
namespace {

Error failure(sqlite3* db) {
  const char* path = sqlite3_db_filename(db, "main");
  return io_error("journal '" + std::string(path == nullptr ? "" : path) + "': " + sqlite3_errmsg(db));
}

constexpr std::size_t kLogHead = 32;
constexpr std::size_t kFrameHead = 24;

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 |
         bytes[3];
}

/// The log's running checksum, over words in the order that its head names.
struct LogChecksum {
  bool big = false;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void add(ByteSpan bytes) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first += word(bytes.data() + at) + second;
      second += word(bytes.data() + at + 4) + first;
    }
  }
  [[nodiscard]] bool is_at(const std::uint8_t* stored) const {
    return big_endian(stored) == first && big_endian(stored + 4) == second;
  }

 private:
  [[nodiscard]] std::uint32_t word(const std::uint8_t* bytes) const {
    return big ? big_endian(bytes) : load_le<std::uint32_t>(bytes);
  }
};

}  // namespace

std::optional<std::uint64_t> broken_log_offset(const std::string& path) {
  const Result<PositionedFile> log = PositionedFile::open(path + "-wal");
  if (!log || log->size() <= kLogHead) return std::nullopt;
  std::array<std::uint8_t, kLogHead> head{};
  if (!log->read(0, head)) return std::nullopt;
  LogChecksum sum;
  sum.big = (head[3] & 1U) != 0;
  sum.add(ByteSpan(head).first(24));
  const std::uint64_t page = big_endian(head.data() + 8);
  if (!sum.is_at(head.data() + 24) || page < 512 || page > 65536) return 0;

  std::vector<std::uint8_t> frame(kFrameHead + page);
  std::optional<std::uint64_t> broken;
  unsigned commits_behind = 0;
  for (std::uint64_t at = kLogHead; at + frame.size() <= log->size(); at += frame.size()) {
    if (!log->read(at, frame)) return std::nullopt;
    // Frames of an earlier round of the log, which is written from its beginning again and again, have other
    // salts.
    const bool of_this_round = std::equal(frame.begin() + 8, frame.begin() + 16, head.begin() + 16);
    if (!broken) {
      sum.add(ByteSpan(frame).first(8));
      sum.add(ByteSpan(frame).subspan(kFrameHead));
      if (!of_this_round || !sum.is_at(frame.data() + 16)) broken = at;
    }
    if (broken && of_this_round && big_endian(frame.data() + 4) != 0) ++commits_behind;
  }
  return commits_behind > 1 ? broken : std::nullopt;
}

void SqlStatement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}
void Database::Close::operator()(sqlite3* db) const {
  sqlite3_close(db);
}

void SqlStatement::note(int code) {
  if (code != SQLITE_OK && bind_error_ == SQLITE_OK) bind_error_ = code;
}

SqlStatement& SqlStatement::bind(int parameter, std::string_view text) {
  note(sqlite3_bind_text64(statement_.get(), parameter + 1, text.data() == nullptr ? "" : text.data(),
                           text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

SqlStatement& SqlStatement::bind(int parameter, ByteSpan bytes) {
  if (bytes.empty())
    note(sqlite3_bind_zeroblob(statement_.get(), parameter + 1, 0));
  else
    note(sqlite3_bind_blob64(statement_.get(), parameter + 1, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
  return *this;
}

SqlStatement& SqlStatement::bind(int parameter, std::int64_t number) {
  note(sqlite3_bind_int64(statement_.get(), parameter + 1, number));
  return *this;
}

Result<bool> SqlStatement::step() {
  if (bind_error_ != SQLITE_OK) return io_error(std::string("journal: ") + sqlite3_errstr(bind_error_));
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return failure(db_);
  }
}

Result<void> SqlStatement::run() {
  CUZK_TRY_ASSIGN(bool row, step());
  while (row) {
    CUZK_TRY_ASSIGN(row, step());
  }
  return {};
}

std::string SqlStatement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::vector<std::uint8_t> SqlStatement::bytes(int column) const {
  const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_.get(), column));
  if (data == nullptr) return {};
  return {data, data + sqlite3_column_bytes(statement_.get(), column)};
}

std::int64_t SqlStatement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

Result<Database> Database::open(const std::string& path) {
  // SQLite would make the file with what the umask leaves of 0644; its log gets the mode of the file.
  if (const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600); fd >= 0) ::close(fd);
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(raw);
  if (raw == nullptr) throw std::bad_alloc();
  if (code != SQLITE_OK) return io_error("journal '" + path + "': " + sqlite3_errmsg(raw));
  sqlite3_busy_timeout(raw, 5000);
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  CUZK_TRY(
      database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON"));
  return database;
}

Result<void> Database::check() {
  CUZK_TRY_ASSIGN(SqlStatement check, prepare("PRAGMA integrity_check(1)"));
  CUZK_TRY_ASSIGN(const bool answered, check.step());
  if (answered && check.text(0) == "ok") return {};
  return io_error("journal '" + std::string(sqlite3_db_filename(db_.get(), "main")) +
                  "' is damaged: " + (answered ? check.text(0) : "it cannot be checked"));
}

void Database::trust() {
  sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
}

Result<void> Database::execute(const std::string& sql) {
  if (sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return failure(db_.get());
  return {};
}

Result<SqlStatement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(db_.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr) != SQLITE_OK)
    return failure(db_.get());
  return SqlStatement(db_.get(), raw);
}

}  // namespace cuzk::journal
