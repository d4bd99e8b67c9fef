#include <gtest/gtest.h>

#include <cmath>

#include "core/bounds/bound.hpp"
#include "core/certificates/certificate.hpp"
#include "experiments/bound_audit/audit_study.hpp"
#include "experiments/bound_audit/judged_instance.hpp"
#include "experiments/bound_audit/parameters.hpp"
#include "experiments/bound_audit/run.hpp"
#include "experiments/bound_audit/search.hpp"
#include "experiments/harness/results_file.hpp"
#include "experiments/read_numbers.hpp"
#include "experiments/run_line.hpp"
#include "experiments/study_fixture.hpp"

namespace lacuna {
namespace {

using testing_study::Folder;
using testing_study::numbers;
using testing_study::run_line;

const std::string kStudy =
    "schema = 1\n[experiment]\nkind = \"bound_audit\"\nseed = 5\n"
    "[audit]\ncases = 3\nsteps = 60\nkeys = 8\nchannels = 2\ntrials = 300\nleft_out = 200\nsample = 16\n";

std::filesystem::path run(const Folder& folder, const std::string& text, int threads = 2) {
  char program[] = "program";
  char* arguments[] = {program, nullptr};
  return run_bound_audit(run_line(folder, text, threads), 1, arguments);
}

/// A claim that the output error is at most what `bound` says.
template <class F>
AuditedClaim output_claim(const char* name, F bound) {
  return {name, name, false, [bound](const AuditInstance& instance) {
            const JudgedInstance judged(instance);
            const PathJudgement& row = judged.judgement();
            const double value = bound(judged);
            const MeasuredError error = row.output_error;
            return Finding{.measured = error.value,
                           .claimed = value,
                           .omitted_mass = row.delta,
                           .ratio = error.value / value,
                           .violated = violates(row, value),
                           .counts = row.is_weighed() && error.value > 1e9 * error.radius};
          }};
}

/// The worst ratio over some restarts.
WorstCase worst_of(const AuditedClaim& claim, Index restarts, Index steps) {
  const SearchSettings settings{.largest = {.keys = 8, .channels = 3}, .steps = steps};
  WorstCase worst;
  for (Index restart = 0; restart < restarts; ++restart) {
    WorstCase found = worst_case(claim, settings, 11, restart, [] {});
    if (restart == 0 || found.finding.ratio > worst.finding.ratio) worst = std::move(found);
  }
  return worst;
}

TEST(BoundAudit, FindsThatEachBlocksUpperShareOfTheMassIsNoBound) {
  const AuditedClaim claim = output_claim("wrong_blockwise", [](const JudgedInstance& judged) {
    const ReadRow read = judged.read();
    double largest = read.attended.lower;
    for (const UnreadBlock& block : read.unread) largest = std::max(largest, block.z.upper);
    double sum = std::exp(read.attended.lower - largest);
    double moment = 0;
    for (const UnreadBlock& block : read.unread) {
      sum += std::exp(block.z.upper - largest);
      moment += std::exp(block.z.upper - largest) * block.reach;
    }
    return moment / sum;
  });
  const WorstCase worst = worst_of(claim, 12, 400);
  EXPECT_TRUE(worst.finding.violated);
  EXPECT_GT(worst.finding.ratio, 1 + 1e-6);
}

TEST(BoundAudit, FindsThatTheVarianceNeedsTheSink) {
  const AuditedClaim claim = output_claim("variance_without_sink", [](const JudgedInstance& judged) {
    const PathJudgement& row = judged.judgement();
    const double p_sink = row.exact->sink_e / row.exact->z;
    const double variance = row.exact->variance - p_sink * row.exact->o_norm * row.exact->o_norm;
    return std::sqrt(row.delta / (1 - row.delta) * std::max(variance, 0.0));
  });
  EXPECT_TRUE(worst_of(claim, 12, 400).finding.violated);
}

/// Selecting by other scores t = s + eta, eta = tanh of the value's first channel: of the k keys attended by either,
/// odds(delta by t) <= e^{factor w} odds(delta by s), w the range of eta.
AuditedClaim selection_claim(double factor) {
  return {"selection", "", false, [factor](const AuditInstance& instance) {
            const AttentionProblem problem = instance.problem();
            std::vector<double> s(instance.keys), t(instance.keys);
            double low = 1e300, high = -1e300;
            for (Index j = 0; j < instance.keys; ++j) {
              for (Index c = 0; c < instance.d_qk; ++c)
                s[j] += instance.sm_scale * instance.q[c] * instance.k[j * instance.d_qk + c];
              const double eta = std::tanh(instance.v[j * instance.d_v]);
              t[j] = s[j] + eta;
              low = std::min(low, eta);
              high = std::max(high, eta);
            }
            const std::size_t k = instance.kept_keys().size();
            const double largest = *std::max_element(s.begin(), s.end());
            const auto odds = [&](const std::vector<double>& by) {
              std::vector<Index> order(instance.keys);
              for (Index j = 0; j < instance.keys; ++j) order[j] = j;
              std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return by[a] > by[b]; });
              double in = 0, out = 0;
              for (std::size_t i = 0; i < order.size(); ++i) (i < k ? in : out) += std::exp(s[order[i]] - largest);
              return out / in;
            };
            const double measured = odds(t);
            const double claimed = std::exp(factor * (high - low)) * odds(s);
            return Finding{.measured = measured,
                           .claimed = claimed,
                           .ratio = measured / claimed,
                           .violated = k > 0 && !(measured <= claimed * (1 + 1e-9)),
                           .counts = k > 0 && std::isfinite(measured / claimed)};
          }};
}

TEST(BoundAudit, FindsThatSelectingByOtherScoresCostsTwiceTheOscillation) {
  EXPECT_TRUE(worst_of(selection_claim(1), 6, 400).finding.violated);
  const Finding twice = worst_of(selection_claim(2), 6, 2000).finding;
  EXPECT_FALSE(twice.violated);
  EXPECT_GT(twice.ratio, 0.8);  // attained
}

TEST(BoundAuditContract, FindsNoRegisteredClaimFalseAndApproachesEach) {
  for (const AuditedClaim& claim : audited_claims()) {
    const WorstCase worst = worst_of(claim, 8, 600);
    EXPECT_FALSE(worst.finding.violated) << claim.name << " error " << worst.finding.measured << " bound "
                                         << worst.finding.claimed;
    EXPECT_LE(worst.finding.ratio, 1 + 1e-9) << claim.name;  // measured to within as much
    EXPECT_GT(worst.finding.ratio, claim.stored ? 0.3 : 0.8) << claim.name;
    RecordProperty(claim.name, std::to_string(worst.finding.ratio));
  }
}

TEST(BoundAudit, CoversEveryBoundAndCertificateThatIsRegistered) {
  std::size_t names = 0;
  for (const AuditedClaim& claim : audited_claims())
    names += BoundRegistry::instance().find(claim.name) != nullptr ||
             CertificateRegistry::instance().find(claim.name) != nullptr;
  EXPECT_EQ(names, BoundRegistry::instance().kinds().size() + CertificateRegistry::instance().kinds().size());
}

TEST(BoundAudit, RecordsTheInstanceThatHasTheRatio) {
  const Folder folder("audit");
  const std::filesystem::path file = run(folder, kStudy);
  std::vector<hsize_t> shape;
  for (const AuditedClaim& claim : audited_claims()) {
    const std::string group = "/audit/" + claim.name + "/";
    const auto of = [&](const char* name) { return numbers(file, group + name); };
    const auto q = of("q"), k = of("k"), v = of("v"), kept = of("kept"), ratio = of("ratio"), keys = of("keys"),
               d_qk = of("d_qk"), d_v = of("d_v"), sink = of("sink_logit"), scale = of("sm_scale"),
               shared = of("shared"), block = of("block_size");
    numbers(file, group + "k", &shape);
    ASSERT_EQ(shape, (std::vector<hsize_t>{3, 8, 2}));
    for (Index i = 0; i < 3; ++i) {
      AuditInstance instance;
      instance.keys = static_cast<Index>(keys[i]);
      instance.d_qk = static_cast<Index>(d_qk[i]);
      instance.d_v = static_cast<Index>(d_v[i]);
      instance.block_size = static_cast<Index>(block[i]);
      instance.shared = shared[i] == 1;
      if (!std::isnan(sink[i])) instance.sink = sink[i];
      if (claim.stored) instance.format = FormatRegistry::instance().kinds()[of("format")[i]].name;
      instance.sm_scale = scale[i];
      for (Index c = 0; c < instance.d_qk; ++c) instance.q.push_back(q[i * 2 + c]);
      for (Index j = 0; j < 8; ++j) {
        if (kept[i * 8 + j] == 2) continue;
        instance.kept.push_back(kept[i * 8 + j] == 1);
        for (Index c = 0; c < instance.d_qk; ++c) instance.k.push_back(k[(i * 8 + j) * 2 + c]);
        for (Index c = 0; c < instance.d_v; ++c) instance.v.push_back(v[(i * 8 + j) * 2 + c]);
      }
      ASSERT_EQ(static_cast<Index>(instance.kept.size()), instance.keys);
      EXPECT_EQ(claim.evaluate(instance).ratio, ratio[i]) << claim.name;
    }
  }
}

TEST(BoundAudit, GivesTheSameResultsForAnyNumberOfThreads) {
  std::vector<std::string> hashes;
  for (const int threads : {1, 2, 3}) {
    const Folder folder("audit");
    hashes.push_back(content_sha256(run(folder, kStudy, threads)));
  }
  EXPECT_EQ(hashes[1], hashes[0]);
  EXPECT_EQ(hashes[2], hashes[0]);
}

TEST(BoundAudit, AuditsTheClaimsThatAreNamed) {
  const Folder folder("audit");
  const AuditStudy study = read_audit_study(
      folder.write(kStudy + "claims = [\"bound_centred\", \"guarantee_omitted_mass_hoeffding\"]\n"), {});
  ASSERT_EQ(study.claims.size(), 1U);
  EXPECT_EQ(study.claims.front().name, "bound_centred");
  ASSERT_EQ(study.guarantees.size(), 1U);
}

TEST(BoundAuditFaults, NameTheKeyAndTheValue) {
  const Folder folder("audit");
  const auto message = [&](const std::string& lines) {
    try {
      read_audit_study(folder.write(kStudy + lines), {});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("claims = [\"bound_centered\"]\n").find("bound_centered"), std::string::npos);
  EXPECT_NE(message("claims = []\n").find("claims"), std::string::npos);
  EXPECT_NE(message("probability = 1.5\n").find("probability"), std::string::npos);
  EXPECT_NE(message("step = 3\n").find("steps"), std::string::npos);
}

TEST(ClopperPearson, HasTheIntervalsOfItsDefinition) {
  const auto [none_lower, none_upper] = clopper_pearson(0, 10, 0.95);
  EXPECT_EQ(none_lower, 0);
  EXPECT_NEAR(none_upper, 1 - std::pow(0.025, 0.1), 1e-12);
  const auto [all_lower, all_upper] = clopper_pearson(10, 10, 0.95);
  EXPECT_NEAR(all_lower, std::pow(0.025, 0.1), 1e-12);
  EXPECT_EQ(all_upper, 1);
  // the chance of 3 or more of 20 at the lower end, and of 3 or fewer at the upper one, is 0.05
  const auto [lower, upper] = clopper_pearson(3, 20, 0.9);
  const auto at_most = [](int x, double p) {
    double sum = 0, choose = 1;
    for (int i = 0; i <= x; choose *= (20.0 - i) / (i + 1), ++i)
      sum += choose * std::pow(p, i) * std::pow(1 - p, 20 - i);
    return sum;
  };
  EXPECT_NEAR(1 - at_most(2, lower), 0.05, 1e-10);
  EXPECT_NEAR(at_most(3, upper), 0.05, 1e-10);
}

TEST(CoverageContract, EveryGuaranteeKeepsItsPromise) {
  const CoverageSettings settings{.trials = 4000, .left_out = 1000, .sample = 32};
  for (const GuaranteeKind& kind : GuaranteeRegistry::instance().kinds())
    for (const Population& population : populations()) {
      const Coverage found = coverage(kind, population, settings, 3);
      EXPECT_FALSE(found.failed) << kind.name << ' ' << population.name;
      EXPECT_LE(found.median_bound, 1);
      EXPECT_GE(found.median_bound, found.omitted_mass) << kind.name << ' ' << population.name;
    }
}

TEST(Coverage, SeesThatAMeanWithItsStandardErrorIsNoGuarantee) {
  // as if weights were normal: where few keys hold the mass, most samples hold none of them
  GuaranteeKind naive;
  naive.name = "naive";
  naive.mean_upper = [](std::span<const double> x, double) {
    double sum = 0, squares = 0;
    for (const double value : x) sum += value;
    const double m = static_cast<double>(x.size());
    for (const double value : x) squares += (value - sum / m) * (value - sum / m);
    return sum / m + 1.645 * std::sqrt(squares / (m - 1) / m);
  };
  Index failed = 0;
  for (const Population& population : populations())
    failed += coverage(naive, population, {.trials = 2000, .left_out = 1000, .sample = 32}, 3).failed;
  EXPECT_GE(failed, 3);
}

}  // namespace
}  // namespace lacuna
