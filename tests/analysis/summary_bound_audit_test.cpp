#include <gtest/gtest.h>

#include "analysis/small_results.hpp"
#include "analysis/summary.hpp"
#include "core/base/error.hpp"
#include "data/temporary_directory.hpp"

namespace lacuna {
namespace {

/// Three cases of a bound, of which the last is false, and two of a guarantee.
void write_audit(const std::string& file, std::uint8_t status) {
  SmallResults results(file, "bound_audit");
  const std::string bound = "/audit/bound_centred";
  results.dimension(bound, "case", std::vector<std::int64_t>{0, 1, 2});
  results.reals(bound, "ratio", {"case"}, {0.5, 0.25, 1.5});
  results.reals(bound, "omitted_mass", {"case"}, {0.1, 0.2, 0.3});
  results.integers(bound, "keys", {"case"}, {4, 5, 6});
  results.integers(bound, "evaluations", {"case"}, {100, 100, 7});
  results.codes(bound, "status", {"case"}, {0, 0, status});
  const std::string guarantee = "/audit/guarantee_x";
  results.dimension(guarantee, "case", std::vector<std::string>{"a", "b"});
  results.reals(guarantee, "omitted_mass", {"case"}, {0.5, 0.5});
  results.reals(guarantee, "median_bound", {"case"}, {0.6, 0.7});
  results.reals(guarantee, "rate_lower", {"case"}, {0, 0.07});
  results.reals(guarantee, "rate_upper", {"case"}, {0.01, 0.11});
  results.reals(guarantee, "probability", {"case"}, {0.05, 0.05});
  results.integers(guarantee, "violations", {"case"}, {0, 9});
  results.codes(guarantee, "status", {"case"}, {0, status});
}

double number(const Table& table, std::size_t row, const std::string& column) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].name == column) return table.rows.at(row).at(c).estimate.value;
  throw InternalError("no column " + column);
}

TEST(SummaryOfBoundAudit, HasALineForEachClaimAndForEachCaseOfAGuarantee) {
  const TemporaryDirectory directory;
  write_audit(directory / "r.h5", 3);
  const Summary summary = summarize(directory / "r.h5");
  ASSERT_EQ(summary.tables.size(), 2U);
  const Table& searches = summary.tables[0];
  ASSERT_EQ(searches.rows.size(), 1U);
  EXPECT_EQ(number(searches, 0, "tightest"), 1.5);
  EXPECT_EQ(number(searches, 0, "median case"), 0.5);
  EXPECT_EQ(number(searches, 0, "case"), 2);
  EXPECT_EQ(number(searches, 0, "keys"), 6);
  EXPECT_EQ(number(searches, 0, "violated"), 1);
  EXPECT_EQ(number(searches, 0, "evaluations"), 207);
  const Table& coverages = summary.tables[1];
  ASSERT_EQ(coverages.rows.size(), 2U);
  EXPECT_EQ(coverages.rows[1][1].text, "b");
  EXPECT_EQ(number(coverages, 1, "false"), 9);
  EXPECT_EQ(number(coverages, 1, "rate from"), 0.07);
  EXPECT_EQ(number(coverages, 1, "allowed"), 0.05);
}

TEST(SummaryOfBoundAudit, IsSoundOnlyWhereNothingIsViolated) {
  const TemporaryDirectory directory;
  write_audit(directory / "false.h5", 3);
  write_audit(directory / "true.h5", 0);
  EXPECT_EQ(summarize(directory / "false.h5").violations, 2);
  EXPECT_FALSE(summarize(directory / "false.h5").sound());
  EXPECT_TRUE(summarize(directory / "true.h5").sound());
  EXPECT_THROW(summarize(directory / "true.h5", {"case"}), UsageError);
}

}  // namespace
}  // namespace lacuna
