// Every certificate kind over tens of thousands of rows: never false, with no room at all beside the exact row in
// 113-bit arithmetic.
#include "core/certificates/certificate.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/certified_row.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr std::uint64_t kRows = 24000;

struct Found {
  Index rows = 0;
  Index weighed = 0;
  std::map<std::string, Index> is_false;
  std::map<std::string, std::string> first;
  std::map<std::string, Index> judged_false;  ///< by violates(), which the harness asks
  std::map<std::string, double> tightest;     ///< closest to the claimed quantity, 1 where it is attained

  void judge(std::uint64_t seed) {
    const BlockRow row = block_row(seed);
    const CertifiedRow certified(row);
    ++rows;
    weighed += certified.judged().is_weighed();
    const Wide mass = wide_omitted(row);
    const Wide error = wide_truncation(row);
    for (const CertificateKind& kind : CertificateRegistry::instance().kinds()) {
      const double value = certified.value(kind.name);
      if (testing_core::is_false(row, kind.claim, value) && is_false[kind.name]++ == 0)
        first[kind.name] = fmt::format("seed {} value {:.17g} mass {:.17g} error {:.17g}", seed, value, to_double(mass),
                                       to_double(error));
      judged_false[kind.name] += violates(certified.judged(), kind.claim, value);
      const Wide truth = kind.claim == Claim::output_error_at_most ? error : mass;
      if (!(truth > 1e-280 && value > 1e-280)) continue;
      const Wide ratio = kind.claim == Claim::omitted_mass_at_least ? Wide(value) / truth : truth / Wide(value);
      if (mass < 0.999) tightest[kind.name] = std::max(tightest[kind.name], to_double(ratio));
    }
  }
};

const Found& found() {
  static const Found once = [] {
    Found result;
    for (std::uint64_t seed = 1; seed <= kRows; ++seed) result.judge(seed);
    return result;
  }();
  return once;
}

TEST(EveryCertificateContract, IsNeverFalse) {
  EXPECT_EQ(found().rows, kRows);
  EXPECT_GT(found().weighed, kRows * 9 / 10);
  for (const auto& [name, rows] : found().is_false)
    ADD_FAILURE() << name << " is false on " << rows << " rows, first " << found().first.at(name);
}

TEST(EveryCertificateContract, IsNeverFoundFalseByTheHarness) {
  for (const auto& [name, rows] : found().judged_false) EXPECT_EQ(rows, 0) << name;
}

TEST(EveryCertificateContract, IsAttainedOnSomeRow) {
  for (const CertificateKind& kind : CertificateRegistry::instance().kinds()) {
    ASSERT_EQ(found().tightest.count(kind.name), 1U) << kind.name;
    RecordProperty(kind.name, fmt::format("{:.9f}", found().tightest.at(kind.name)));
    EXPECT_GT(found().tightest.at(kind.name), 0.9) << kind.name << " is never approached";
    EXPECT_LE(found().tightest.at(kind.name), 1) << kind.name;
  }
}

TEST(EveryCertificateContract, HoldsWhateverTheArithmeticOfThePathAdds) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const BlockRow row = block_row(seed);
    const CertifiedRow certified(row, std::vector<double>{1e-15, 1e-6, 0.3}[seed % 3]);
    for (const CertificateKind& kind : CertificateRegistry::instance().kinds())
      ASSERT_FALSE(is_false(row, kind.claim, certified.value(kind.name))) << kind.name << " seed " << seed;
  }
}

TEST(EveryCertificateContract, IsZeroWhereNothingWasOmitted) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    BlockRow row = block_row(seed);
    row.row.kept = row.row.reachable = row.row.wide.all();
    const CertifiedRow certified(row);
    for (const CertificateKind& kind : CertificateRegistry::instance().kinds())
      EXPECT_EQ(certified.value(kind.name), 0) << kind.name << " seed " << seed;
  }
}

TEST(EveryCertificateContract, IsOneOrBelowWhereNothingWasAttended) {
  Index rows = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    BlockRow row = block_row(seed);
    if (row.row.wide.has_sink) continue;
    row.row.kept.clear();
    row.row.has_pool = false;
    row.row.reachable = row.row.wide.all();
    ++rows;
    const CertifiedRow certified(row);
    EXPECT_EQ(certified.value("certificate_omitted_mass_upper"), 1);
    EXPECT_LE(certified.value("certificate_omitted_mass_lower"), 1);
    EXPECT_EQ(certified.value("certificate_omitted_mass_gap"), 1);
    EXPECT_FALSE(is_false(row, Claim::output_error_at_most, certified.value("certificate_output_error")))
        << "seed " << seed;
  }
  EXPECT_GT(rows, 500);
}

TEST(EveryCertificateContract, ThatIsNanIsAViolation) {
  const BlockRow row = block_row(11);
  const CertifiedRow certified(row);
  ASSERT_TRUE(certified.judged().is_weighed());
  for (const Claim claim : {Claim::omitted_mass_at_most, Claim::omitted_mass_at_least, Claim::output_error_at_most})
    EXPECT_TRUE(violates(certified.judged(), claim, std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace
}  // namespace lacuna
