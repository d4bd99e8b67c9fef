// The reader of .golden files: what it reads, and how it complains.
#include "core/mechanism/golden_file.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace lacuna {
namespace {

GoldenFile read(const std::string& text) {
  std::istringstream in(text);
  return GoldenFile(in, "made.golden");
}

std::string complaint(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(GoldenFile, BlocksComeBackByName) {
  const GoldenFile file = read("# made by hand\nconfig.heads 1 1\n3\nx 2 3\n1 -2.5 1e-3\n-inf 0.1 4\nempty 0 2\n");
  EXPECT_EQ(file.size("config.heads"), 3);
  EXPECT_EQ(file["x"].rows, 2);
  EXPECT_EQ(file["x"].columns, 3);
  EXPECT_EQ(file["x"].data, (std::vector<double>{1, -2.5, 1e-3, -std::numeric_limits<double>::infinity(), 0.1, 4}));
  EXPECT_EQ(file["x"].row(1)[1], 0.1);
  EXPECT_TRUE(file["empty"].data.empty());
  EXPECT_TRUE(file.has("x"));
  EXPECT_FALSE(file.has("y"));
}

TEST(GoldenFileFaults, DamageIsNamedWithFileAndLine) {
  EXPECT_EQ(complaint("x 1 2\n1 2\n"), "none");
  EXPECT_EQ(complaint("x 1\n1 2\n"), "made.golden:1: expected `name rows columns`");
  EXPECT_EQ(complaint("# c\nx 1 2 3\n1 2\n"), "made.golden:2: expected `name rows columns`");
  EXPECT_EQ(complaint("x -1 2\n"), "made.golden:1: expected `name rows columns`");
  EXPECT_EQ(complaint("\nx 1 1\n1\n"), "made.golden:1: expected `name rows columns`");
  EXPECT_EQ(complaint("x 2 2\n1 2\n"), "made.golden:3: 'x' ends after 1 of 2 rows");
  EXPECT_EQ(complaint("x 2 2\n1 2\n3\n"), "made.golden:3: 'x' has 1 numbers in a row of 2");
  EXPECT_EQ(complaint("x 1 2\n1 2 3\n"), "made.golden:2: 'x' has 3 numbers in a row of 2");
  EXPECT_EQ(complaint("x 1 2\n1 2.5.\n"), "made.golden:2: '2.5.' is not a number");
  EXPECT_EQ(complaint("x 1 2\n1 1e999\n"), "made.golden:2: '1e999' is not a number");
  EXPECT_EQ(complaint("x 1 1\n1\nx 1 1\n2\n"), "made.golden:4: 'x' is there twice");
}

TEST(GoldenFileFaults, MissingBlocksAndFilesAreNamed) {
  const GoldenFile file = read("x 1 2\n1 2\n");
  EXPECT_THROW(file["y"], InputError);
  EXPECT_THROW(file.number("x"), InputError);
  EXPECT_THROW(GoldenFile::open("absent.golden"), InputError);
}

}  // namespace
}  // namespace lacuna
