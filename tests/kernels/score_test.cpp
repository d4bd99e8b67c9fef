#include "kernels/every_backend.hpp"
#include "kernels/poisoned_rows.hpp"

namespace lacuna::kernels {
namespace {

constexpr double u = 0x1p-53;

/// s [h, s_kv], poisoned first.
template <class T>
std::vector<double> score(const Backend& backend, const PoisonedRows<T>& q, const PoisonedRows<T>& k, double sm_scale) {
  std::vector<double> s(q.rows * k.rows, std::numeric_limits<double>::quiet_NaN());
  ScoreParams<T> params;
  params.q = q.data.data();
  params.k = k.data.data();
  params.s = s.data();
  params.h = q.rows;
  params.s_kv = k.rows;
  params.d_qk = q.width;
  params.q_stride = q.stride;
  params.k_stride = k.stride;
  params.sm_scale = sm_scale;
  backend.score(params);
  return s;
}

/// Twice the bound that params.hpp states, so that the reference's own rounding fits in as well, against long double.
template <class T>
void expect_within_stated_bound(const Backend& backend, Index h, Index s_kv, Index d) {
  SCOPED_TRACE(testing::Message() << "h " << h << " s_kv " << s_kv << " d " << d);
  const auto q = PoisonedRows<T>::gaussian(h, d, 5, 1), k = PoisonedRows<T>::gaussian(s_kv, d, 2, 2);
  const double sm_scale = 0.3;
  const auto s = score(backend, q, k, sm_scale);
  for (Index i = 0; i < h; ++i) {
    for (Index j = 0; j < s_kv; ++j) {
      long double exact = 0, size = 0;
      for (Index c = 0; c < d; ++c) {
        const long double term = static_cast<long double>(q.row(i)[c]) * k.row(j)[c];
        exact += term;
        size += std::abs(term);
      }
      const double error = std::abs(s[i * s_kv + j] - sm_scale * exact);
      const double roundings = static_cast<double>((d + score_lanes - 1) / score_lanes + 5);
      const double bound = 2 * roundings * u * sm_scale * size;
      ASSERT_TRUE(error <= bound) << "head " << i << " key " << j << ": " << error << " > " << bound;
    }
  }
}

class ScoreContract : public EveryBackend {};
LACUNA_FOR_EVERY_BACKEND(ScoreContract);

TEST_P(ScoreContract, TwoHeadsThreeKeysByHand) {
  const auto q = PoisonedRows<float>::of({{1, 2}, {-1, 0.5}});
  const auto k = PoisonedRows<float>::of({{3, 4}, {0, 0}, {-2, 1}});
  EXPECT_EQ(score(backend(), q, k, 0.5), (std::vector<double>{5.5, 0, 0, -0.5, 0, 1.25}));
}

TEST_P(ScoreContract, ProductsOfTwoFloatsAreExact) {
  // (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46, which float arithmetic loses
  const float a = 1 + 0x1p-23f;
  const auto q = PoisonedRows<float>::of({{a, 1}}), k = PoisonedRows<float>::of({{a, -(1 + 0x1p-22f)}});
  EXPECT_EQ(score(backend(), q, k, 1), std::vector<double>{0x1p-46});
}

TEST_P(ScoreContract, ZeroQueryScoresZeroEverywhere) {
  const PoisonedRows<double> q = PoisonedRows<double>::of({std::vector<double>(61, 0.0)});
  const auto s = score(backend(), q, PoisonedRows<double>::gaussian(113, 61, 1, 3), 7);
  for (const double score : s) EXPECT_EQ(score, 0);
}

TEST_P(ScoreContract, EmptyExtentsWriteNothing) {
  EXPECT_TRUE(score(backend(), PoisonedRows<float>(0, 4, 1), PoisonedRows<float>(3, 4, 1), 1).empty());
  EXPECT_TRUE(score(backend(), PoisonedRows<float>(2, 4, 1), PoisonedRows<float>(0, 4, 1), 1).empty());
  EXPECT_EQ(score(backend(), PoisonedRows<float>(1, 0, 1), PoisonedRows<float>(2, 0, 1), 1),
            (std::vector<double>{0, 0}));
}

TEST_P(ScoreContract, StaysWithinItsBoundAtOddSizes) {
  for (const Index d : {1, 2, 3, 5, 7, 10, 15, 16, 17, 27, 50, 61, 113, 128, 1011}) {
    expect_within_stated_bound<float>(backend(), 2, 5, d);
    expect_within_stated_bound<double>(backend(), 1, 7, d);
  }
  for (const Index s_kv : {1, 15, 16, 17, 33, 1011}) expect_within_stated_bound<float>(backend(), 3, s_kv, 10);
}

TEST_P(ScoreContract, RepeatsItsBits) {
  const auto q = PoisonedRows<double>::gaussian(3, 61, 4, 1), k = PoisonedRows<double>::gaussian(1011, 61, 4, 2);
  const auto first = score(backend(), q, k, 0.1);
  for (int repeat = 0; repeat < 20; ++repeat) ASSERT_EQ(score(backend(), q, k, 0.1), first);
}

class ScoreTwin : public CudaTwin {};

TEST_F(ScoreTwin, GivesThePlainBits) {
  for (const Index d : {1, 3, 10, 15, 16, 17, 27, 61, 64, 113, 128, 1011}) {
    for (const Index s_kv : {1, 2, 15, 17, 61, 257}) {
      SCOPED_TRACE(testing::Message() << "s_kv " << s_kv << " d " << d);
      const auto q = PoisonedRows<float>::gaussian(3, d, 5, 1), k = PoisonedRows<float>::gaussian(s_kv, d, 2, 2);
      ASSERT_EQ(score(twin(), q, k, 0.3), score(plain(), q, k, 0.3));
      const auto q64 = PoisonedRows<double>::gaussian(3, d, 5, 1), k64 = PoisonedRows<double>::gaussian(s_kv, d, 2, 2);
      ASSERT_EQ(score(twin(), q64, k64, 0.3), score(plain(), q64, k64, 0.3));
    }
  }
  for (const Index s_kv : sizes) {
    const auto q = PoisonedRows<float>::gaussian(1, 27, 5, 1), k = PoisonedRows<float>::gaussian(s_kv, 27, 2, 2);
    ASSERT_EQ(score(twin(), q, k, 0.3), score(plain(), q, k, 0.3)) << "s_kv " << s_kv;
  }
}

}  // namespace
}  // namespace lacuna::kernels
