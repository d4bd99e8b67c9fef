#include <gtest/gtest.h>

#include "analysis/small_results.hpp"
#include "analysis/summary.hpp"
#include "core/base/error.hpp"
#include "data/temporary_directory.hpp"

namespace lacuna {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

void add_row_dimensions(SmallResults& results, const std::string& group) {
  results.dimension(group, "sequence", std::vector<std::string>{"0"});
  results.dimension(group, "layer", std::vector<std::int64_t>{3, 7});
  results.dimension(group, "head", std::vector<std::int64_t>{0});
  results.dimension(group, "query", std::vector<std::int64_t>{10, 11});
}

/// Rows (layer 3: two, layer 7: two) of `top_k` at 8 and 32 keys, `window` at 16, `few` in layer 7 alone at 8, and
/// `draw`, two trials at 8.
void write_paths(const std::string& file) {
  SmallResults results(file);
  const std::vector<std::string> rows = {"sequence", "layer", "head", "query"};
  add_row_dimensions(results, "/exact");
  results.integers("/exact", "visible_keys", rows, {64, 64, 64, 64});
  for (const char* name : {"score_std", "entropy", "effective_keys"}) results.reals("/exact", name, rows, {1, 1, 1, 1});
  const auto add = [&](const std::string& name, const std::vector<std::string>& first,
                       const std::vector<std::uint8_t>& status, const std::vector<std::int64_t>& keys,
                       const std::vector<double>& error) {
    const std::string path = "/path/" + name;
    for (const std::string& dimension : first)
      results.dimension(path, dimension,
                        std::vector<std::int64_t>(dimension == "trial" ? std::vector<std::int64_t>{0, 1}
                                                                       : std::vector<std::int64_t>{8, 32}));
    add_row_dimensions(results, path);
    hdf5::write_attribute(results.group(path), "oracle", std::int64_t{0});
    std::vector<std::string> dimensions = first;
    dimensions.insert(dimensions.end(), rows.begin(), rows.end());
    results.codes(path, "status", dimensions, status);
    results.integers(path, "keys_attended", dimensions, keys);
    results.reals(path, "output_error_relative", dimensions, error);
  };
  add("top_k", {"select_k"}, {0, 0, 0, 0, 0, 0, 0, 0}, {8, 8, 8, 8, 32, 32, 32, 32}, {4, 4, 1, 9, 1, 1, 1, 1});
  add("window", {}, {0, 0, 0, 0}, {16, 16, 16, 16}, {3, 1, 1, 3});
  add("few", {}, {1, 1, 0, 0}, {0, 0, 8, 8}, {kNan, kNan, 2, 2});
  add("draw", {"trial"}, {0, 0, 0, 0, 0, 0, 0, 0}, {8, 8, 8, 8, 8, 8, 8, 8}, {4, 4, 4, 4, 6, 6, 6, 2});
}

class SummaryAgainst : public testing::Test {
 protected:
  SummaryAgainst() { write_paths(file_); }
  Table table(const std::string& against, const std::vector<std::string>& by = {}) const {
    return summarize(file_, by, against).tables.back();
  }
  std::string usage_error(const std::string& against) const {
    return message_of<UsageError>([&] { summarize(file_, {}, against); });
  }
  static const std::vector<TableCell>& line(const Table& table, const std::string& path) {
    for (const auto& row : table.rows)
      if (row.front().text == path) return row;
    throw InternalError("no line of " + path);
  }
  /// From the end of the line: keys read, its keys, error difference, lower in.
  static Estimate cell(const std::vector<TableCell>& line, int place) { return line[line.size() - 4 + place].estimate; }

  const TemporaryDirectory directory_;
  const std::string file_ = directory_ / "r.h5";
};

TEST_F(SummaryAgainst, SetsOtherPathsAgainstASweptOneAtAsManyKeys) {
  const Table found = table("top_k");
  ASSERT_EQ(found.rows.size(), 3u);
  EXPECT_EQ(found.title, "against top_k at as many keys read: relative output error, row by row");
  // top_k at 16 keys, half of the way from 8 to 32 in logarithms: 2, 2, 1, 3; differences 1, -1, 0, 0
  const auto& window = line(found, "window");
  EXPECT_EQ(cell(window, 0).value, 16);
  EXPECT_EQ(cell(window, 1).value, 16);
  EXPECT_NEAR(cell(window, 2).value, 0, 1e-12);
  // rows that only one ran are left out: 2, 2 against 1, 9
  const auto& few = line(found, "few");
  EXPECT_EQ(cell(few, 0).value, 8);
  EXPECT_EQ(cell(few, 2).value, -3);
  EXPECT_EQ(cell(few, 3).value, 0.5);
  // trials enter as their mean: 5, 5, 5, 3 against 4, 4, 1, 9
  const auto& draw = line(found, "draw");
  EXPECT_EQ(cell(draw, 2).value, 0);
  EXPECT_EQ(cell(draw, 3).value, 0.25);
}

TEST_F(SummaryAgainst, SetsOtherPathsAgainstOneValueAsItIs) {
  const Table found = table("top_k:select_k=32");
  ASSERT_EQ(found.rows.size(), 4u);  // top_k itself at 8 among them
  const auto& own = line(found, "top_k");
  EXPECT_EQ(own[1].text, "select_k = 8");
  EXPECT_EQ(cell(own, 0).value, 8);
  EXPECT_EQ(cell(own, 1).value, 32);
  EXPECT_EQ(cell(own, 2).value, 3.5);
  EXPECT_EQ(cell(own, 3).value, 0.125);  // one equal row of four
  EXPECT_EQ(cell(line(table("window"), "few"), 2).value, 0);
}

TEST_F(SummaryAgainst, HasALineForEachLabelAndNothingWhereTheFrontierDoesNotReach) {
  const Table found = table("top_k", {"layer"});
  ASSERT_EQ(found.rows.size(), 6u);
  const auto& window = line(found, "window");
  EXPECT_EQ(window[2].text, "3");
  EXPECT_NEAR(cell(window, 2).value, 0, 1e-12);
  const auto& few = line(found, "few");  // ran in layer 7 alone
  EXPECT_TRUE(std::isnan(cell(few, 2).value));
}

TEST_F(SummaryAgainst, RefusesWhatItCannotCompare) {
  EXPECT_EQ(usage_error("topk"),
            file_ + ": --against topk: there is no path 'topk'; there are top_k, window, few, draw");
  EXPECT_EQ(usage_error("top_k:select_k=9"),
            file_ + ": --against top_k: it has no such swept value; there are select_k = 8; select_k = 32");
  EXPECT_EQ(usage_error("top_k:select_k"), file_ + ": --against top_k:select_k: 'select_k' is not KEY=VALUE");
}

TEST(SummaryAgainstFaults, AFrontierOfEqualCostsIsNoFrontier) {
  const TemporaryDirectory directory;
  {
    SmallResults results(directory / "r.h5");
    const std::vector<std::string> rows = {"sequence", "layer", "head", "query"};
    add_row_dimensions(results, "/exact");
    results.integers("/exact", "visible_keys", rows, {64, 64, 64, 64});
    for (const std::string path : {"/path/pool", "/path/other"}) {
      results.dimension(path, "pool_blocks", std::vector<std::int64_t>{16, 32});
      add_row_dimensions(results, path);
      hdf5::write_attribute(results.group(path), "oracle", std::int64_t{0});
      const std::vector<std::string> all = {"pool_blocks", "sequence", "layer", "head", "query"};
      results.codes(path, "status", all, {0, 0, 0, 0, 0, 0, 0, 0});
      results.integers(path, "keys_attended", all, {8, 8, 8, 8, 8, 8, 8, 8});
      results.reals(path, "output_error_relative", all, {4, 4, 1, 9, 1, 1, 1, 1});
    }
  }
  EXPECT_EQ(message_of<UsageError>([&] { summarize(directory / "r.h5", {}, "pool"); }),
            (directory / "r.h5") +
                ": --against pool: its swept values all read as many keys; name one, such as pool:pool_blocks=16");
  EXPECT_EQ(summarize(directory / "r.h5", {}, "pool:pool_blocks=32").tables.back().rows.size(), 3u);
}

TEST(SummaryAgainstOfModelDivergence, IsOnTheDivergenceAndTheLossOfTheSamePositions) {
  const TemporaryDirectory directory;
  {
    SmallResults results(directory / "r.h5", "model_divergence");
    const auto add = [&](const std::string& path, const std::vector<double>& kl, const std::vector<double>& loss) {
      hdf5::write_attribute(results.group(path), "oracle", std::int64_t{0});
      results.dimension(path, "sequence", std::vector<std::string>{"0"});
      results.dimension(path, "layer", std::vector<std::int64_t>{0});
      results.dimension(path, "head", std::vector<std::int64_t>{0});
      results.dimension(path, "position", std::vector<std::int64_t>{0, 1, 2});
      results.dimension(path, "judged", std::vector<std::int64_t>{2});
      const std::vector<std::string> tokens = {"sequence", "position"};
      results.reals(path, "kl_exact_approx", tokens, kl);
      results.reals(path, "total_variation", tokens, kl);
      results.reals(path, "loss", tokens, {1, 1, kNan});
      results.reals(path, "loss_approx", tokens, loss);
      results.codes(path, "top_1_agrees", tokens, {1, 1, 1});
      results.reals(path, "hidden_error_relative", {"sequence", "layer", "position"}, {0, 0, 0});
      const std::vector<std::string> judged = {"sequence", "layer", "head", "judged"};
      results.codes(path, "status", judged, {0});
      for (const char* name : {"omitted_mass", "output_error", "output_error_accumulated", "bound"})
        results.reals(path, name, judged, {1});
    };
    add("/path/first", {1, 2, 3}, {2, 4, kNan});
    add("/path/second", {0.5, 2, 4}, {1, 1, kNan});
    results.dimension("/exact", "sequence", std::vector<std::string>{"0"});
    results.dimension("/exact", "layer", std::vector<std::int64_t>{0});
    results.dimension("/exact", "head", std::vector<std::int64_t>{0});
    results.dimension("/exact", "judged", std::vector<std::int64_t>{2});
    const std::vector<std::string> exact = {"sequence", "layer", "head", "judged"};
    results.codes("/exact", "status", exact, {0});
    results.reals("/exact", "output_error", exact, {0});
    results.reals("/exact", "output_error_radius", exact, {1e-15});
  }
  const Table found = summarize(directory / "r.h5", {}, "first").tables.back();
  ASSERT_EQ(found.rows.size(), 1u);
  const auto& line = found.rows.front();
  EXPECT_EQ(line.front().text, "second");
  EXPECT_NEAR(line[line.size() - 3].estimate.value, 0.5 / 3, 1e-15);
  EXPECT_NEAR(line[line.size() - 2].estimate.value, 0.5, 1e-15);  // one lower, one equal, one higher
  EXPECT_EQ(line[line.size() - 1].estimate.value, -2);
}

}  // namespace
}  // namespace lacuna
