#include "analysis/report/page_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/error.hpp"
#include "data/temporary_directory.hpp"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(PageFile, StandsBesideTheResultsAndIsNumberedWhereTheNameIsTaken) {
  const TemporaryDirectory folder;
  const fs::path results = folder.path() / "study.h5";
  for (const char* expected : {"study.html", "study-2.html", "study-3.html"}) {
    const fs::path page = page_path(results, "", false);
    EXPECT_EQ(page, folder.path() / expected);
    write_page(page, expected, false);
  }
  EXPECT_EQ(page_path(results, "", true), folder.path() / "study.html");
  EXPECT_EQ(content(folder.path() / "study.html"), "study.html");
}

TEST(PageFile, IsNeverReplacedWithoutForce) {
  const TemporaryDirectory folder;
  const fs::path page = folder.path() / "page.html";
  write_page(page, "old", false);
  EXPECT_THROW(page_path("r.h5", page.string(), false), EnvironmentError);
  EXPECT_THROW(write_page(page, "new", false), EnvironmentError) << "it may have come into being meanwhile";
  EXPECT_EQ(content(page), "old");
  EXPECT_EQ(page_path("r.h5", page.string(), true), page);
  write_page(page, "new", true);
  EXPECT_EQ(content(page), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "no partial file is left";
}

TEST(PageFile, NamesTheFileThatCannotBeWritten) {
  const TemporaryDirectory folder;
  try {
    write_page(folder.path() / "absent" / "page.html", "x", false);
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find("absent/page.html"), std::string::npos);
  }
  EXPECT_THROW(page_path("r.h5", folder.path().string(), true), EnvironmentError) << "a directory is no page";
}

}  // namespace
}  // namespace lacuna
