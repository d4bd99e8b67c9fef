// The ruler's hand numbers, and what must never change its output.
#include "core/reference/exact_row.hpp"

#include <gtest/gtest.h>

#include "support/judged_row.hpp"
#include "support/random_shapes.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ExactRow exact_of(const RawProblem& raw) { return testing_core::exact_of(raw.build(), 0, raw.s_q - 1); }

bool same_bits(const ExactRow& a, const ExactRow& b) {
  return a.visible == b.visible && a.s == b.s && a.e == b.e && a.rho == b.rho && a.z == b.z && a.o == b.o &&
         a.log_sum_exp == b.log_sum_exp && a.error_radius == b.error_radius && a.variance == b.variance;
}

TEST(ExactRow, AgreesWithHandNumbers) {
  // weights 1, 2, 5 over 8; values (8, 0), (4, 8), (0, 16): o = (1 + 1 + 0, 0 + 2 + 10)
  const RawProblem raw = problem_of_scores({0, std::log(2), std::log(5)}, {{8, 0}, {4, 8}, {0, 16}});
  const ExactRow row = exact_of(raw);
  EXPECT_EQ(row.visible, 3);
  EXPECT_NEAR(row.o[0], 2, 1e-15);
  EXPECT_NEAR(row.o[1], 12, 1e-14);
  EXPECT_NEAR(row.log_sum_exp, std::log(8), 1e-15);
  EXPECT_NEAR(row.p(0), 0.125, 1e-16);
  EXPECT_NEAR(row.p(1), 0.25, 1e-16);
  EXPECT_NEAR(row.p(2), 0.625, 1e-16);
  EXPECT_NEAR(row.o_norm, std::sqrt(4 + 144), 1e-14);
  EXPECT_EQ(row.m, std::log(5));
  EXPECT_EQ(row.value_norm_max, 16);
  // mean value (4, 8): distances sqrt(16 + 64), 0, sqrt(16 + 64)
  EXPECT_NEAR(row.centred_radius, std::sqrt(80), 1e-14);
  // (36 + 144) / 8 + (4 + 16) / 4 + 5 (4 + 16) / 8 = 22.5 + 5 + 12.5
  EXPECT_NEAR(row.variance, 40, 1e-13);
  EXPECT_GT(row.error_radius, 0);
  EXPECT_LT(row.error_radius, 1e-13);
}

TEST(ExactRow, SinkIsAKeyOfValueZeroCountedOnce) {
  // weights 1, 2, 5 and a sink of 8: everything halves
  RawProblem raw = problem_of_scores({0, std::log(2), std::log(5)}, {{8, 0}, {4, 8}, {0, 16}});
  raw.sink_logit = {std::log(8)};
  const ExactRow row = exact_of(raw);
  EXPECT_NEAR(row.o[0], 1, 1e-15);
  EXPECT_NEAR(row.o[1], 6, 1e-14);
  EXPECT_NEAR(row.log_sum_exp, std::log(16), 1e-15);
  EXPECT_NEAR(row.sink_e / row.z, 0.5, 1e-16);
  EXPECT_EQ(row.m, std::log(8));
  // ||c|| = sqrt(80) for the sink, too
  EXPECT_NEAR(row.centred_radius, std::sqrt(80), 1e-14);
  // (49 + 36)/16 + (9 + 4)/8 + 5 (1 + 100)/16 + (1 + 36)/2
  EXPECT_NEAR(row.variance, 85 / 16.0 + 13 / 8.0 + 505 / 16.0 + 37 / 2.0, 1e-13);
}

TEST(ExactRow, DotProductsAndScaleAgreeWithHandNumbers) {
  // q = (1, 2), keys (2, 1), (-1, 1): dots 4, 1; scale 1/2: scores 2, 1/2
  RawProblem raw = problem_of({1, 2}, {{2, 1}, {-1, 1}}, {{1}, {0}});
  raw.sm_scale = 0.5;
  const ExactRow row = exact_of(raw);
  EXPECT_EQ(row.s, (std::vector<double>{2, 0.5}));
  EXPECT_NEAR(row.o[0], 1 / (1 + std::exp(-1.5)), 1e-16);
  EXPECT_EQ(row.absolute_dot_max, 4);  // 2 + 2; the other has 1 + 2
}

TEST(ExactRow, ZeroQueryWeighsTheVisibleKeysEqually) {
  for (const Index n : {1, 2, 3, 7, 97, 300}) {
    RawProblem raw = random_problem({.n = n, .d_qk = 5, .d_v = 3, .seed = 11});
    std::fill(raw.q.begin(), raw.q.end(), 0.0);
    const ExactRow row = exact_of(raw);
    for (Index j = 0; j < n; ++j) EXPECT_EQ(row.p(j), 1.0 / static_cast<double>(n));
    EXPECT_NEAR(row.log_sum_exp, std::log(static_cast<double>(n)), 1e-15);
  }
}

TEST(ExactRow, EmptyRowHasOutputZeroAndLogSumExpMinusInfinity) {
  RawProblem raw = random_problem({.n = 3, .d_qk = 2, .d_v = 4});
  raw.query_position = {-1};
  const ExactRow row = exact_of(raw);
  EXPECT_EQ(row.visible, 0);
  EXPECT_EQ(row.o, std::vector<double>(4, 0.0));
  EXPECT_EQ(row.log_sum_exp, -kInfinity);
  EXPECT_EQ(row.z, 0);
  EXPECT_EQ(row.error_radius, 0);
}

TEST(ExactRow, SinkAloneHasOutputZeroAndItsOwnLogit) {
  RawProblem raw = random_problem({.n = 3, .d_qk = 2, .d_v = 4});
  raw.query_position = {-1};
  raw.sink_logit = {1.25};
  const ExactRow row = exact_of(raw);
  EXPECT_EQ(row.o, std::vector<double>(4, 0.0));
  EXPECT_EQ(row.log_sum_exp, 1.25);
  EXPECT_EQ(row.z, 1);
}

TEST(ExactRow, SinkOfMinusInfinityIsNoSink) {
  RawProblem raw = random_problem({.n = 13, .d_qk = 4, .d_v = 3, .seed = 3});
  const ExactRow without = exact_of(raw);
  raw.sink_logit = {-kInfinity};
  const ExactRow with = exact_of(raw);
  EXPECT_EQ(with.o, without.o);
  EXPECT_EQ(with.log_sum_exp, without.log_sum_exp);
  EXPECT_TRUE(with.error_radius < 1e-12) << with.error_radius;
  EXPECT_FALSE(std::isnan(with.rho_mean));
}

TEST(ExactRow, AddingTenThousandToEveryLogitChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RawProblem raw = random_problem({.n = 41, .d_qk = 6, .d_v = 5, .seed = seed});
    raw.sm_scale = 0.5;
    RawProblem shifted = raw;
    for (const double shift : {1e4, -1e4}) {  // one more channel: q = shift / sm, k = 1
      shifted.d_qk = 7;
      shifted.q.assign(raw.q.begin(), raw.q.end());
      shifted.q.push_back(shift / raw.sm_scale);
      shifted.k.clear();
      for (Index j = 0; j < raw.n; ++j) {
        for (Index c = 0; c < 6; ++c) shifted.k.push_back(raw.key(0, j, c));
        shifted.k.push_back(1);
      }
      const ExactRow a = exact_of(raw);
      const ExactRow b = exact_of(shifted);
      EXPECT_TRUE(distance(a.o, b.o) <= a.error_radius + b.error_radius) << "seed " << seed;
      EXPECT_LT(b.error_radius, 1e-10);
      EXPECT_NEAR(b.log_sum_exp - shift, a.log_sum_exp, 4e-12);
    }
  }
}

TEST(ExactRow, LogitsFarBelowAnySentinelStillSumToOne) {
  const ExactRow row = exact_of(problem_of_scores({-2e4, -2e4 - std::log(3), -3e4}, {{4}, {8}, {1e9}}));
  EXPECT_NEAR(row.o[0], 5, 1e-11);  // 3/4 * 4 + 1/4 * 8, and e^-10000 of the last is 0
  EXPECT_NEAR(row.p(0) + row.p(1) + row.p(2), 1, 1e-15);
  EXPECT_NEAR(row.log_sum_exp, -2e4 + std::log(4.0 / 3), 1e-11);
}

TEST(ExactRow, NeverReadsRowsThatAreNotVisible) {
  for (const ProblemShape& shape : stage_shapes()) {
    RawProblem raw = random_problem(shape);
    for (Index i = 0; i < raw.s_q; ++i) raw.query_position[i] = i * (raw.n - 1) / raw.s_q;
    const AttentionProblem clean = raw.build();
    for (Index i = 0; i < raw.s_q; ++i) {
      RawProblem poisoned = raw;
      for (Index kv_head = 0; kv_head < raw.h_kv; ++kv_head)
        for (Index j = raw.query_position[i] + 1; j < raw.n; ++j) poisoned.poison(kv_head, j);
      const AttentionProblem dirty = poisoned.build();
      for (Index head = 0; head < raw.h_q; ++head)
        EXPECT_TRUE(same_bits(testing_core::exact_of(clean, head, i), testing_core::exact_of(dirty, head, i)))
            << shape.describe() << " query " << i;
    }
  }
}

TEST(ExactRow, DecodeOfOneQueryIsTheLastRowOfAPrefillBitForBit) {
  for (const bool is_double : {true, false}) {
    ProblemShape shape{.h_q = 4, .h_kv = 2, .s_q = 53, .n = 53, .d_qk = 7, .d_v = 9, .is_double = is_double};
    shape.sink = true;
    const RawProblem prefill = random_problem(shape);
    RawProblem decode = prefill;
    decode.s_q = 1;
    decode.q.clear();
    for (Index head = 0; head < 4; ++head)
      for (Index c = 0; c < 7; ++c) decode.q.push_back(prefill.q[(head * 53 + 52) * 7 + c]);
    decode.query_position = {52};
    for (Index head = 0; head < 4; ++head)
      EXPECT_TRUE(same_bits(testing_core::exact_of(prefill.build(), head, 52),
                            testing_core::exact_of(decode.build(), head, 0)));
  }
}

TEST(ExactRow, SevenHeadsPerGroupEqualRepeatedKeysAndValues) {
  const RawProblem gqa = random_problem({.h_q = 14, .h_kv = 2, .n = 29, .d_qk = 5, .d_v = 4, .sink = true});
  RawProblem mha = gqa;
  mha.h_kv = 14;
  mha.k.clear();
  mha.v.clear();
  for (Index head = 0; head < 14; ++head) {
    const Index from = head < 7 ? 0 : 1;
    mha.k.insert(mha.k.end(), gqa.k.begin() + from * 29 * 5, gqa.k.begin() + (from + 1) * 29 * 5);
    mha.v.insert(mha.v.end(), gqa.v.begin() + from * 29 * 4, gqa.v.begin() + (from + 1) * 29 * 4);
  }
  RawProblem permuted = gqa;  // heads 2 and 5 of the first group change places
  for (Index c = 0; c < 5; ++c) std::swap(permuted.query(2, 0, c), permuted.query(5, 0, c));
  std::swap(permuted.sink_logit[2], permuted.sink_logit[5]);
  for (Index head = 0; head < 14; ++head) {
    const ExactRow row = testing_core::exact_of(gqa.build(), head, 0);
    EXPECT_TRUE(same_bits(row, testing_core::exact_of(mha.build(), head, 0)));
    const Index place = head == 2 ? 5 : head == 5 ? 2 : head;
    EXPECT_TRUE(same_bits(row, testing_core::exact_of(permuted.build(), place, 0)));
  }
}

TEST(ExactRow, PaddingBetweenRowsIsNotRead) {
  // keys and values of 2 channels in rows of 3, the third NaN
  const std::vector<double> q = {1, 1};
  const std::vector<double> k = {0, 0, kNan, 1, 0, kNan};
  const std::vector<double> v = {2, 0, kNan, 4, 0, kNan};
  const ExactRow row = exact_row(TypedRows<double>{q.data(), 1, 2, 2}, 0, TypedRows<double>{k.data(), 2, 2, 3},
                                 TypedRows<double>{v.data(), 2, 2, 3}, 2, std::log(3), std::nullopt);
  EXPECT_NEAR(row.o[0], (2 + 3 * 4) / 4.0, 1e-15);
}

}  // namespace
}  // namespace lacuna
