#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace cuzk::journal {

class Database;

/// A prepared statement of one database, which must outlive it. Parameters and columns count from 0. Not
/// thread-safe.
class SqlStatement {
 public:
  SqlStatement(SqlStatement&&) noexcept = default;
  SqlStatement& operator=(SqlStatement&&) noexcept = default;

  /// What is bound is copied. An empty span binds an empty blob, not NULL.
  SqlStatement& bind(int parameter, std::string_view text);
  SqlStatement& bind(int parameter, ByteSpan bytes);
  SqlStatement& bind(int parameter, std::int64_t number);

  /// The next row: true while there is one. An error of the database or of a bind before it.
  Result<bool> step();
  /// Runs a statement that gives no rows.
  Result<void> run();

  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::vector<std::uint8_t> bytes(int column) const;
  [[nodiscard]] std::int64_t number(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  SqlStatement(sqlite3* db, sqlite3_stmt* statement) : db_(db), statement_(statement) {}
  void note(int code);

  sqlite3* db_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bind_error_ = 0;
};

/// One connection to an SQLite file. Not thread-safe. Errors are kIo and name the file.
class Database {
 public:
  /// Opens or makes the file (mode 0600): write-ahead log, every commit on disk when it returns. Until trust
  /// is called the log stays beside the file, also when the connection closes: a damaged file is left as it
  /// was found.
  static Result<Database> open(const std::string& path);

  /// kIo, with SQLite's words, when the file is damaged: pages, indices and the types of columns.
  Result<void> check();
  /// The file is what it should be: from now on the log goes into it in due time.
  void trust();

  /// Runs statements that take no parameters and give no rows that matter.
  Result<void> execute(const std::string& sql);
  Result<SqlStatement> prepare(std::string_view sql);

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  explicit Database(sqlite3* db) : db_(db) {}
  std::unique_ptr<sqlite3, Close> db_;
};

/// Where the write-ahead log of the database at `path` stops being what was written although several commits
/// follow: SQLite takes what is before, without a word. (A power cut may tear the last one; several may be
/// what was taken back when the disk refused a write.) Nothing when it is whole, not there or cannot be read.
/// To be asked before the database is opened. The log's form:
/// https://www.sqlite.org/fileformat2.html#the_write_ahead_log
std::optional<std::uint64_t> broken_log_offset(const std::string& path);

}  // namespace cuzk::journal
