// How much certificates are worth, two-sided; what they depend on; and what paths give them.
#include <gtest/gtest.h>

#include "support/certified_row.hpp"
#include "support/path_runner.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

struct Medians {
  double upper;  ///< of certificate_omitted_mass_upper / omitted mass
  double lower;  ///< of omitted mass / certificate_omitted_mass_lower
  double error;  ///< of certificate_output_error / output error
};

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + x.size() / 2, x.end());
  return x[x.size() / 2];
}

/// Heads of 256 keys in blocks of 8 around centres of their own, 16 channels; half of the blocks are attended, those
/// with the best keys.
Medians medians(double spread) {
  std::vector<double> upper, lower, error;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RawProblem raw = random_problem({.n = 256, .d_qk = 16, .d_v = 16, .score_spread = 2, .seed = seed});
    cluster(raw, 8, spread);
    BlockRow row;
    row.block_size = 8;
    row.row.problem = raw.build();
    row.row.wide = wide_row(row.row.problem, 0, 0);
    row.row.reachable = row.row.wide.all();
    std::vector<std::pair<Wide, Index>> order;
    for (Index b = 0; b < 32; ++b)
      order.emplace_back(-*std::max_element(row.row.wide.s.begin() + 8 * b, row.row.wide.s.begin() + 8 * b + 8), b);
    std::sort(order.begin(), order.end());
    for (Index i = 0; i < 16; ++i)
      row.row.kept = set_union(row.row.kept, key_range(8 * order[i].second, 8 * order[i].second + 8));
    const CertifiedRow certified(row);
    const double mass = to_double(wide_omitted(row));
    upper.push_back(certified.value("certificate_omitted_mass_upper") / mass);
    lower.push_back(mass / certified.value("certificate_omitted_mass_lower"));
    error.push_back(certified.value("certificate_output_error") / to_double(wide_truncation(row)));
  }
  return {median(upper), median(lower), median(error)};
}

// measured; a certificate that became looser fails as one that became false does
TEST(CertificateTightnessBounds, OfKeysInTightClustersAreNearTheTruth) {
  const Medians found = medians(0.01);
  EXPECT_NEAR(found.upper, 1.0034, 0.0005);
  EXPECT_NEAR(found.lower, 1.00014, 0.00005);
  EXPECT_NEAR(found.error, 2.034, 0.04);
}

TEST(CertificateTightnessBounds, GrowLooserWithTheSpreadOfAClusterUntilTheySayNothing) {
  const Medians some = medians(0.1);
  EXPECT_NEAR(some.upper, 1.356, 0.02);
  EXPECT_NEAR(some.lower, 1.0133, 0.002);
  EXPECT_NEAR(some.error, 3.00, 0.06);
  const Medians noise = medians(1);
  EXPECT_NEAR(noise.upper, 35.6, 0.7);
  EXPECT_NEAR(noise.lower, 2.32, 0.05);
  EXPECT_NEAR(noise.error, 138.7, 3);
}

/// Small whole numbers, so that a block's summary does not depend on the order of its rows.
BlockRow whole_numbers(std::uint64_t seed, bool mirrored) {
  RawProblem raw = random_problem({.n = 24, .d_qk = 4, .d_v = 3, .score_spread = 2, .data = Data::tied, .seed = seed});
  BlockRow row;
  row.block_size = 4;
  row.row.kept = key_range(8, 16);
  if (mirrored)  // the keys of an unread block in another order than its values
    for (const Index first : {0, 4, 16, 20})
      for (Index c = 0; c < raw.d_qk; ++c) {
        std::swap(raw.key(0, first, c), raw.key(0, first + 3, c));
        std::swap(raw.key(0, first + 1, c), raw.key(0, first + 2, c));
      }
  row.row.problem = raw.build();
  row.row.wide = wide_row(row.row.problem, 0, 0);
  row.row.reachable = row.row.wide.all();
  return row;
}

TEST(Certificates, DependOnTheSummariesOfWhatWasNotReadAlone) {
  Index differ = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const BlockRow here = whole_numbers(seed, false);
    const BlockRow there = whole_numbers(seed, true);
    differ += wide_truncation(here) != wide_truncation(there);
    const CertifiedRow a(here);
    const CertifiedRow b(there);
    for (const char* name :
         {"certificate_omitted_mass_upper", "certificate_omitted_mass_lower", "certificate_output_error"})
      ASSERT_EQ(a.value(name), b.value(name)) << name << " seed " << seed;
  }
  EXPECT_GT(differ, 150);  // though the errors are others
}

TEST(Certificates, OfTheNextScoreAreNoLooserThanThoseOfTheGap) {
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    const CertifiedRow row(block_row(seed));
    ASSERT_LE(row.value("certificate_omitted_mass_next_score"),
              row.value("certificate_omitted_mass_gap") * (1 + 1e-9) + 1e-280)
        << "seed " << seed;
  }
}

TEST(Certificates, ApplyToPathsThatOpenBlocksBySummariesAndToExactTopK) {
  const auto of = [](const Given& given) { return CertifiedPath::of(path_of(given)); };
  for (const char* by : {"box", "ball", "block_mean"}) {
    const Given given = {{"select.by", text(by)}, {"select.k", count(4)}, {"select.block_size", count(5)}};
    EXPECT_EQ(of(given).block_size, 5) << by;
    Given stored = given;
    stored["store"] = text("fp8_e4m3_ue8m0_32");
    EXPECT_TRUE(certificates_of(of(stored)).empty());
    Given replayed = given;
    replayed["replay.prefix"] = count(9);
    replayed["replay.length"] = count(2);
    EXPECT_TRUE(certificates_of(of(replayed)).empty());
  }
  const Given pool = {{"pool.blocks", count(2)}, {"pool.block_size", count(7)}, {"pool.rank_by", text("mean")}};
  EXPECT_EQ(of(pool).block_size, 7);
  EXPECT_FALSE(of(pool).scores_candidates);
  Given in_pool = pool;
  in_pool["select.by"] = text("main");
  in_pool["select.k"] = count(3);
  EXPECT_TRUE(of(in_pool).scores_candidates);
  EXPECT_FALSE(of(in_pool).takes_best_scores);  // it never scored what the pool put out of reach
  in_pool["pool.rank_by"] = text("max");
  EXPECT_TRUE(certificates_of(of(in_pool)).empty());
  EXPECT_EQ(certificates_of(of({{"select.by", text("main")}, {"select.k", count(3)}})).size(), 2U);
  EXPECT_EQ(certificates_of(of({{"select.by", text("value_aware")}, {"select.k", count(3)}})).size(), 0U);
  EXPECT_EQ(certificates_of(of({{"window", count(3)}})).size(), 0U);
}

/// Every certificate of every row that a path answers over problems of all shapes holds.
void expect_hold(const Given& given) {
  Index judged = 0;
  for (const ProblemShape& shape : stage_shapes()) {
    const AttentionProblem problem = random_problem(shape).build();
    const Parameters parameters = path_of(given);
    const CertifiedPath path = CertifiedPath::of(parameters);
    const auto kinds = certificates_of(path);
    ASSERT_FALSE(kinds.empty());
    const PathRun run = run_path(problem, parameters);
    for (Index query = 0; query < problem.s_q(); ++query)
      for (Index head = 0; head < problem.h_q(); ++head) {
        const JudgedRow judged_row(problem, head, query, run.rows[query][head], PathTraits::of(parameters));
        const ExactProfile profile(problem, head, query, judged_row.exact());
        const Index kv_head = problem.kv_head_of(head);
        const BlockSummaries summaries(problem.keys(kv_head), problem.values(kv_head), path.block_size.value_or(1));
        const ReadRow read = read_row(profile, *judged_row, path, path.block_size ? &summaries : nullptr);
        const WideRow wide = wide_row(problem, head, query);
        const Wide mass = wide.mass(set_difference(wide.all(), judged_row->answer->kept));
        for (const CertificateKind* kind : kinds) {
          const double value = kind->evaluate(read);
          ASSERT_FALSE(violates(*judged_row, kind->claim, value)) << kind->name << ' ' << shape.describe();
          if (kind->claim != Claim::output_error_at_most) {
            const bool at_most = kind->claim == Claim::omitted_mass_at_most;
            ASSERT_TRUE(at_most ? mass <= Wide(value) : Wide(value) <= mass) << kind->name;
          }
          judged += mass > 0;
        }
      }
  }
  EXPECT_GT(judged, 50);
}

TEST(PathCertificateContract, HoldsForEveryWayOfOpeningBlocks) {
  for (const char* by : {"box", "ball", "block_mean"})
    for (const Index block : {1, 3, 8})
      for (const char* share : {"head", "kv_group"})
        expect_hold({{"select.by", text(by)},
                     {"select.k", count(7)},
                     {"select.block_size", count(block)},
                     {"select.share", text(share)}});
}

TEST(PathCertificateContract, HoldsWithWindowsAndSinkTokensThatCutBlocks) {
  for (const bool outside : {false, true})
    expect_hold({{"select.by", text("box")},
                 {"select.k", count(6)},
                 {"select.block_size", count(4)},
                 {"select.outside_window", outside},
                 {"window", count(3)},
                 {"sink_tokens", count(2)}});
}

TEST(PathCertificateContract, HoldsForPoolsAndWhatIsChosenInThem) {
  for (const char* rank_by : {"box", "ball", "mean"}) {
    const Given pool = {{"pool.blocks", count(3)},
                        {"pool.block_size", count(4)},
                        {"pool.rank_by", text(rank_by)},
                        {"window", count(2)}};
    expect_hold(pool);
    Given given = pool;
    given["select.by"] = text("main");
    given["select.k"] = count(5);
    expect_hold(given);
    given["select.by"] = text("box");
    given["select.block_size"] = count(3);
    expect_hold(given);
    given["select.by"] = text("random");
    given["select.trials"] = count(1);
    expect_hold(given);
  }
}

TEST(PathCertificateContract, HoldsForTheBestScoresWithWhateverIsReadBeside) {
  for (const char* share : {"head", "kv_group", "layer"})
    expect_hold(
        {{"select.by", text("main")}, {"select.k", count(5)}, {"select.share", text(share)}, {"window", count(2)}});
  expect_hold({{"select.by", text("main")}, {"select.mass", 0.7}});
}

}  // namespace
}  // namespace lacuna
