#include "experiments/attention_error/verdict.hpp"

#include <gtest/gtest.h>

#include "experiments/bound_audit/judged_instance.hpp"

namespace lacuna {
namespace {

/// Two keys of score 0 and values 1 and -1, one of them attended: mass 1/2, error 1.
AuditInstance halves() {
  AuditInstance instance;
  instance.keys = 2;
  instance.d_qk = instance.d_v = 1;
  instance.q = {1};
  instance.k = {0, 0};
  instance.v = {1, -1};
  instance.kept = {1, 0};
  return instance;
}

CertificateKind says(Claim claim, double (*value)(const ReadRow&)) {
  return {.name = "certificate_x", .long_name = "", .claim = claim, .evaluate = value};
}

/// The status of the row after one certificate.
RowStatus after(const CertificateKind& kind, RowStatus before) {
  const AuditInstance instance = halves();
  const JudgedInstance judged(instance);
  double recorded = -1;
  const RowStatus status =
      certify(judged.judgement(), judged.read(), {&kind}, before, [&](double value) { recorded = value; });
  EXPECT_EQ(recorded, kind.evaluate(judged.read()));
  return status;
}

TEST(Certify, TakesAFalseCertificateForAViolatedBound) {
  const auto below = [](const ReadRow&) { return 0.49; };
  const auto above = [](const ReadRow&) { return 0.51; };
  EXPECT_EQ(after(says(Claim::omitted_mass_at_most, below), RowStatus::ok), RowStatus::bound_violated);
  EXPECT_EQ(after(says(Claim::omitted_mass_at_most, above), RowStatus::ok), RowStatus::ok);
  EXPECT_EQ(after(says(Claim::omitted_mass_at_least, above), RowStatus::ok), RowStatus::bound_violated);
  EXPECT_EQ(after(says(Claim::omitted_mass_at_least, below), RowStatus::ok), RowStatus::ok);
  EXPECT_EQ(after(says(Claim::output_error_at_most, below), RowStatus::below_error_radius), RowStatus::bound_violated);
}

TEST(Certify, LeavesEveryOtherStatusAsItIs) {
  const auto below = [](const ReadRow&) { return 0.49; };
  EXPECT_EQ(after(says(Claim::omitted_mass_at_most, below), RowStatus::failed), RowStatus::failed);
  const auto one = [](const ReadRow&) { return 1.0; };
  for (const RowStatus status : {RowStatus::ok, RowStatus::below_error_radius, RowStatus::bound_violated})
    EXPECT_EQ(after(says(Claim::omitted_mass_at_most, one), status), status);
}

}  // namespace
}  // namespace lacuna
