#include "cuzk/server/dashboard/files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace cuzk::server {
namespace {

std::string source(std::string_view name) {
  std::ostringstream out;
  out << std::ifstream(std::string(CUZK_DASHBOARD) + "/" + std::string(name)).rdbuf();
  return out.str();
}

TEST(DashboardFiles, AreTheFilesOfTheFolder) {
  for (const DashboardFile& file : dashboard_files()) {
    const std::string_view name =
        file.path == "/" ? "index.html" : file.path.substr(sizeof "/dashboard/" - 1);
    EXPECT_FALSE(file.content.empty()) << file.path;
    EXPECT_EQ(file.content, source(name)) << file.path;
    EXPECT_EQ(find_dashboard_file(file.path), &file);
  }
  EXPECT_EQ(find_dashboard_file("/dashboard/"), nullptr);
  EXPECT_EQ(find_dashboard_file("/dashboard/none.js"), nullptr);
}

// The policy of docs/http.md is default-src 'self': what it forbids would fail in the browser only.
TEST(DashboardFiles, NothingInlineAndNothingFromElsewhere) {
  for (const DashboardFile& file : dashboard_files()) {
    EXPECT_EQ(file.content.find(" style=\""), std::string_view::npos) << file.path;
    EXPECT_EQ(file.content.find(" onclick"), std::string_view::npos) << file.path;
    EXPECT_EQ(file.content.find("innerHTML"), std::string_view::npos) << file.path;
    EXPECT_EQ(file.content.find("https:"), std::string_view::npos) << file.path;
    // The name space of SVG is no address that anything is fetched from.
    EXPECT_TRUE(file.path == "/dashboard/icon.svg" || file.content.find("http:") == std::string_view::npos)
        << file.path;
  }
}

// Every module that a file names is one that is served.
TEST(DashboardFiles, ImportsAreServed) {
  int found = 0;
  for (const DashboardFile& file : dashboard_files()) {
    constexpr std::string_view kFrom = " from './";
    for (std::size_t at = file.content.find(kFrom); at != std::string_view::npos;
         at = file.content.find(kFrom, at + 1)) {
      const std::size_t begin = at + kFrom.size();
      const std::string name(file.content.substr(begin, file.content.find('\'', begin) - begin));
      EXPECT_NE(find_dashboard_file("/dashboard/" + name), nullptr) << file.path << " imports " << name;
      ++found;
    }
  }
  EXPECT_GE(found, 6);
}

}  // namespace
}  // namespace cuzk::server
