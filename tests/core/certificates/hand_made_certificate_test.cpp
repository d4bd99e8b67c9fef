// Certificates by hand, the cases in which they are attained, and the variant that is false.
#include <gtest/gtest.h>

#include "support/certified_row.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr double kClose = 1e-12;

/// Scores as one-channel keys, values as they are; blocks of 2, the listed keys attended.
BlockRow row_of(const std::vector<double>& scores, const std::vector<std::vector<double>>& values, const KeySet& kept,
                Index block_size = 2, std::optional<double> sink = std::nullopt) {
  RawProblem raw = problem_of_scores(scores, values);
  if (sink) raw.sink_logit = {*sink};
  BlockRow row;
  row.block_size = block_size;
  row.row.problem = raw.build();
  row.row.wide = wide_row(row.row.problem, 0, 0);
  row.row.reachable = row.row.wide.all();
  row.row.kept = kept;
  return row;
}

double value(const BlockRow& row, const char* name) { return CertifiedRow(row).value(name); }

TEST(HandCertificates, OfBlocksWhoseKeysAreOneKeyAreTheTruth) {
  // block {2, 3} holds e^1 twice, block {4, 5} e^-1 twice; values are one point each: everything is known
  const BlockRow row = row_of({0, 0, 1, 1, -1, -1}, {{1}, {1}, {5}, {5}, {1}, {1}}, {0, 1});
  const double omitted = 2 * std::exp(1) + 2 * std::exp(-1);
  const double mass = omitted / (2 + omitted);
  EXPECT_NEAR(value(row, "certificate_omitted_mass_upper"), mass, kClose);
  EXPECT_NEAR(value(row, "certificate_omitted_mass_lower"), mass, kClose);
  // o - o_S = 2 e (5 - 1) / (2 + omitted): the block whose values lie at the output adds nothing
  EXPECT_NEAR(value(row, "certificate_output_error"), 2 * std::exp(1) * 4 / (2 + omitted), kClose);
}

TEST(HandCertificates, OfAPairOfKeysAreTheChordAndItsMiddle) {
  // scores 0 and ln 4 of the block that is not read: mean ln 2, e^mean 2; the chord over [0, ln 4] at its middle is 2.5
  const BlockRow row = row_of({0, 0, 0, std::log(4)}, {{0}, {0}, {0}, {0}}, {0, 1});
  EXPECT_NEAR(value(row, "certificate_omitted_mass_lower"), 4.0 / (2 + 4), kClose);
  EXPECT_NEAR(value(row, "certificate_omitted_mass_upper"), 5.0 / (2 + 5), kClose);  // and 5 is what the two hold
}

TEST(HandCertificates, OfABlockReadInPartKnowTheMeanOfItsOtherKeys) {
  // a block of 0, 1, 5 of which the 5 is attended: the mean of the other two is (3 * 2 - 5) / 2, and no score is above
  // 5
  const BlockRow row = row_of({0, 1, 5}, {{0}, {0}, {0}}, {2}, 3);
  const double lower = 2 * std::exp(0.5);
  const double upper = 2 * (4.5 * std::exp(0) + 0.5 * std::exp(5)) / 5;
  EXPECT_NEAR(value(row, "certificate_omitted_mass_lower"), lower / (std::exp(5) + lower), kClose);
  EXPECT_NEAR(value(row, "certificate_omitted_mass_upper"), upper / (std::exp(5) + upper), kClose);
}

TEST(HandCertificates, OfOneKeyLeftOfABlockAreTheTruth) {
  const BlockRow row = row_of({0, 1, 5}, {{0}, {2}, {0}}, {0, 2}, 3);
  const double mass = std::exp(1) / (1 + std::exp(1) + std::exp(5));
  EXPECT_NEAR(value(row, "certificate_omitted_mass_lower"), mass, kClose);
  EXPECT_NEAR(value(row, "certificate_omitted_mass_upper"),
              2 * (4 * 1 + 1 * std::exp(5)) / 5 * 0.5 / (1 + std::exp(5) + (4 + std::exp(5)) / 5), kClose);
}

TEST(HandCertificates, OfKeysThatWereScoredAreTheTruth) {
  BlockRow row = row_of({0, 1, 5, -2}, {{0}, {0}, {0}, {0}}, {2}, 4);
  row.scores_candidates = true;
  row.row.has_pool = true;
  const double omitted = 1 + std::exp(1) + std::exp(-2);
  EXPECT_NEAR(value(row, "certificate_omitted_mass_lower"), omitted / (std::exp(5) + omitted), kClose);
  EXPECT_NEAR(value(row, "certificate_omitted_mass_upper"), omitted / (std::exp(5) + omitted), kClose);
}

TEST(HandCertificates, CountTheSinkAmongWhatIsAttended) {
  const BlockRow row = row_of({0, 0, 0, 0}, {{1}, {1}, {1}, {1}}, {0, 1}, 2, std::log(4));
  EXPECT_NEAR(value(row, "certificate_omitted_mass_upper"), 2.0 / 8, kClose);
  // o = 4/8, o_S = 2/6
  EXPECT_NEAR(value(row, "certificate_output_error"), 2.0 / 8 * (1 - 2.0 / 6), kClose);
}

TEST(HandCertificates, OfTheGapAndTheNextScore) {
  // attended 3, 2, 2; left out 1, 0, 0, 0: k = 3, t = 4, gap 1
  const BlockRow row = row_of({3, 1, 2, 0, 2, 0, 0}, std::vector<std::vector<double>>(7, {0}), {0, 2, 4});
  EXPECT_NEAR(value(row, "certificate_omitted_mass_gap"), 1 / (1 + 0.75 * std::exp(1)), kClose);
  const double most = 4 * std::exp(1);
  const double attended = std::exp(3) + 2 * std::exp(2);
  EXPECT_NEAR(value(row, "certificate_omitted_mass_next_score"), most / (attended + most), kClose);
  // all scores the same: both are t / n, the truth
  const BlockRow tied = row_of({1, 1, 1, 1}, std::vector<std::vector<double>>(4, {0}), {0});
  EXPECT_NEAR(value(tied, "certificate_omitted_mass_gap"), 0.75, kClose);
  EXPECT_NEAR(value(tied, "certificate_omitted_mass_next_score"), 0.75, kClose);
}

TEST(HandCertificates, KeepTheirDigitsHoweverSmallTheMass) {
  const BlockRow row = row_of({0, 0, -620, -620}, {{3}, {3}, {-3}, {-3}}, {0, 1});
  for (const char* name : {"certificate_omitted_mass_upper", "certificate_omitted_mass_lower"})
    EXPECT_NEAR(value(row, name) / std::exp(-620), 1, 1e-10) << name;
  EXPECT_NEAR(value(row, "certificate_output_error") / (6 * std::exp(-620)), 1, 1e-10);
}

TEST(HandCertificates, SayNothingWhereScoresAreTooLargeToBeKnown) {
  const BlockRow row = row_of({1e200, 1e200, 2e200, -2e200}, {{3}, {3}, {-3}, {-3}}, {0, 1});
  EXPECT_EQ(value(row, "certificate_omitted_mass_upper"), 1);
  EXPECT_EQ(value(row, "certificate_omitted_mass_lower"), 0);
  EXPECT_GE(value(row, "certificate_output_error"), 6);
}

TEST(HandCertificates, AreSummedUpInBytes) {
  // two blocks of a 1-channel key and a 2-channel value: box 2, mean 1, radius 1, centre 2, radius 1, of 4 bytes
  const BlockRow row = row_of({0, 1, 2}, {{1, 2}, {3, 4}, {5, 6}}, {0});
  EXPECT_EQ(CertifiedRow(row).read().summary_bytes, 2 * 7 * 4);
  const BlockRow whole = row_of({0, 1, 2}, {{1, 2}, {3, 4}, {5, 6}}, {0, 1, 2});
  EXPECT_EQ(CertifiedRow(whole).read().summary_bytes, 0);
}

/// Σ_b U_b / (Z_S + ΣU) D_b, which theory names wrong.
double wrong_blockwise(const ReadRow& row) {
  double sum = std::exp(row.attended.lower);
  double moment = 0;
  for (const UnreadBlock& block : row.unread) {
    sum += std::exp(block.z.upper);
    moment += std::exp(block.z.upper) * block.reach;
  }
  return moment / sum;
}

TEST(WrongVariantCertificates, GivingEachBlockItsUpperShareOfTheMassIsSeen) {
  Index rows = 0;
  Index failed = 0;
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    ProblemShape shape{.n = 24, .d_qk = 2, .d_v = 2, .sink = seed % 2 == 0, .value_shift = 3, .seed = seed};
    shape.score_spread = random.one_of<double>({1, 3});
    BlockRow row;
    row.block_size = 4;
    RawProblem raw = random_problem(shape);
    // half of the blocks: values that lie together, keys that lie apart
    for (Index j = 0; j < raw.n; ++j)
      if (j / 4 % 2 == 0) {
        raw.key(0, j, 0) *= 3;
        for (Index c = 0; c < 2; ++c) raw.value(0, j, c) = 3;
      }
    row.row.problem = raw.build();
    row.row.wide = wide_row(row.row.problem, 0, 0);
    row.row.reachable = row.row.wide.all();
    for (Index b : {1, 2})
      if (random.chance(0.5)) row.row.kept = set_union(row.row.kept, key_range(4 * b, 4 * b + 4));
    if (row.row.kept.empty()) row.row.kept = key_range(8, 12);
    const CertifiedRow certified(row);
    const double error = to_double(wide_truncation(row));
    const double wrong = wrong_blockwise(certified.read());
    ++rows;
    failed += !(error <= wrong * (1 + 1e-9));
    worst = std::max(worst, error / wrong);
    ASSERT_FALSE(is_false(row, Claim::output_error_at_most, certified.value("certificate_output_error")));
  }
  RecordProperty("rate", fmt::format("{:.3f}", static_cast<double>(failed) / rows));
  RecordProperty("worst", fmt::format("{:.3f}", worst));
  EXPECT_NEAR(static_cast<double>(failed) / rows, 0.043, 0.02);
  EXPECT_GT(worst, 1.5);
}

}  // namespace
}  // namespace lacuna
