#pragma once

// For tests: needs the definition CUZK_TEST_DATA, which every test binary has.

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace cuzk {

/// The lines of a table in tests/data with a header line and # comments, as column name -> text.
inline std::vector<std::map<std::string, std::string>> read_table(const std::string& file) {
  std::ifstream in(std::string(CUZK_TEST_DATA) + "/" + file);
  std::vector<std::map<std::string, std::string>> out;
  std::vector<std::string> header;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(fields, cell, '\t');) cells.push_back(cell);
    if (header.empty()) {
      header = cells;
      continue;
    }
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = cells.at(i);
    out.push_back(row);
  }
  return out;
}

}  // namespace cuzk
