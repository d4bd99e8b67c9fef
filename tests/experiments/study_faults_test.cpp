// Every fault of a parameter file: where it is, what it is, and that one does not hide another.
#include <gtest/gtest.h>

#include "experiments/harness/study.hpp"
#include "experiments/study_fixture.hpp"

namespace lacuna {
namespace {

using testing_study::errors;
using testing_study::kHead;
using testing_study::kSelect;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ReadStudyFaults, AnUnknownKeyIsNamedWithItsTableAndTheNearestKey) {
  EXPECT_EQ(errors("schema = 1\n"
                   "[experiment]\n"
                   "kind = \"test\"\n"
                   "[source]\n"
                   "kind = \"test_source\"\n"
                   "\n"
                   "\n"
                   "\n"
                   "[[path]]\n"
                   "name = \"pool\"\n"
                   "select = { by = \"test_select\", k = 4 }\n"
                   "pool = {blokcs = 65, blocks = 3}\n"),
            "params.toml:12:9: error: unknown key 'blokcs' in [[path]] \"pool\"; did you mean 'blocks'?");
}

TEST(ReadStudyFaults, UnknownKeysAreFoundEverywhere) {
  EXPECT_EQ(errors(kHead + kSelect + "windwo = 3\n"),
            "params.toml:9:1: error: unknown key 'windwo' in [[path]] \"top\"; did you mean 'window'?");
  EXPECT_EQ(errors(kHead + kSelect + "block_size = 3\n"),
            "params.toml:9:1: error: unknown key 'block_size' in [[path]] \"top\"; did you mean 'pool.block_size'?");
  EXPECT_EQ(errors(kHead + kSelect + "temperature = 2\n"),
            "params.toml:9:1: error: unknown key 'temperature' in [[path]] \"top\"");
  EXPECT_EQ(errors(kHead + kSelect + "[sorce]\n"),
            "params.toml:9:2: error: unknown key 'sorce' in the top level; did you mean 'source'?");
  EXPECT_EQ(errors("seed = 1\n" + kHead + kSelect),
            "params.toml:1:1: error: unknown key 'seed' in the top level; did you mean 'experiment.seed'?");
  EXPECT_EQ(errors(kHead + kSelect + "[sweep]\nzap = 1\n"),
            "params.toml:10:1: error: unknown key 'zap' in [sweep]; did you mean 'zip'?");
  EXPECT_EQ(errors(kHead + "select = { by = \"test_select\", k = { gird = [1] } }\n"),
            "params.toml:8:38: error: unknown key 'gird' in the sweep of 'select.k' in [[path]] \"top\"; did you mean "
            "'grid'?");
  EXPECT_EQ(errors(kHead + kSelect + "\"select.k\" = 3\n"),
            "params.toml:9:1: error: unknown key 'select.k' in [[path]] \"top\"; did you mean 'select'?");
}

TEST(ReadStudyFaults, ReportsEveryErrorAtOnceInTheOrderOfTheFile) {
  const std::string message = errors(
      "schema = 2\n"
      "[experiment]\n"
      "seed = -1\n"
      "[source]\n"
      "kind = \"test_source\"\n"
      "n = 0\n"
      "sigma = nan\n"
      "[[path]]\n"
      "name = \"a\"\n"
      "windwo = 3\n"
      "select = { by = \"test_select\", k = 0 }\n"
      "[[path]]\n"
      "name = \"a\"\n"
      "pool = { blocks = \"many\" }\n",
      {"path.a.select.trials=0", "path.b.window=3"});
  EXPECT_EQ(message,
            "params.toml:1:1: error: 'schema' = 2 is of a later version: this program reads schema 1\n"
            "params.toml:2:2: error: missing key 'kind' in [experiment]: The experiment: the name of the program that "
            "runs the file.\n"
            "params.toml:3:1: error: 'seed' = -1 in [experiment] is out of range: must be at least 0\n"
            "params.toml:6:1: error: 'n' = 0 in [source] is out of range: must be between 1 and 1000000\n"
            "params.toml:7:1: error: 'sigma' = nan in [source] must be finite\n"
            "params.toml:10:1: error: unknown key 'windwo' in [[path]] \"a\"; did you mean 'window'?\n"
            "params.toml:11:32: error: 'select.k' = 0 in [[path]] \"a\" is out of range: must be a count between 1 and "
            "1000000 or a fraction in (0, 1]\n"
            "params.toml:13:1: error: a [[path]] named \"a\" stands already in line 9\n"
            "params.toml:14:10: error: 'pool.blocks' in [[path]] \"a\" must be an integer, not \"many\"\n"
            "--set:1: error: 'select.trials' = 0 in [[path]] \"a\" is out of range: must be at least 1\n"
            "--set:2: error: no [[path]] is named 'b'");
}

TEST(ReadStudyFaults, ASyntaxErrorStopsAtTheFirst) {
  const std::string message = errors("schema = 1\nkind = = 2\nx = [\n");
  EXPECT_TRUE(message.starts_with("params.toml:2:8: error: ")) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(ReadStudyFaults, ADuplicateKeyIsASyntaxError) {
  const std::string message = errors(kHead + kSelect + "window = 1\nwindow = 2\n");
  EXPECT_TRUE(message.starts_with("params.toml:10:")) << message;
  EXPECT_TRUE(contains(message, "'window'")) << message;
}

TEST(ReadStudyFaults, WrongTypesNameWhatIsExpectedAndWhatIsThere) {
  const auto source = [](const std::string& line) {
    return errors("schema = 1\n[experiment]\nkind = \"test\"\n[[path]]\nname = \"top\"\n" + kSelect +
                  "[source]\nkind = \"test_source\"\n" + line);
  };
  EXPECT_EQ(source("n = 8.0"), "params.toml:9:1: error: 'n' in [source] must be an integer, not 8.0");
  EXPECT_EQ(source("n = \"8\""), "params.toml:9:1: error: 'n' in [source] must be an integer, not \"8\"");
  EXPECT_EQ(source("n = true"), "params.toml:9:1: error: 'n' in [source] must be an integer, not true");
  EXPECT_EQ(source("n = [8]"), "params.toml:9:1: error: 'n' in [source] must be an integer, not a list");
  EXPECT_EQ(source("n = 2024-01-01"), "params.toml:9:1: error: 'n' in [source] must be an integer, not a date or time");
  EXPECT_EQ(source("sigma = \"x\""), "params.toml:9:1: error: 'sigma' in [source] must be a number, not \"x\"");
  EXPECT_EQ(source("shape = 3"), "params.toml:9:1: error: 'shape' in [source] must be a text, not 3");
  EXPECT_EQ(source("file = 3"), "params.toml:9:1: error: 'file' in [source] must be a text or a list of texts, not 3");
  EXPECT_EQ(source("file = [\"a\", 3]"),
            "params.toml:9:14: error: 'file' in [source] must be a text or a list of texts, not 3");
  EXPECT_EQ(source("file = []"), "params.toml:9:1: error: 'file' in [source] is an empty list");
  EXPECT_EQ(source("file = \"\""), "params.toml:9:1: error: 'file' in [source] names no file");
  EXPECT_EQ(source("file = \"a\\u0000b\""),
            "params.toml:9:1: error: 'file' = \"a\\u0000b\" in [source] holds a NUL character");
  EXPECT_EQ(source("tags = [1, -2]"),
            "params.toml:9:12: error: 'tags' = -2 in [source] is out of range: must be at least 0");
  EXPECT_EQ(source("tags = { a = 1 }"),
            "params.toml:9:1: error: 'tags' in [source] must be a list of integers, not a table");
  EXPECT_EQ(errors(kHead + "select = 3\n"),
            "params.toml:8:1: error: 'select' in [[path]] \"top\" must be a table, not 3");
  EXPECT_EQ(errors(kHead + kSelect + "pool = { blocks = 1, pin_newest = 1 }\n"),
            "params.toml:9:22: error: 'pool.pin_newest' in [[path]] \"top\" must be true or false, not 1");
}

TEST(ReadStudyFaults, NanInfinityNegativeZeroAndOverflowAreRefused) {
  const auto k = [](const std::string& value) {
    return errors(kHead + "select = { by = \"test_select\", k = " + value + " }\n");
  };
  const std::string rule =
      " in [[path]] \"top\" is out of range: must be a count between 1 and 1000000 or a fraction in (0, 1]";
  for (const char* value : {"0", "-1", "1000001", "9223372036854775807", "nan", "inf", "-inf", "0.0", "-0.5"})
    EXPECT_EQ(k(value), "params.toml:8:32: error: 'select.k' = " + std::string(value) + rule);
  EXPECT_EQ(k("1.5"), "params.toml:8:32: error: 'select.k' = 1.5" + rule);
  EXPECT_TRUE(contains(k("9223372036854775808"), "params.toml:8:")) << k("9223372036854775808");
  EXPECT_EQ(errors(kHead + kSelect, {"source.sigma=inf"}), "--set:1: error: 'sigma' = inf in [source] must be finite");
  EXPECT_EQ(errors(kHead + kSelect, {"source.sigma=-0.5"}),
            "--set:1: error: 'sigma' = -0.5 in [source] is out of range: must be at least 0");
}

TEST(ReadStudyFaults, MissingKeysPointAtTheirTable) {
  EXPECT_EQ(errors(kHead + "select = { by = \"test_select\" }\n"),
            "params.toml:8:1: error: missing key 'select.k' in [[path]] \"top\": Budget.");
  EXPECT_TRUE(errors(kHead + "[path.select]\nk = 3\n")
                  .starts_with("params.toml:8:7: error: missing key 'select.by' in [[path]] \"top\": "));
  EXPECT_TRUE(errors(kHead + kSelect + "[[path]]\nwindow = 1\n")
                  .starts_with("params.toml:9:1: error: missing key 'name' in [[path]] #2: "));
  EXPECT_TRUE(errors(kHead + kSelect + "[path.pool]\nblock_size = 4\n")
                  .starts_with("params.toml:9:7: error: missing key 'pool.blocks' in [[path]] \"top\": "));
}

TEST(ReadStudyFaults, MissingTablesAreNamed) {
  EXPECT_EQ(errors("# nothing\n"),
            "params.toml:1:1: error: missing key 'schema': write `schema = 1`\n"
            "params.toml:1:1: error: missing table [[path]]: a study needs at least one\n"
            "params.toml:1:1: error: missing table [experiment]\n"
            "params.toml:1:1: error: missing table [source]");
  EXPECT_EQ(errors("path = []\nexperiment = 3\nsource = [1]\nschema = \"1\"\nsweep = 4\n"),
            "params.toml:1:1: error: 'path' is empty: a study needs at least one [[path]]\n"
            "params.toml:2:1: error: 'experiment' must be a table, [experiment], not 3\n"
            "params.toml:3:1: error: 'source' must be a table, [source], not a list\n"
            "params.toml:4:1: error: 'schema' must be an integer, not \"1\"\n"
            "params.toml:5:1: error: 'sweep' must be a table, not 4");
  EXPECT_TRUE(contains(errors("schema = 1\n[path]\nname = \"a\"\n"),
                       "params.toml:2:2: error: 'path' must be a list of tables, each [[path]], not a table"));
  EXPECT_TRUE(contains(errors("path = [1]\n"), "params.toml:1:9: error: 'path' holds 1 where a table belongs"));
}

TEST(ReadStudyFaults, AnotherSchemaIsRefused) {
  std::string text = kHead + kSelect;
  EXPECT_EQ(errors("schema = 7" + text.substr(10)),
            "params.toml:1:1: error: 'schema' = 7 is of a later version: this program reads schema 1");
  EXPECT_EQ(errors("schema = 0" + text.substr(10)), "params.toml:1:1: error: 'schema' = 0 must be 1");
}

TEST(ReadStudyFaults, PathNamesAreUniqueAndPlain) {
  EXPECT_EQ(errors(kHead + kSelect + "[[path]]\nwindow = 2\nname = \"top\"\n"),
            "params.toml:11:1: error: a [[path]] named \"top\" stands already in line 7");
  for (const char* name : {"", "1a", "a b", "a-b", "a.b", "\xC3\xA9", "a/b"}) {
    const std::string message = errors(kHead + kSelect + "[[path]]\nname = \"" + name + "\"\nwindow = 1\n");
    EXPECT_EQ(message, "params.toml:10:1: error: 'name' = \"" + std::string(name) +
                           "\" must match [A-Za-z_][A-Za-z0-9_]*, at most 64 characters");
  }
  EXPECT_TRUE(contains(errors(kHead + kSelect + "[[path]]\nname = \"" + std::string(65, 'a') + "\"\nwindow = 1\n"),
                       "at most 64 characters"));
}

TEST(ReadStudyFaults, AKeyOfAnotherKindDoesNotApply) {
  EXPECT_EQ(
      errors(kHead + "select = { by = \"test_select\", k = 4, test_size = 8 }\n"),
      "params.toml:8:39: error: 'test_size' does not apply to select.by = \"test_select\" in [[path]] \"top\"; it "
      "belongs to test_blocks");
  EXPECT_EQ(errors(kHead + kSelect, {"source.m=3"})
                .rfind("--set:1: error: 'm' does not apply to source.kind = "
                       "\"test_source\" in [source]; it belongs to ",
                       0),
            0u);
}

TEST(ReadStudyFaults, UnknownKindsAndChoicesAreListedWithTheNearest) {
  const std::string source = errors(kHead + kSelect, {"source.kind=test_sorce", "source.m=3"});
  EXPECT_TRUE(source.starts_with("--set:1: error: 'kind' = \"test_sorce\" in [source] must be one of ")) << source;
  EXPECT_TRUE(contains(source, "test_other_source, test_source")) << source;
  EXPECT_TRUE(source.ends_with("; did you mean 'test_source'?")) << source;  // and nothing about m
  const std::string select = errors(kHead + "select = { by = \"test_selct\", k = 4 }\n");
  EXPECT_TRUE(
      select.starts_with("params.toml:8:12: error: 'select.by' = \"test_selct\" in [[path]] \"top\" must be one of "));
  EXPECT_TRUE(select.ends_with("; did you mean 'test_select'?")) << select;
  EXPECT_EQ(errors(kHead + kSelect, {"source.shape=rond"}),
            "--set:1: error: 'shape' = \"rond\" in [source] must be one of round, square; did you mean 'round'?");
}

TEST(ReadStudyFaults, FaultsOfTheKindAreReportedOnceWhereTheKeyIs) {
  EXPECT_EQ(errors(kHead + "select = { by = \"test_select\", k = { grid = [12, 13] } }\nwindow = { grid = [1, 2] }\n"),
            "params.toml:8:32: error: in [[path]] \"top\": 13 is unlucky");
  // the key that is pointed at is not given: its table is
  EXPECT_EQ(errors(kHead + "[path.select]\nby = \"test_select\"\nk = 13\nnote = \"untried\"\n"),
            "params.toml:8:7: error: in [[path]] \"top\": an untried note needs no trials\n"
            "params.toml:10:1: error: in [[path]] \"top\": 13 is unlucky");
}

TEST(ReadStudyFaults, AReferenceNamesAPathAbove) {
  const std::string reuse = "[[path]]\nname = \"reuse\"\nselect = { by = \"path\", path = ";
  EXPECT_EQ(errors(kHead + kSelect + reuse + "\"tap\" }\n"),
            "params.toml:11:25: error: 'select.path' in [[path]] \"reuse\" = \"tap\" names no [[path]] above this one; "
            "did you mean 'top'?");
  EXPECT_EQ(
      errors(kHead + kSelect + reuse + "\"later\" }\n[[path]]\nname = \"later\"\nwindow = 1\n"),
      "params.toml:11:25: error: 'select.path' in [[path]] \"reuse\" = \"later\" must name a path that stands above "
      "this one");
  EXPECT_EQ(
      errors(kHead + kSelect + reuse + "\"reuse\" }\n"),
      "params.toml:11:25: error: 'select.path' in [[path]] \"reuse\" = \"reuse\" must name a path that stands above "
      "this one");
  EXPECT_TRUE(contains(errors(kHead + kSelect + reuse + "{ grid = [\"top\"] } }\n"), "cannot be swept"));
}

TEST(ReadStudyFaults, UnusualFilesAreRefusedByName) {
  const testing_study::Folder folder;
  EXPECT_THROW(read_study(folder.path(), {}), UsageError);
  EXPECT_THROW(read_study("/dev/zero", {}), UsageError);
  EXPECT_THROW(read_study(folder.path() / "none.toml", {}), UsageError);
  EXPECT_THROW(read_study(folder.write(""), {}), UsageError);
}

TEST(SettingsFaults, UnknownKeysAndPathsAreLocatedInTheSetting) {
  EXPECT_EQ(errors(kHead + kSelect, {"experiment.seed=1", "path.top.pool.blokcs=8", "path.top.pool.blocks=8"}),
            "--set:2: error: unknown key 'blokcs' in [[path]] \"top\"; did you mean 'blocks'?");
  EXPECT_EQ(errors(kHead + kSelect, {"path.tpo.window=8"}),
            "--set:1: error: no [[path]] is named 'tpo'; did you mean 'top'?");
  EXPECT_EQ(errors(kHead + kSelect, {"experimnt.seed=8"}),
            "--set:1: error: unknown key 'experimnt' in the top level; did you mean 'experiment'?");
  EXPECT_EQ(errors(kHead + kSelect, {"seed=8"}),
            "--set:1: error: unknown key 'seed' in the top level; did you mean 'experiment.seed'?");
}

TEST(SettingsFaults, WhatIsNoSettingIsRefused) {
  EXPECT_EQ(errors(kHead + kSelect, {"seed"}), "--set:1: error: 'seed' is not key=value");
  EXPECT_EQ(errors(kHead + kSelect, {"=3"}), "--set:1: error: '=3' is not key=value");
  EXPECT_EQ(errors(kHead + kSelect, {""}), "--set:1: error: '' is not key=value");
  EXPECT_EQ(errors(kHead + kSelect, {"experiment..seed=3"}),
            "--set:1: error: 'experiment..seed' is not a key: it has an empty part");
  EXPECT_EQ(errors(kHead + kSelect, {"path.top=3"}),
            "--set:1: error: 'path.top' names no parameter: write path.NAME.KEY");
  EXPECT_EQ(errors(kHead + kSelect, {"path.top.select.k.x=3"}), "--set:1: error: 'k' is 4, not a table");
  EXPECT_EQ(errors(kHead + kSelect, {"experiment.seed=1", "experiment.seed=2"}),
            "--set:2: error: 'experiment.seed' was already set by --set:1");
  EXPECT_EQ(errors(kHead + kSelect, {"experiment.title=\xFF"}),
            "--set:1: error: the value of 'experiment.title' is not UTF-8");
  std::string deep = "a";
  for (int i = 0; i < 100000; ++i) deep += ".a";
  EXPECT_TRUE(contains(errors(kHead + kSelect, {deep + "=1"}), "it has 100001 parts"));
}

}  // namespace
}  // namespace lacuna
