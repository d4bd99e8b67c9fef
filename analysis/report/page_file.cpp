#include "analysis/report/page_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "core/base/error.hpp"

namespace lacuna {
namespace fs = std::filesystem;

namespace {

EnvironmentError already_there(const fs::path& file) {
  return EnvironmentError(
      fmt::format("{} exists; choose another name with -o, or replace it with --force", file.string()));
}

}  // namespace

fs::path page_path(const fs::path& results, const std::string& output, bool force) {
  std::error_code none;
  if (!output.empty()) {
    if (fs::is_directory(output, none)) throw EnvironmentError(fmt::format("{} is a directory", output));
    if (!force && fs::exists(output, none)) throw already_there(output);
    return output;
  }
  fs::path page = results;
  page.replace_extension(".html");
  for (int number = 2; !force && fs::exists(page, none); ++number)
    page.replace_filename(fmt::format("{}-{}.html", results.stem().string(), number));
  return page;
}

void write_page(const fs::path& file, const std::string& text, bool force) {
  const fs::path partial = fmt::format("{}.partial-{}", file.string(), getpid());
  std::error_code error;
  {
    std::ofstream stream(partial, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) {
      fs::remove(partial, error);
      throw EnvironmentError(fmt::format("cannot write {}", file.string()));
    }
  }
  if (force) {
    fs::rename(partial, file, error);
  } else {
    fs::create_hard_link(partial, file, error);  // unlike rename, fails where the name is taken
    const bool taken = error == std::errc::file_exists;
    if (error && !taken) {  // a file system without hard links
      error.clear();
      if (!fs::exists(file)) fs::rename(partial, file, error);
    }
    std::error_code ignored;
    fs::remove(partial, ignored);
    if (taken) throw already_there(file);
  }
  if (error) throw EnvironmentError(fmt::format("cannot write {}: {}", file.string(), error.message()));
}

}  // namespace lacuna
