// Every fault of what a parameter file sweeps: lists, zips, and more cells or dimensions than there may be.
#include <gtest/gtest.h>

#include <chrono>

#include "experiments/harness/study.hpp"
#include "experiments/study_fixture.hpp"

namespace lacuna {
namespace {

using testing_study::errors;
using testing_study::kHead;
using testing_study::kSelect;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ReadStudyFaults, SweepsMustBeListsOfDistinctLegalValues) {
  const auto k = [](const std::string& value) {
    return errors(kHead + "select = { by = \"test_select\", k = " + value + " }\n");
  };
  EXPECT_EQ(k("{ grid = [] }"), "params.toml:8:38: error: the grid of 'select.k' in [[path]] \"top\" is empty");
  EXPECT_EQ(k("{ grid = 3 }"),
            "params.toml:8:38: error: the grid of 'select.k' in [[path]] \"top\" must be a list, not 3");
  EXPECT_EQ(k("{ grid = [3, 4, 3] }"),
            "params.toml:8:52: error: the sweep of 'select.k' in [[path]] \"top\" holds 3 twice");
  EXPECT_EQ(k("{ grid = [1, 0.5] }"),
            "params.toml:8:49: error: the sweep of 'select.k' in [[path]] \"top\" mixes counts and fractions");
  EXPECT_EQ(
      k("{ grid = [1, 0, nan] }"),
      "params.toml:8:49: error: 'select.k' = 0 in [[path]] \"top\" is out of range: must be a count between 1 and "
      "1000000 or a fraction in (0, 1]\n"
      "params.toml:8:52: error: 'select.k' = nan in [[path]] \"top\" is out of range: must be a count between 1 "
      "and 1000000 or a fraction in (0, 1]");
  EXPECT_EQ(k("{ grid = [1], powers_of_2 = [1, 2] }"),
            "params.toml:8:32: error: the sweep of 'select.k' in [[path]] \"top\" must be either { grid = [...] } or { "
            "powers_of_2 = [first, last] }");
  EXPECT_TRUE(contains(k("{}"), "must be either")) << k("{}");
  EXPECT_EQ(
      k("{ powers_of_2 = [3, 8] }"),
      "params.toml:8:38: error: powers_of_2 of 'select.k' in [[path]] \"top\" must be two powers of two, not [3, 8]");
  EXPECT_TRUE(contains(k("{ powers_of_2 = [0, 8] }"), "must be two powers of two"));
  EXPECT_TRUE(contains(k("{ powers_of_2 = [1, inf] }"), "must be two powers of two"));
  EXPECT_TRUE(contains(k("{ powers_of_2 = [1, nan] }"), "must be two powers of two"));
  EXPECT_TRUE(contains(k("{ powers_of_2 = [1, 9007199254740993] }"), "must be two powers of two"));
  EXPECT_TRUE(contains(k("{ powers_of_2 = [8, 4] }"), "ends before it begins: [8, 4]"));
  EXPECT_TRUE(contains(k("{ powers_of_2 = [8] }"), "must be [first, last]"));
  EXPECT_TRUE(contains(k("{ powers_of_2 = \"all\" }"), "must be [first, last]"));
  EXPECT_TRUE(contains(k("{ powers_of_2 = [1, 4611686018427387904] }"), "'select.k' = 1048576"));
  EXPECT_EQ(errors(kHead + "select = { by = { grid = [\"test_select\"] }, k = 3 }\n"),
            "params.toml:8:12: error: 'select.by' in [[path]] \"top\" cannot be swept");
}

TEST(ReadStudyFaults, ZipsMustFit) {
  const std::string swept = kHead +
                            "select = { by = \"test_select\", k = { grid = [1, 2, 3] } }\n"
                            "window = { grid = [1, 2] }\n"
                            "sink_tokens = { grid = [1, 2, 3] }\n"
                            "[[sweep.zip]]\n";
  const auto zip = [&](const std::string& line) { return errors(swept + line, {"source.n={grid=[1, 2, 3]}"}); };
  EXPECT_EQ(zip("keys = [\"path.top.select.k\", \"path.top.window\"]"),
            "params.toml:12:30: error: zipped lists of unequal length: 'path.top.select.k' has 3 values, "
            "'path.top.window' has 2");
  EXPECT_EQ(zip("keys = [\"path.top.select.k\", \"source.n\"]"),
            "params.toml:12:30: error: 'path.top.select.k' and 'source.n' belong to different tables and cannot be "
            "zipped");
  EXPECT_EQ(zip("keys = [\"path.top.select.k\", \"path.top.sink_tokenz\"]"),
            "params.toml:12:30: error: 'sink_tokenz' is no parameter of [[path]] \"top\"; did you mean 'sink_tokens'?");
  EXPECT_EQ(zip("keys = [\"path.top.select.k\", \"path.tip.window\"]"),
            "params.toml:12:30: error: no [[path]] is named 'tip'; did you mean 'top'?");
  EXPECT_EQ(zip("keys = [\"path.top.select.k\", \"path.top.select.trials\"]"),
            "params.toml:12:30: error: 'path.top.select.trials' is not swept");
  EXPECT_EQ(zip("keys = [\"path.top.select.k\", \"path.top.select.k\"]"),
            "params.toml:12:30: error: 'path.top.select.k' is zipped already in line 12");
  EXPECT_EQ(zip("keys = [\"path.top.select.k\", \"select.k\"]"),
            "params.toml:12:30: error: 'select.k' is not a full key: write source.KEY or path.NAME.KEY");
  EXPECT_EQ(zip("keys = [\"path.top.select.k\", 3]"),
            "params.toml:12:30: error: 'keys' in [[sweep.zip]] must hold texts, not 3");
  EXPECT_TRUE(contains(zip("keys = [\"path.top.select.k\"]"), "must be a list of at least two full keys"));
  EXPECT_EQ(zip("kyes = [\"path.top.select.k\"]"),
            "params.toml:11:1: error: missing key 'keys' in [[sweep.zip]]\n"
            "params.toml:12:1: error: unknown key 'kyes' in [[sweep.zip]]; did you mean 'keys'?");
  EXPECT_TRUE(contains(errors(kHead + kSelect + "sweep.zip = 3\n"), "unknown key 'sweep'"));
  EXPECT_TRUE(contains(errors("sweep.zip = 3\n" + kHead + kSelect), "'zip' must be a list of tables"));
  EXPECT_TRUE(contains(errors("sweep.zip = [3]\n" + kHead + kSelect), "'zip' holds 3 where a table belongs"));
}

TEST(ReadStudyFaults, AZipOfAFaultyListSaysNothingMore) {
  EXPECT_EQ(
      errors(kHead + "select = { by = \"test_select\", k = { grid = [0, 2] } }\n"
                     "window = { grid = [1, 2] }\n"
                     "[[sweep.zip]]\nkeys = [\"path.top.select.k\", \"path.top.window\"]\n"),
      "params.toml:8:46: error: 'select.k' = 0 in [[path]] \"top\" is out of range: must be a count between 1 and "
      "1000000 or a fraction in (0, 1]");
}

TEST(ReadStudyFaults, ASweepOfATrillionCellsIsRefusedAtOnce) {
  std::string grid = "{ grid = [1";
  for (int i = 2; i <= 1000; ++i) grid += ", " + std::to_string(i);
  grid += "] }";
  const auto begin = std::chrono::steady_clock::now();
  const std::string message = errors(kHead + "select = { by = \"test_select\", k = " + grid + " }\nwindow = " + grid +
                                     "\nsink_tokens = " + grid + "\npool = { blocks = " + grid + " }\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(message,
            "params.toml:9:1: error: [[path]] \"top\" has 1000 x 1000 x 1000 x 1000 cells; at most 1000000 are "
            "possible, source and path multiplied");
}

TEST(ReadStudyFaults, CellsOfSourceAndPathAreMultiplied) {
  std::string grid = "{ grid = [1";
  for (int i = 2; i <= 1001; ++i) grid += ", " + std::to_string(i);
  grid += "] }";
  EXPECT_EQ(errors(kHead + "window = " + grid + "\n", {"source.n=" + grid}),
            "params.toml:8:1: error: [[path]] \"top\" has 1001 x 1001 cells; at most 1000000 are possible, source and "
            "path multiplied");
  EXPECT_TRUE(contains(errors(kHead + kSelect, {"source.n=" + grid, "source.sigma=" + grid}),
                       "--set:1: error: [source] has 1001 x 1001 cells"));
  EXPECT_TRUE(contains(errors(kHead + "window = " + grid + "\n[[path]]\nname = \"b\"\nsink_tokens = " + grid +
                              "\nselect = { by = \"path\", path = \"top\" }\n"),
                       "params.toml:11:1: error: [[path]] \"b\" has 1001 x 1001 cells"));
}

TEST(ReadStudyFaults, AllPathsTogetherHaveALimitToo) {
  std::string grid = "{ grid = [1";
  for (int i = 2; i <= 1000; ++i) grid += ", " + std::to_string(i);
  grid += "] }";
  std::string text = kHead + "window = " + grid + "\n";
  for (int i = 1; i < 11; ++i) text += "[[path]]\nname = \"p" + std::to_string(i) + "\"\nwindow = " + grid + "\n";
  EXPECT_EQ(
      errors(text, {"source.n=" + grid}),
      "params.toml:38:1: error: the paths up to [[path]] \"p10\" have 11000000 cells, source and path multiplied; "
      "at most 10000000 are possible");
}

TEST(ReadStudyFaults, TwoDimensionsOfOneNameAreRefused) {
  // "source_window" is the source's `window`, and the `window` of a path named `source` in a path that reads it
  const std::string text =
      "schema = 1\n[experiment]\nkind = \"test\"\n[source]\nkind = \"test_source\"\n"
      "window = { grid = [1, 2] }\n"
      "[[path]]\nname = \"source\"\nwindow = { grid = [1, 2] }\n"
      "[[path]]\nname = \"b\"\nselect = { by = \"path\", path = \"source\" }\n";
  EXPECT_EQ(errors(text),
            "params.toml:11:1: error: [[path]] \"b\" has two dimensions named 'source_window': rename a path");
}

TEST(ReadStudyFaults, DimensionNamesFitIntoNetcdf) {
  std::string text = kHead + "window = { grid = [1, 2] }\n";
  std::string above = "top";
  for (const char c : {'a', 'b', 'c', 'd', 'e'}) {
    const std::string name(64, c);
    text += "[[path]]\nname = \"" + name + "\"\nselect = { by = \"path\", path = \"" + above + "\" }\n";
    above = name;
  }
  EXPECT_TRUE(contains(errors(text), "has a dimension whose name is longer than 255 characters")) << errors(text);
}

TEST(ReadStudyFaults, AZipOfAnUnknownKindSaysNothingMore) {
  const std::string message = errors(kHead +
                                     "select = { by = \"test_selct\", k = { grid = [1, 2] } }\n"
                                     "window = { grid = [1, 2] }\n"
                                     "[[sweep.zip]]\nkeys = [\"path.top.select.k\", \"path.top.window\"]\n");
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(ReadStudyFaults, AZipOfWhatAPathLacksIsNotForgotten) {
  EXPECT_EQ(errors(kHead + "window = { grid = [1, 2] }\n"
                           "[[sweep.zip]]\nkeys = [\"path.top.select.k\", \"path.top.window\"]\n"),
            "params.toml:10:9: error: 'select.k' is no parameter of [[path]] \"top\"");
}

TEST(ReadStudyFaults, EveryListOfAZipIsCompared) {
  const std::string message =
      errors(kHead +
             "select = { by = \"test_select\", k = { grid = [1, 2, 3] } }\n"
             "window = { grid = [1, 2] }\nsink_tokens = { grid = [1] }\n"
             "[[sweep.zip]]\nkeys = [\"path.top.select.k\", \"path.top.window\", \"path.top.sink_tokens\"]\n");
  EXPECT_TRUE(contains(message, "'path.top.window' has 2")) << message;
  EXPECT_TRUE(contains(message, "'path.top.sink_tokens' has 1")) << message;
}

}  // namespace
}  // namespace lacuna
