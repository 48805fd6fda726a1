#pragma once

#include <span>
#include <string_view>

namespace cuzk::server {

/// One file of the dashboard, compiled into the program. Everything has static storage.
struct DashboardFile {
  std::string_view path;          ///< as in the URL: "/" for the page, "/dashboard/NAME" for the rest
  std::string_view content_type;  ///< with its charset where it is text
  std::string_view content;
};

std::span<const DashboardFile> dashboard_files();

/// The file at that path, or null.
const DashboardFile* find_dashboard_file(std::string_view path);

}  // namespace cuzk::server
