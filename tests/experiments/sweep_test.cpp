#include "experiments/harness/sweep.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "experiments/study_fixture.hpp"

namespace lacuna {
namespace {

using testing_study::kHead;
using testing_study::read;

std::vector<std::int64_t> integers(const Axis::Coordinate& coordinate) {
  std::vector<std::int64_t> values;
  for (const ParameterValue& value : coordinate.values) values.push_back(std::get<std::int64_t>(value));
  return values;
}

using Integers = std::vector<std::int64_t>;

TEST(Product, StaysAtTheLargestNumberInsteadOfOverflowing) {
  EXPECT_EQ(product({}), 1);
  EXPECT_EQ(product({3, 4}), 12);
  EXPECT_EQ(product({1'000'000, 1'000'000}), 1'000'000'000'000);
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(product({1'000'000, 1'000'000, 1'000'000, 1'000'000, 1'000'000}), largest);
  EXPECT_EQ(product({largest, 1}), largest);
  EXPECT_EQ(product({largest, 2}), largest);
}

TEST(Sweep, NothingSweptIsOneCell) {
  const Study study = read(kHead + testing_study::kSelect);
  const Sweep& sweep = study.paths[0].sweep;
  EXPECT_TRUE(sweep.axes.empty());
  ASSERT_EQ(sweep.cells.size(), 1u);
  EXPECT_EQ(sweep.cells[0], sweep.fixed);
  EXPECT_EQ(sweep.cells[0].integer("select.k"), 4);
}

TEST(Sweep, GridKeepsTheOrderOfTheFile) {
  const Study study = read(kHead + "select = { by = \"test_select\", k = { grid = [9, 2, 5] } }\n");
  const Sweep& sweep = study.paths[0].sweep;
  ASSERT_EQ(sweep.axes.size(), 1u);
  EXPECT_EQ(sweep.axes[0].name(), "select_k");
  EXPECT_EQ(sweep.axes[0].coordinates[0].unit, "keys");
  EXPECT_EQ(sweep.axes[0].coordinates[0].sentence, "Budget.");
  EXPECT_EQ(integers(sweep.axes[0].coordinates[0]), (Integers{9, 2, 5}));
  ASSERT_EQ(sweep.cells.size(), 3u);
  EXPECT_EQ(sweep.cells[2].integer("select.k"), 5);
  EXPECT_FALSE(sweep.fixed.has("select.k"));
  EXPECT_EQ(sweep.fixed.integer("window"), 0);
}

TEST(Sweep, PowersOfTwoRunFromFirstToLast) {
  const Study study = read(kHead +
                           "select = { by = \"test_select\", k = { powers_of_2 = [8, 64] } }\n"
                           "window = { powers_of_2 = [4, 4] }\n");
  const std::vector<Axis>& axes = study.paths[0].sweep.axes;
  EXPECT_EQ(axes[0].name(), "window");
  EXPECT_EQ(integers(axes[0].coordinates[0]), (Integers{4}));
  EXPECT_EQ(integers(axes[1].coordinates[0]), (Integers{8, 16, 32, 64}));
}

TEST(Sweep, PowersOfTwoMayBeFractions) {
  const Study study = read(kHead + "select = { by = \"test_select\", k = { powers_of_2 = [0.125, 1.0] } }\n");
  const std::vector<ParameterValue>& values = study.paths[0].sweep.axes[0].coordinates[0].values;
  EXPECT_EQ(values, (std::vector<ParameterValue>{0.125, 0.25, 0.5, 1.0}));
}

TEST(Sweep, CellsAreRowMajorOverAxesInTheOrderOfTheTable) {
  // in the file the pool stands first; the order of axes does not follow it
  const Study study = read(kHead +
                           "pool = { blocks = { grid = [3, 4] } }\n"
                           "select = { by = \"test_select\", k = { grid = [5, 6, 7] } }\n");
  const Sweep& sweep = study.paths[0].sweep;
  ASSERT_EQ(sweep.axes.size(), 2u);
  EXPECT_EQ(sweep.axes[0].name(), "select_k");
  EXPECT_EQ(sweep.axes[1].name(), "pool_blocks");
  Integers k, blocks;
  for (const Parameters& cell : sweep.cells) {
    k.push_back(cell.integer("select.k"));
    blocks.push_back(cell.integer("pool.blocks"));
  }
  EXPECT_EQ(k, (Integers{5, 5, 6, 6, 7, 7}));
  EXPECT_EQ(blocks, (Integers{3, 4, 3, 4, 3, 4}));
}

TEST(Sweep, ZippedListsWalkTogetherAndTheFirstNamesTheAxis) {
  const Study study = read(kHead +
                           "window = { grid = [1, 2] }\n"
                           "select = { by = \"test_select\", k = { grid = [5, 6, 7] } }\n"
                           "pool = { blocks = { grid = [50, 60, 70] } }\n"
                           "[[sweep.zip]]\n"
                           "keys = [\"path.top.pool.blocks\", \"path.top.select.k\"]\n");
  const Sweep& sweep = study.paths[0].sweep;
  ASSERT_EQ(sweep.axes.size(), 2u);
  EXPECT_EQ(sweep.axes[0].name(), "window");
  EXPECT_EQ(sweep.axes[1].name(), "pool_blocks");
  ASSERT_EQ(sweep.axes[1].coordinates.size(), 2u);
  EXPECT_EQ(sweep.axes[1].coordinates[1].name, "select_k");
  ASSERT_EQ(sweep.cells.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(sweep.cells[i].integer("window"), i < 3 ? 1 : 2);
    EXPECT_EQ(sweep.cells[i].integer("select.k"), 5 + static_cast<int>(i % 3));
    EXPECT_EQ(sweep.cells[i].integer("pool.blocks"), 10 * sweep.cells[i].integer("select.k"));
  }
}

TEST(Sweep, SourceCoordinatesCarryThePrefixOfTheSource) {
  const Study study = read(kHead + testing_study::kSelect + "[[sweep.zip]]\nkeys = [\"source.sigma\", \"source.n\"]\n",
                           {"source.n={ grid = [10, 20] }", "source.sigma={ grid = [0.5, 2] }"});
  ASSERT_EQ(study.source.axes.size(), 1u);
  EXPECT_EQ(study.source.axes[0].name(), "source_sigma");
  EXPECT_EQ(study.source.axes[0].coordinates[1].name, "source_n");
  ASSERT_EQ(study.source.cells.size(), 2u);
  EXPECT_EQ(study.source.cells[1].integer("n"), 20);
  EXPECT_EQ(study.source.cells[1].real("sigma"), 2.0);
  EXPECT_EQ(study.source.cells[1].text("kind"), "test_source");
}

TEST(Sweep, FilesAreResolvedInCellsAndKeptAsWrittenOnTheAxis) {
  const testing_study::Folder folder("sweep");
  const auto file = folder.write(kHead + testing_study::kSelect, "params/study.toml");
  const Study study = read_study(file, {"source.file={ grid = [\"../a.h5\", [\"b.h5\", \"/c.h5\"]] }"});
  const std::vector<ParameterValue>& written = study.source.axes[0].coordinates[0].values;
  EXPECT_EQ(std::get<std::vector<std::string>>(written[0]), (std::vector<std::string>{"../a.h5"}));
  const auto& cells = study.source.cells;
  EXPECT_EQ(cells[0].get<std::vector<std::string>>("file"),
            (std::vector<std::string>{(folder.path() / "a.h5").string()}));
  EXPECT_EQ(cells[1].get<std::vector<std::string>>("file"),
            (std::vector<std::string>{(folder.path() / "params" / "b.h5").string(), "/c.h5"}));
}

TEST(Sweep, APathThatReadsAnothersSelectionHasItsAxesFirst) {
  const Study study = read(kHead +
                           "select = { by = \"test_select\", k = { grid = [5, 6, 7] } }\n"
                           "[[path]]\n"
                           "name = \"reuse\"\n"
                           "select = { by = \"path\", path = \"top\" }\n"
                           "window = { grid = [1, 2] }\n");
  const Sweep& sweep = study.paths[1].sweep;
  ASSERT_EQ(sweep.axes.size(), 2u);
  EXPECT_EQ(sweep.axes[0].name(), "top_select_k");
  EXPECT_EQ(integers(sweep.axes[0].coordinates[0]), (Integers{5, 6, 7}));
  EXPECT_EQ(sweep.axes[1].name(), "window");
  Integers cell, window;
  for (const Parameters& parameters : sweep.cells) {
    cell.push_back(parameters.integer("select.path_cell"));
    window.push_back(parameters.integer("window"));
    EXPECT_FALSE(parameters.has("select.k"));
  }
  EXPECT_EQ(cell, (Integers{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(window, (Integers{1, 2, 1, 2, 1, 2}));
}

TEST(Sweep, APathThatReadsAnUnsweptPathReadsItsOnlyCell) {
  const Study study =
      read(kHead + testing_study::kSelect + "[[path]]\nname = \"reuse\"\nselect = { by = \"path\", path = \"top\" }\n");
  ASSERT_EQ(study.paths[1].sweep.cells.size(), 1u);
  EXPECT_EQ(study.paths[1].sweep.cells[0].integer("select.path_cell"), 0);
  EXPECT_FALSE(study.paths[1].sweep.fixed.has("select.path_cell"));
}

TEST(Sweep, ReferencesChainAndZippedCoordinatesAreRenamedToo) {
  const Study study = read(kHead +
                           "select = { by = \"test_select\", k = { grid = [5, 6] } }\n"
                           "window = { grid = [1, 2] }\n"
                           "[[path]]\nname = \"b\"\nselect = { by = \"path\", path = \"top\" }\n"
                           "sink_tokens = { grid = [0, 1, 2] }\n"
                           "[[path]]\nname = \"c\"\nselect = { by = \"path\", path = \"b\" }\n"
                           "[[sweep.zip]]\nkeys = [\"path.top.window\", \"path.top.select.k\"]\n");
  const Sweep& sweep = study.paths[2].sweep;
  ASSERT_EQ(sweep.axes.size(), 2u);
  EXPECT_EQ(sweep.axes[0].name(), "b_top_window");
  EXPECT_EQ(sweep.axes[0].coordinates[1].name, "b_top_select_k");
  EXPECT_EQ(sweep.axes[1].name(), "b_sink_tokens");
  ASSERT_EQ(sweep.cells.size(), 6u);
  EXPECT_EQ(sweep.cells[5].integer("select.path_cell"), 5);
}

}  // namespace
}  // namespace lacuna
