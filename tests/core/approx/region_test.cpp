// Which rows each region covers, and which regions may stand together.
#include "core/approx/region.hpp"

#include <gtest/gtest.h>

#include "core/approx/path_parameters.hpp"
#include "support/path_runner.hpp"
#include "support/random.hpp"
#include "support/region_paths.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

std::vector<std::pair<Index, Index>> spans_of(const std::vector<Region>& regions, Index visible) {
  std::vector<std::pair<Index, Index>> spans;
  for (const RowSpan& span : region_spans(regions, visible)) spans.emplace_back(span.begin, span.end);
  return spans;
}

TEST(Regions, OfEightRowsAreThoseCountedByHand) {
  const std::vector<Region> regions = {{0, 1, "exact"}, {2, 2, "exact"}, {4, 4, "exact"}};
  using Spans = std::vector<std::pair<Index, Index>>;
  // newest row 7 at distance 0; rows 0 .. 3 at distances 7 .. 4
  EXPECT_EQ(spans_of(regions, 8), (Spans{{6, 8}, {4, 6}, {0, 4}}));
  // row 2 is at distance 4, but its group reaches to row 3 at distance 3: all of it stays with the nearer region
  EXPECT_EQ(spans_of(regions, 7), (Spans{{4, 7}, {0, 4}, {0, 0}}));
  EXPECT_EQ(spans_of(regions, 3), (Spans{{0, 3}, {0, 0}, {0, 0}}));
  EXPECT_EQ(spans_of(regions, 0), (Spans{{0, 0}, {0, 0}, {0, 0}}));
}

TEST(Regions, RowsOfAnIncompleteGroupAreKeptAsTheyAre) {
  const std::vector<Region> regions =
      regions_of(region_path({{.from = 0, .compress = 4, .store = "bf16"}, {.from = 5, .compress = 8}}));
  ASSERT_EQ(regions.size(), 3U);
  EXPECT_TRUE(regions.front().is_exact_rows());
  using Spans = std::vector<std::pair<Index, Index>>;
  EXPECT_EQ(spans_of(regions, 15), (Spans{{12, 15}, {8, 12}, {0, 8}}));
  EXPECT_EQ(spans_of(regions, 3), (Spans{{0, 3}, {0, 0}, {0, 0}}));
}

TEST(Regions, CoverEveryVisibleRowOnceWithWholeGroupsNoNearerThanTheyMay) {
  Random random(11);
  for (int trial = 0; trial < 500; ++trial) {
    const std::vector<Region> regions = regions_of(region_path(random_regions(random, 80)));
    for (const Index visible : {random.integer(0, 20), random.integer(0, 400)}) {
      const std::vector<RowSpan> spans = region_spans(regions, visible);
      std::vector<int> covered(static_cast<std::size_t>(visible), 0);
      for (std::size_t i = 0; i < regions.size(); ++i) {
        EXPECT_LE(spans[i].begin, spans[i].end);
        EXPECT_EQ(spans[i].begin % regions[i].compress, 0);
        EXPECT_EQ(spans[i].end % regions[i].compress, 0);
        for (Index j = spans[i].begin; j < spans[i].end; ++j) {
          ++covered[static_cast<std::size_t>(j)];
          EXPECT_GE(visible - 1 - j, regions[i].from) << "a row nearer than its region begins";
        }
        // the nearest group that lies wholly beyond `from` is the region's own
        EXPECT_GT(spans[i].end + regions[i].compress, visible - regions[i].from);
      }
      for (const int times : covered) EXPECT_EQ(times, 1);
    }
  }
}

std::vector<std::string> faults_of(const Parameters& path) {
  std::vector<std::string> faults;
  for (const ParameterFault& fault : check_path(path)) faults.push_back(fault.key + ": " + fault.message);
  return faults;
}

TEST(Regions, ThatDoNotNestAreAllNamedAtOnce) {
  const auto faults = faults_of(region_path({{.from = 1, .compress = 2}, {.from = 1, .compress = 3}, {.from = 9}}));
  EXPECT_EQ(faults,
            (std::vector<std::string>{
                "region.0.from: 'from' = 1 of the first region must be 0",
                "region.1.from: 'from' = 1 of region 2 must be greater than that of the region before it, 1",
                "region.1.compress: 'compress' = 3 of region 2 must be a multiple of that of the region before it, 2",
                "region.2.compress: 'compress' = 1 of region 3 must be a multiple of that of the region before it, 3",
            }));
  EXPECT_TRUE(faults_of(region_path({{}, {.from = 1, .compress = 2}, {.from = 3, .compress = 6}})).empty());
}

TEST(Regions, GoWithNoStageThatChoosesOrStores) {
  const std::vector<std::pair<std::string, ParameterValue>> stages = {
      {"window", count(3)},           {"store", text("bf16")},       {"store_k", text("bf16")},
      {"store_v", text("bf16")},      {"store_local", text("bf16")}, {"store_rotate", count(4)},
      {"store_exact_tail", count(4)}, {"select.by", text("main")},   {"pool.blocks", count(2)}};
  for (const auto& [key, value] : stages) {
    Parameters path = region_path({{}});
    path.set(key, value);
    const auto faults = faults_of(path);
    ASSERT_EQ(faults.size(), 1U) << key;
    EXPECT_EQ(
        faults.front(),
        key + ": '" + key + "' and 'region' do not go together: a path with regions reads every region as it is kept");
  }
  Parameters path = path_of({});
  path.set("region_count_weight", false);
  EXPECT_EQ(
      faults_of(path),
      (std::vector<std::string>{"region_count_weight: 'region_count_weight' needs regions: give [[path.region]]"}));
}

TEST(Regions, OfAFormatThatTheWidthDoesNotSuitAreNamed) {
  const Parameters path = region_path({{}, {.from = 4, .compress = 2, .store = "fp4_e4m3_16"}});
  EXPECT_FALSE(check_regions_of_source(path, 32, 16, false).has_value());
  EXPECT_FALSE(check_regions_of_source(path, 32, 20, true).has_value()) << "a shared state is stored at its own width";
  for (const auto& [d_qk, d_v] : std::vector<std::pair<Index, Index>>{{20, 16}, {32, 20}}) {
    const auto fault = check_regions_of_source(path, d_qk, d_v, false);
    ASSERT_TRUE(fault.has_value());
    EXPECT_EQ(fault->key, "region.store");
    EXPECT_EQ(fault->message.substr(0, 10), "region 2: ");
  }
}

}  // namespace
}  // namespace lacuna
