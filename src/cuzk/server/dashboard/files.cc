#include "cuzk/server/dashboard/files.h"

#include <array>

namespace cuzk::server {
namespace {

// Bytes and count of each file; embed.cmake writes them at build time.
#include "dashboard_bytes.inc"

constexpr std::string_view kScript = "text/javascript; charset=utf-8";

std::string_view text(const unsigned char* bytes, std::size_t count) {
  return {reinterpret_cast<const char*>(bytes), count};
}

}  // namespace

std::span<const DashboardFile> dashboard_files() {
  static const std::array<DashboardFile, 9> files = {{
      {"/", "text/html; charset=utf-8", text(index_html, sizeof index_html)},
      {"/dashboard/style.css", "text/css; charset=utf-8", text(style_css, sizeof style_css)},
      {"/dashboard/icon.svg", "image/svg+xml", text(icon_svg, sizeof icon_svg)},
      {"/dashboard/main.js", kScript, text(main_js, sizeof main_js)},
      {"/dashboard/feed.js", kScript, text(feed_js, sizeof feed_js)},
      {"/dashboard/format.js", kScript, text(format_js, sizeof format_js)},
      {"/dashboard/gantt.js", kScript, text(gantt_js, sizeof gantt_js)},
      {"/dashboard/model.js", kScript, text(model_js, sizeof model_js)},
      {"/dashboard/tables.js", kScript, text(tables_js, sizeof tables_js)},
  }};
  return files;
}

const DashboardFile* find_dashboard_file(std::string_view path) {
  for (const DashboardFile& file : dashboard_files())
    if (file.path == path) return &file;
  return nullptr;
}

}  // namespace cuzk::server
