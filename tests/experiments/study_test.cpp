#include "experiments/harness/study.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/study_fixture.hpp"

namespace lacuna {
namespace {

using testing_study::Folder;
using testing_study::kHead;
using testing_study::kSelect;
using testing_study::read;

const ResolvedParameter* resolved(const Study& study, const std::string& key) {
  const auto it = std::find_if(study.resolved.begin(), study.resolved.end(),
                               [&](const ResolvedParameter& parameter) { return parameter.key == key; });
  return it == study.resolved.end() ? nullptr : &*it;
}

TEST(ReadStudy, FillsInDefaults) {
  const Study study = read(kHead + kSelect);
  EXPECT_EQ(study.experiment.text("kind"), "test");
  EXPECT_EQ(study.experiment.integer("seed"), 0);
  EXPECT_EQ(study.experiment.text("compression"), "none");
  EXPECT_FALSE(study.experiment.boolean("record_selected"));
  EXPECT_FALSE(study.experiment.has("title"));
  EXPECT_EQ(study.source_kind, "test_source");
  EXPECT_EQ(study.source.cells.at(0).integer("n"), 64);
  EXPECT_EQ(study.source.cells.at(0).real("sigma"), 1.0);
  EXPECT_FALSE(study.source.cells.at(0).has("file"));
  ASSERT_EQ(study.paths.size(), 1u);
  EXPECT_EQ(study.paths[0].name, "top");
  const Parameters& cell = study.paths[0].sweep.cells.at(0);
  EXPECT_EQ(cell.integer("window"), 0);
  EXPECT_EQ(cell.text("select.share"), "head");
  EXPECT_EQ(cell.integer("select.trials"), 1);
  EXPECT_FALSE(cell.has("layers"));
  EXPECT_FALSE(cell.has("name"));  // it is StudyPath::name
}

TEST(ReadStudy, SubtableDefaultsApplyOnlyWithTheirTable) {
  const Parameters cell = read(kHead + "window = 4\n").paths.at(0).sweep.cells.at(0);
  for (const auto& [key, value] : cell.values()) EXPECT_EQ(key.find('.'), std::string::npos) << key;
  const Parameters pooled = read(kHead + kSelect + "pool.blocks = 3\n").paths.at(0).sweep.cells.at(0);
  EXPECT_EQ(pooled.integer("pool.block_size"), 8);
  EXPECT_TRUE(pooled.boolean("pool.pin_newest"));
}

TEST(ReadStudy, TablesMayBeInlineDottedOrUnderAHeader) {
  const Parameters inline_table = read(kHead + kSelect).paths.at(0).sweep.cells.at(0);
  const Parameters dotted = read(kHead + "select.by = \"test_select\"\nselect.k = 4\n").paths.at(0).sweep.cells.at(0);
  const Parameters header = read(kHead + "[path.select]\nby = \"test_select\"\nk = 4\n").paths.at(0).sweep.cells.at(0);
  EXPECT_EQ(inline_table, dotted);
  EXPECT_EQ(inline_table, header);
}

TEST(ReadStudy, KeepsTheFileVerbatim) {
  const std::string text = "# Question: is it kept?\r\n" + kHead + kSelect + "# \xC3\xA9\n";
  EXPECT_EQ(read(text).text, text);
}

TEST(ReadStudy, AcceptsByteOrderMarkAndCarriageReturns) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : kHead + kSelect) {
    if (c == '\n') text += '\r';
    text += c;
  }
  EXPECT_EQ(read(text).paths.size(), 1u);
}

TEST(ReadStudy, ConvertsValuesToTheTypesOfTheTable) {
  const Study study = read(kHead + "select = { by = \"test_select\", k = 0.25 }\nlayers = [3, 1]\n",
                           {"source.sigma=2", "source.file=x.h5", "source.tags=[0]", "experiment.title=A title"});
  const Parameters& source = study.source.cells.at(0);
  EXPECT_EQ(source.real("sigma"), 2.0);
  EXPECT_EQ(source.get<std::vector<std::string>>("file").size(), 1u);
  EXPECT_EQ(source.get<std::vector<std::int64_t>>("tags"), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(study.experiment.text("title"), "A title");
  const Parameters& path = study.paths.at(0).sweep.cells.at(0);
  EXPECT_EQ(path.real("select.k"), 0.25);
  EXPECT_EQ(path.get<std::vector<std::int64_t>>("layers"), (std::vector<std::int64_t>{3, 1}));
}

TEST(ReadStudy, FindsFilesRelativeToItsFolderWithSpacesAndUnicode) {
  const Folder folder("study with space");
  const auto file = folder.write(kHead + kSelect,
                                 "\xC3\xBC"
                                 "ber uns/pa rams.toml");
  const Study study = read_study(file, {"source.file=[\"../d\xC3\xA9 j\xC3\xA0/a b.h5\", \"/abs/./c.h5\"]"});
  EXPECT_EQ(study.file, file);
  EXPECT_EQ(study.source.cells.at(0).get<std::vector<std::string>>("file"),
            (std::vector<std::string>{(folder.path() / "d\xC3\xA9 j\xC3\xA0" / "a b.h5").string(), "/abs/c.h5"}));
}

TEST(ReadStudy, ListsEveryParameterInTheOrderOfTheTable) {
  const Study study = read(kHead +
                               "select = { by = \"test_select\", k = { powers_of_2 = [8, 32] } }\n"
                               "pool = { blocks = 3 }\n",
                           {"experiment.seed=7"});
  ASSERT_NE(resolved(study, "path.top.select.k"), nullptr);
  EXPECT_EQ(resolved(study, "path.top.select.k")->value, "[8, 16, 32]");
  EXPECT_TRUE(resolved(study, "path.top.select.k")->given);
  EXPECT_EQ(resolved(study, "experiment.seed")->value, "7");
  EXPECT_TRUE(resolved(study, "experiment.seed")->given);
  EXPECT_EQ(resolved(study, "source.sigma")->value, "1.0");
  EXPECT_FALSE(resolved(study, "source.sigma")->given);
  EXPECT_EQ(resolved(study, "path.top.select.by")->value, "\"test_select\"");
  EXPECT_EQ(resolved(study, "experiment.title")->value, "");
  EXPECT_EQ(resolved(study, "source.m"), nullptr);  // of another kind
  std::vector<std::string> keys;
  for (const ResolvedParameter& parameter : study.resolved) keys.push_back(parameter.key);
  EXPECT_EQ(keys.front(), "schema");
  const auto place = [&](const std::string& key) { return std::find(keys.begin(), keys.end(), key) - keys.begin(); };
  EXPECT_LT(place("experiment.kind"), place("source.kind"));
  EXPECT_LT(place("source.n"), place("path.top.window"));
  EXPECT_LT(place("path.top.select.by"), place("path.top.select.k"));
  EXPECT_LT(place("path.top.select.k"), place("path.top.pool.blocks"));
}

TEST(ReadStudy, AllowsAMillionCells) {
  std::string grid;
  for (int i = 1; i <= 1000; ++i) grid += (i == 1 ? "" : ", ") + std::to_string(i);
  const Study study = read(kHead + "window = { grid = [" + grid + "] }\n", {"source.n={ grid = [" + grid + "] }"});
  EXPECT_EQ(study.paths[0].sweep.cells.size(), 1000u);
  EXPECT_EQ(study.source.cells.size(), 1000u);
}

TEST(Settings, ReplaceAndAddValues) {
  const Study study = read(kHead + kSelect, {"path.top.select.k=9", "path.top.pool.blocks=3", "source.shape=square",
                                             "path.top.select.note='64'", "experiment.kind=other"});
  const Parameters& cell = study.paths[0].sweep.cells.at(0);
  EXPECT_EQ(cell.integer("select.k"), 9);
  EXPECT_EQ(cell.integer("pool.blocks"), 3);
  EXPECT_EQ(cell.integer("pool.block_size"), 8);
  EXPECT_EQ(cell.text("select.note"), "64");
  EXPECT_EQ(study.source.cells.at(0).text("shape"), "square");
  EXPECT_EQ(study.experiment.text("kind"), "other");
}

TEST(Settings, ReplaceASweepByAValueAndAValueByASweep) {
  const std::string swept = kHead + "select = { by = \"test_select\", k = { grid = [1, 2] } }\n";
  EXPECT_EQ(read(swept, {"path.top.select.k=3"}).paths[0].sweep.cells.size(), 1u);
  EXPECT_EQ(read(swept, {"path.top.window={ grid = [3, 4] }"}).paths[0].sweep.cells.size(), 4u);
  EXPECT_EQ(read(swept, {"path.top.select.k.grid=[3, 4, 5]"}).paths[0].sweep.cells.size(), 3u);
}

TEST(Settings, MakeTheTablesThatTheFileLacks) {
  const Study study = read("schema = 1\n[source]\nkind = \"test_source\"\n[[path]]\nname = \"top\"\n",
                           {"experiment.kind=test", "path.top.select.by=test_select", "path.top.select.k=2"});
  EXPECT_EQ(study.experiment.text("kind"), "test");
  EXPECT_EQ(study.paths[0].sweep.cells.at(0).integer("select.k"), 2);
}

TEST(Settings, TextsNeedNoQuotes) {
  const Study study = read(kHead + kSelect, {"path.top.select.note=a=b c [", "experiment.title="});
  EXPECT_EQ(study.paths[0].sweep.cells.at(0).text("select.note"), "a=b c [");
  EXPECT_EQ(study.experiment.text("title"), "");
}

}  // namespace
}  // namespace lacuna
