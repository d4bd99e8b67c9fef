#include "analysis/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/small_results.hpp"
#include "core/base/error.hpp"
#include "data/temporary_directory.hpp"

namespace lacuna {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const std::vector<std::string> kRow = {"sequence", "layer", "head", "query"};

std::vector<std::string> rows_of(const std::vector<std::string>& swept) {
  std::vector<std::string> dimensions = swept;
  dimensions.insert(dimensions.end(), kRow.begin(), kRow.end());
  return dimensions;
}

void add_row_dimensions(SmallResults& results, const std::string& group) {
  results.dimension(group, "sequence", std::vector<std::string>{"kjv"});
  results.dimension(group, "layer", std::vector<std::int64_t>{18, 24});
  results.dimension(group, "head", std::vector<std::int64_t>{5});
  results.dimension(group, "query", std::vector<std::int64_t>{100, 101, 102});
}

/// Two values of k, six rows each: layers 18 and 24, head 5, positions 100 to 102.
void write_attention(const std::string& file) {
  SmallResults results(file);
  add_row_dimensions(results, "/exact");
  for (const char* name : {"visible_keys", "entropy", "effective_keys"})
    results.reals("/exact", name, kRow, {1, 2, 3, 4, 5, 6});
  results.reals("/exact", "score_std", kRow, std::vector<double>(6, 1));
  const std::string path = "/path/top_k";
  results.dimension(path, "select_k", std::vector<std::int64_t>{8, 64});
  add_row_dimensions(results, path);
  hdf5::write_attribute(results.group(path), "oracle", std::int64_t{1});
  const std::vector<std::string> rows = rows_of({"select_k"});
  //                                 k = 8, layer 18        layer 24          k = 64, layer 18    layer 24
  results.codes(path, "status", rows, {0, 0, 5, /**/ 0, 3, 1, /**/ 5, 5, 5, /**/ 5, 0, 4});
  results.integers(path, "keys_attended", rows, {8, 8, 8, 8, 8, 0, 64, 64, 64, 64, 64, 0});
  results.integers(path, "bytes_read_main", rows, {80, 80, 80, 80, 80, 0, 640, 640, 640, 640, 640, 0});
  results.integers(path, "bytes_read_summary", rows, {20, 20, 20, 20, 20, 0, 0, 0, 0, 0, 0, 0});
  results.reals(path, "omitted_mass", rows, {0.1, 0.2, 0.3, 0.4, 0.5, kNan, 0, 0, 0, 0, 0.01, kNan});
  results.reals(path, "output_error", rows, {1, 2, 1e-16, 4, 5, kNan, 1e-16, 1e-16, 1e-16, 1e-16, 1, kNan});
  results.reals(path, "output_error_relative", rows, {.1, .2, 1e-17, .4, .5, kNan, 0, 0, 0, 0, .7, kNan});
  results.reals(path, "bound", rows, {2, 6, 3, 16, 4, kNan, 3, 3, 3, 3, 30, kNan});
}

const TableCell& cell(const Table& table, std::size_t row, const std::string& column) {
  const auto found =
      std::find_if(table.columns.begin(), table.columns.end(), [&](const TableColumn& c) { return c.name == column; });
  if (found == table.columns.end()) throw std::runtime_error("no column " + column);
  return table.rows.at(row).at(found - table.columns.begin());
}

double number(const Table& table, std::size_t row, const std::string& column) {
  return cell(table, row, column).estimate.value;
}

TEST(Summary, OfAttentionErrorIsThatOfItsMeasuredRows) {
  const TemporaryDirectory directory;
  write_attention(directory / "r.h5");
  const Summary summary = summarize(directory / "r.h5");
  ASSERT_EQ(summary.tables.size(), 1u);
  const Table& table = summary.tables.front();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(cell(table, 0, "path").text, "top_k*");
  EXPECT_EQ(cell(table, 1, "swept").text, "select_k = 64");
  EXPECT_EQ(number(table, 0, "rows"), 5);
  EXPECT_EQ(number(table, 0, "keys read"), 8);
  EXPECT_EQ(number(table, 0, "bytes read"), 100);
  EXPECT_NEAR(number(table, 0, "omitted p50"), 0.3, 1e-15);
  EXPECT_NEAR(number(table, 0, "error p50"), 0.2, 1e-15);
  EXPECT_EQ(number(table, 0, "bound/error"), 2.5);  // of 2, 3, 4, .8: without the row below its radius
  EXPECT_NEAR(number(table, 0, "violated"), 0.2, 1e-15);
  EXPECT_NEAR(number(table, 0, "below radius"), 0.2, 1e-15);
  EXPECT_EQ(cell(table, 0, "worst row").text, "24/5/101");
  EXPECT_EQ(number(table, 0, "worst error"), 0.5);
  EXPECT_EQ(summary.violations, 1);
  EXPECT_FALSE(summary.sound());
  EXPECT_NE(summary.footer.find("12 rows: 1 bound violations, 0 failed, 1 not run, 1 without a visible key,\n5 below"),
            std::string::npos)
      << summary.footer;
}

TEST(Summary, HasNoRatioWhereTheMedianErrorIsBelowItsRadius) {  // one row of five above it, with a ratio of 30
  const TemporaryDirectory directory;
  write_attention(directory / "r.h5");
  const Summary summary = summarize(directory / "r.h5");
  EXPECT_TRUE(std::isnan(number(summary.tables.front(), 1, "bound/error")));
  EXPECT_NEAR(number(summary.tables.front(), 1, "below radius"), 0.8, 1e-15);
}

TEST(Summary, ByLayerAndPositionHasALineForEach) {
  const TemporaryDirectory directory;
  write_attention(directory / "r.h5");
  const Summary by_layer = summarize(directory / "r.h5", {"layer"});
  const Table& table = by_layer.tables.back();
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(cell(table, 1, "layer").text, "24");
  EXPECT_EQ(number(table, 1, "rows"), 2);
  EXPECT_NEAR(number(table, 1, "omitted p50"), 0.45, 1e-15);
  EXPECT_NEAR(number(table, 1, "violated"), 0.5, 1e-15);
  EXPECT_EQ(by_layer.tables.front().title, "exact attention");
  EXPECT_EQ(number(by_layer.tables.front(), 1, "entropy p50"), 5);
  const Summary by_both = summarize(directory / "r.h5", {"layer", "query"});
  ASSERT_EQ(by_both.tables.back().rows.size(), 12u);
  EXPECT_EQ(number(by_both.tables.back(), 4, "omitted p50"), 0.5);
  EXPECT_EQ(number(by_both.tables.back(), 5, "rows"), 0);
  EXPECT_EQ(cell(by_both.tables.back(), 4, "query").text, "101");
}

TEST(Summary, NamesPositionsOfASweptSourceAndShowsItsExactAttention) {
  const TemporaryDirectory directory;
  {
    SmallResults results(directory / "r.h5");
    for (const char* group : {"/exact", "/path/exact"}) {
      results.dimension(group, "source_n", std::vector<std::int64_t>{8, 1024});
      results.dimension(group, "sequence", std::vector<std::string>{"0"});
      results.dimension(group, "layer", std::vector<std::int64_t>{0});
      results.dimension(group, "head", std::vector<std::int64_t>{0});
      results.dimension(group, "query", std::vector<std::int64_t>{0, 1});
      results.integers(group, "query_position", {"source_n", "query"}, {3, 7, 511, 1023});
    }
    const std::vector<std::string> rows = rows_of({"source_n"});
    results.integers("/exact", "visible_keys", rows, {4, 8, 512, 1024});
    results.reals("/exact", "score_std", rows, {4, 4, 16, 16});
    results.reals("/exact", "entropy", rows, {1, 3, 0.1, 0.3});
    results.reals("/exact", "effective_keys", rows, {2, 2, 1.5, 1.5});
    hdf5::write_attribute(results.group("/path/exact"), "oracle", std::int64_t{0});
    results.codes("/path/exact", "status", rows, {0, 0, 0, 0});
    results.integers("/path/exact", "keys_attended", rows, {4, 8, 512, 1024});
    results.reals("/path/exact", "output_error_relative", rows, {0, 0, 0.5, 1});
  }
  const Summary summary = summarize(directory / "r.h5");
  ASSERT_EQ(summary.tables.size(), 2u);
  const Table& exact = summary.tables.front();
  EXPECT_EQ(cell(exact, 1, "source_n").text, "1024");
  EXPECT_EQ(cell(summary.tables.back(), 1, "source_n").text, "1024");
  EXPECT_EQ(cell(summary.tables.back(), 1, "swept").text, "");
  EXPECT_EQ(number(exact, 1, "visible keys"), 768);
  EXPECT_EQ(number(exact, 1, "score std p50"), 16);
  EXPECT_NEAR(number(exact, 0, "entropy p50"), 2, 1e-15);
  EXPECT_EQ(cell(summary.tables.back(), 1, "worst row").text, "0/0/1023");
  EXPECT_EQ(cell(summary.tables.back(), 0, "worst row").text, "");
}

TEST(Summary, NamesEveryKeyThatWalksAlongASweptOne) {
  const TemporaryDirectory directory;
  {
    SmallResults results(directory / "r.h5");
    add_row_dimensions(results, "/exact");
    results.integers("/exact", "visible_keys", kRow, {1, 2, 3, 4, 5, 6});
    const std::string path = "/path/box";
    results.dimension(path, "select_k", std::vector<std::int64_t>{64, 128});
    results.integers(path, "select_block_size", {"select_k"}, {8, 16});
    add_row_dimensions(results, path);
    hdf5::write_attribute(results.group(path), "oracle", std::int64_t{0});
    results.codes(path, "status", rows_of({"select_k"}), std::vector<std::uint8_t>(12, 0));
    results.reals(path, "output_error_relative", rows_of({"select_k"}), std::vector<double>(12, 0.5));
  }
  const Summary summary = summarize(directory / "r.h5");
  EXPECT_EQ(cell(summary.tables.front(), 1, "swept").text, "select_k = 128, select_block_size = 16");
}

TEST(Summary, RanksOmittedMassAgainstErrorAndSetsTheLawBesideExactAttention) {
  const TemporaryDirectory directory;
  write_attention(directory / "r.h5");
  const Summary summary = summarize(directory / "r.h5", {"layer"});
  EXPECT_NEAR(number(summary.tables.back(), 0, "mass/error rank corr."), -0.5, 1e-15);  // .1 .2 .3 against .1 .2 0
  EXPECT_NEAR(number(summary.tables.back(), 1, "mass/error rank corr."), 1, 1e-15);
  // layer 18: 1 (where there is no law), 2 and 3 keys; layer 24: 4, 5 and 6; ln n - 1 / 2
  EXPECT_NEAR(number(summary.tables.front(), 0, "entropy by the law p50"), std::log(6.0) / 2 - 0.5, 1e-14);
  EXPECT_NEAR(number(summary.tables.front(), 1, "entropy by the law p50"), std::log(5.0) - 0.5, 1e-14);
}

TEST(Summary, OfModelDivergenceComesFromTheFileAlone) {
  const TemporaryDirectory directory;
  {
    SmallResults results(directory / "r.h5", "model_divergence");
    const std::string path = "/path/store";
    hdf5::write_attribute(results.group(path), "oracle", std::int64_t{0});
    results.dimension(path, "store", std::vector<std::string>{"bf16", "nvfp4"});
    results.dimension(path, "sequence", std::vector<std::string>{"0", "1"});
    results.dimension(path, "layer", std::vector<std::int64_t>{0, 1});
    results.dimension(path, "head", std::vector<std::int64_t>{0});
    results.dimension(path, "position", std::vector<std::int64_t>{0, 1, 2});
    results.dimension(path, "judged", std::vector<std::int64_t>{2});
    const std::vector<std::string> tokens = {"store", "sequence", "position"};
    results.reals(path, "kl_exact_approx", tokens, {1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0});
    results.reals(path, "total_variation", tokens, {.1, .2, .3, .4, .5, .6, 0, 0, 0, 0, 0, 0});
    results.reals(path, "loss", tokens, {1, 1, kNan, 1, 1, kNan, 1, 1, kNan, 1, 1, kNan});
    results.reals(path, "loss_approx", tokens, {2, 2, kNan, 4, 4, kNan, 1, 1, kNan, 1, 1, kNan});
    results.codes(path, "top_1_agrees", tokens, {1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1});
    const std::vector<std::string> hidden = {"store", "sequence", "layer", "position"};
    results.reals(path, "hidden_error_relative", hidden, {9, 9, 9, 1, 2, 3, 9, 9, 9, 4, 5, 6,  //
                                                          9, 9, 9, 0, 0, 0, 9, 9, 9, 0, 0, 0});
    const std::vector<std::string> judged = {"store", "sequence", "layer", "head", "judged"};
    results.codes(path, "status", judged, {0, 3, 0, 2, 5, 5, 5, 5});
    results.reals(path, "omitted_mass", judged, {.1, .2, .3, kNan, 0, 0, 0, 0});
    results.reals(path, "output_error", judged, {1, 2, 3, kNan, 0, 0, 0, 0});
    results.reals(path, "output_error_accumulated", judged, {1, 2, 3, kNan, 0, 0, 0, 0});
    results.reals(path, "bound", judged, {2, 1, 9, kNan, 1, 1, 1, 1});
    results.dimension("/exact", "sequence", std::vector<std::string>{"0", "1"});
    results.dimension("/exact", "layer", std::vector<std::int64_t>{0, 1});
    results.dimension("/exact", "head", std::vector<std::int64_t>{0});
    results.dimension("/exact", "judged", std::vector<std::int64_t>{2});
    const std::vector<std::string> exact = {"sequence", "layer", "head", "judged"};
    results.codes("/exact", "status", exact, {0, 3, 1, 0});
    results.reals("/exact", "output_error", exact, {1e-16, 6e-15, kNan, 0});
    results.reals("/exact", "output_error_radius", exact, {1e-15, 2e-15, kNan, 1e-15});
  }
  const Summary summary = summarize(directory / "r.h5", {"layer"});
  ASSERT_EQ(summary.tables.size(), 3u);
  const Table& tokens = summary.tables[0];
  ASSERT_EQ(tokens.rows.size(), 2u);
  EXPECT_EQ(number(tokens, 0, "KL p50"), 3.5);
  EXPECT_EQ(number(tokens, 0, "KL mean"), 3.5);
  EXPECT_NEAR(number(tokens, 0, "TV p50"), 0.35, 1e-15);
  EXPECT_EQ(number(tokens, 0, "top-1 agrees"), 0.5);
  EXPECT_EQ(number(tokens, 0, "hidden p50"), 3.5);  // behind the last layer
  // losses 1, 1 in the first sequence and 3, 3 in the second: mean 2, deviation of the sequences' means sqrt(2)
  EXPECT_EQ(number(tokens, 0, "loss difference"), 2);
  EXPECT_NEAR(number(tokens, 0, "se across"), 1, 1e-14);
  EXPECT_NEAR(cell(tokens, 0, "loss difference").estimate.interval.high, 2 + 12.706204736, 1e-6);  // t of 1 degree
  const Table& judged = summary.tables[1];
  ASSERT_EQ(judged.rows.size(), 4u);
  EXPECT_EQ(number(judged, 0, "rows"), 2);
  EXPECT_EQ(number(judged, 0, "bound/error"), 2.5);
  EXPECT_EQ(number(judged, 1, "violated"), 1);
  EXPECT_EQ(cell(judged, 0, "worst row").text, "1/0/0/2");
  EXPECT_EQ(number(summary.tables[2], 1, "hidden p50"), 3.5);
  EXPECT_EQ(summary.violations, 2);  // one of the path, one of the exact run
  EXPECT_EQ(
      summary.footer.find("exact run: 1 of 3 judged rows are farther from the ruler than rounding allows; at most 3 "),
      0u)
      << summary.footer;
  EXPECT_EQ(summary.failures, 1);
}

TEST(Summary, OfCacheCostIsThatOfTheLongestContextAndHowItGrowsUpToThere) {
  const TemporaryDirectory directory;
  {
    SmallResults results(directory / "r.h5", "cache_cost");
    const auto add = [&](const std::string& group, double bytes) {
      results.dimension(group, "context", std::vector<std::int64_t>{10, 1000, 100});
      results.dimension(group, "kind", std::vector<std::string>{"main", "index", "local", "state", "routing"});
      results.dimension(group, "operation", std::vector<std::string>{"scores", "values"});
      results.reals(group, "bytes_per_token", {"kind"}, {bytes, 10, 0, 0, 0});
      results.reals(group, "bytes", {"context", "kind"}, {0, 0, 0, 0, 0, 1000 * bytes, 10000, 5, 6, 7, 0, 0, 0, 0, 0});
      results.reals(group, "bytes_read", {"context", "kind"}, {0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0});
      results.reals(group, "bytes_stored", {"context"}, {0, 1, 0});
      for (const char* name : {"main_keys_scored", "local_keys_scored", "index_keys_scored", "prefill_layer_tokens"})
        results.integers(group, name, {"context"}, {1, 20, 3});
      results.reals(group, "operations", {"context", "operation"}, {0, 0, 7, 8, 0, 0});
      results.reals(group, "recomputation_operations", {"context"}, {0, 99, 0});
    };
    add("/cost/mha", 390);
    add("/cost/mla", 90);
  }
  const Summary summary = summarize(directory / "r.h5");
  ASSERT_EQ(summary.tables.size(), 2u);
  EXPECT_EQ(
      format_table(summary.tables[0], TableStyle::csv),
      "# at 1000 tokens:\n"
      "architecture,B/token,first/this,prefix,window+state,read/token,keys scored,index keys,FLOP/token,recomputed,"
      "prefill layer-tokens\n"
      "mha,400,1,400000,11,15,40,20,15,99,20\n"
      "mla,100,4,100000,11,15,40,20,15,99,20\n");
  const std::string growth = format_table(summary.tables[1], TableStyle::csv);  // contexts in order
  EXPECT_NE(growth.find("architecture,held 10,held 100,held 1000,read/token 10,"), std::string::npos) << growth;
  EXPECT_NE(growth.find("mha,0,0,400011,0,0,15,0,0,15,2,6,40,1,3,20,1,3,20\n"), std::string::npos) << growth;
  EXPECT_EQ(summary.footer.find("B/token: "), 0u);
}

TEST(Summary, OfCacheCostSaysFirstWhatEachReductionChanges) {
  const TemporaryDirectory directory;
  {
    SmallResults results(directory / "r.h5", "cache_cost");
    const auto add = [&](const std::string& group, double main, double index, std::int64_t keys) {
      results.dimension(group, "context", std::vector<std::int64_t>{1000});
      results.dimension(group, "kind", std::vector<std::string>{"main", "index", "local", "state", "routing"});
      results.dimension(group, "operation", std::vector<std::string>{"scores"});
      results.reals(group, "bytes_per_token", {"kind"}, {main, index, 0, 0, 0});
      for (const char* name : {"bytes", "bytes_read"})
        results.reals(group, name, {"context", "kind"}, {main, index, 5, 0, 0});
      results.reals(group, "bytes_stored", {"context"}, {main});
      for (const char* name : {"main_keys_scored", "local_keys_scored", "index_keys_scored", "prefill_layer_tokens"})
        results.integers(group, name, {"context"}, {keys});
      results.reals(group, "operations", {"context", "operation"}, {7});
      results.reals(group, "recomputation_operations", {"context"}, {9});
    };
    add("/cost/all", 400, 0, 30);
    add("/cost/few", 100, 20, 10);
    hdf5::write_attribute(results.group("/cost/few"), "against", "all");
  }
  const Summary summary = summarize(directory / "r.h5");
  ASSERT_EQ(summary.tables.size(), 2u) << "one context: nothing grows";
  EXPECT_EQ(format_table(summary.tables.front(), TableStyle::csv),
            "# what each changes, at 1000 tokens:\n"
            "architecture,against,main B/token,index B/token,window+state,main read,index read,keys scored,index keys,"
            "FLOP/token,layer-tokens\n"
            "few,all,x 0.25,new,=,x 0.25,new,x 0.333,x 0.333,=,x 0.333\n");
}

TEST(SummaryFaults, NameTheFileAndWhatIsWrongWithIt) {
  const TemporaryDirectory directory;
  write_attention(directory / "r.h5");
  EXPECT_EQ(message_of<UsageError>([&] { summarize(directory / "r.h5", {"lair"}); }),
            (directory / "r.h5") + ": rows have no dimension 'lair'; there are sequence, layer, head and query");
  { SmallResults results(directory / "x.h5", "weather"); }
  EXPECT_EQ(message_of<InputError>([&] { summarize(directory / "x.h5"); }),
            (directory / "x.h5") + ": holds results of 'weather', which have no summary");
  EXPECT_EQ(message_of<UsageError>([&] {
              summarize(directory / "r.h5", {"layer", "head", "layer"});
            }),
            std::string("--by names 'layer' twice"));
  { SmallResults results(directory / "empty.h5"); }
  const std::string missing = message_of<InputError>([&] { summarize(directory / "empty.h5"); });
  EXPECT_EQ(missing.find(directory / "empty.h5"), 0u) << missing;
  EXPECT_NE(missing.find("/exact"), std::string::npos) << missing;
  write_bytes(directory / "text.h5", "not HDF5");
  const std::string no_results = message_of<InputError>([&] { summarize(directory / "text.h5"); });
  EXPECT_EQ(no_results.find(directory / "text.h5"), 0u);
  EXPECT_EQ(no_results.find(directory / "text.h5", 1), std::string::npos) << "the file is named once";
}

}  // namespace
}  // namespace lacuna
