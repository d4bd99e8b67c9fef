// How tight each bound is, two-sided: a bound that became looser fails as one that became false does.
//
// tightness.txt holds the median of bound / error for each bound kind over a fixed set of rows. After a deliberate
// change of a bound, write it anew with
//   LACUNA_UPDATE_TIGHTNESS=1 build/<preset>/tests/test_core --gtest_filter='TightnessBounds.*'
// and say in the commit why the numbers moved.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "support/bound_rows.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

const std::string kFile = std::string(LACUNA_SOURCE_DIR) + "/tests/core/bounds/tightness.txt";
constexpr double kTolerance = 0.02;

/// The fixed set: heads of 64 keys and 16 channels, with and without sink, of three score spreads and value offsets,
/// of which the best 4, 16 or 32 keys are attended.
std::map<std::string, double> medians() {
  std::map<std::string, std::vector<double>> ratios;
  for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
    ProblemShape shape{.n = 64, .d_qk = 16, .d_v = 16, .sink = seed % 2 == 0, .seed = seed};
    shape.score_spread = std::vector<double>{1, 2, 4}[seed % 3];
    shape.value_shift = std::vector<double>{0, 0.5, 2, 8}[seed / 3 % 4];
    const std::size_t k = std::vector<std::size_t>{4, 16, 32}[seed / 12 % 3];
    RandomRow row{random_problem(shape).build(), {}, {}, {}};
    row.wide = wide_row(row.problem, 0, 0);
    row.reachable = row.wide.all();
    KeySet order = row.reachable;
    std::stable_sort(order.begin(), order.end(), [&](RowIndex a, RowIndex b) { return row.wide.s[a] > row.wide.s[b]; });
    row.kept.assign(order.begin(), order.begin() + k);
    std::sort(row.kept.begin(), row.kept.end());
    const JudgedRow judged(row.problem, 0, 0, answer_off_by(row, 0, seed));
    const double error = to_double(wide_truncation(row));
    for (const BoundKind* kind : bounds_of({})) ratios[kind->name].push_back(kind->evaluate(*judged) / error);
    ratios["bound"].push_back(composed_bound(*judged, judged.smallest_bound()) / error);
  }
  std::map<std::string, double> result;
  for (auto& [name, values] : ratios) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    result[name] = values[values.size() / 2];
  }
  return result;
}

std::map<std::string, double> recorded() {
  std::ifstream file(kFile);
  EXPECT_TRUE(file) << kFile;
  std::map<std::string, double> result;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string name;
    double median = 0;
    words >> name >> median;
    result[name] = median;
  }
  return result;
}

void write(const std::map<std::string, double>& measured) {
  std::ofstream file(kFile);
  file << "# Median of bound / error for each bound kind over the fixed rows of tightness_test.cpp, which fails when "
          "one\n"
          "# moves by more than 2 %. Written by\n"
          "#   LACUNA_UPDATE_TIGHTNESS=1 build/<preset>/tests/test_core --gtest_filter='TightnessBounds.*'\n";
  for (const auto& [name, median] : measured) file << fmt::format("{} {:.6g}\n", name, median);
  ASSERT_TRUE(file.flush()) << kFile;
}

TEST(TightnessBounds, AreWithinTwoPercentOfTheRecordedOnes) {
  const std::map<std::string, double> measured = medians();
  if (std::getenv("LACUNA_UPDATE_TIGHTNESS") != nullptr) write(measured);
  const std::map<std::string, double> expected = recorded();
  for (const auto& [name, median] : measured) {
    ASSERT_EQ(expected.count(name), 1U) << name << " is not in " << kFile << ": see the head of that file";
    EXPECT_NEAR(median / expected.at(name), 1, kTolerance) << name << ": median bound / error is " << median;
    EXPECT_GE(median, 1) << name;
  }
  EXPECT_EQ(expected.size(), measured.size()) << kFile << " names a bound that is gone";
}

}  // namespace
}  // namespace lacuna
