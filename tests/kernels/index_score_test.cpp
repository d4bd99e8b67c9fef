#include "kernels/every_backend.hpp"
#include "kernels/poisoned_rows.hpp"

namespace lacuna::kernels {
namespace {

/// s [s_kv], poisoned first.
template <class T>
std::vector<double> index_score(const Backend& backend, const PoisonedRows<T>& q, const std::vector<double>& weight,
                                const PoisonedRows<T>& k) {
  std::vector<double> s(k.rows, std::numeric_limits<double>::quiet_NaN());
  IndexScoreParams<T> params;
  params.q = q.data.data();
  params.weight = weight.data();
  params.k = k.data.data();
  params.s = s.data();
  params.h = q.rows;
  params.s_kv = k.rows;
  params.d_index = q.width;
  params.q_stride = q.stride;
  params.k_stride = k.stride;
  backend.index_score(params);
  return s;
}

class IndexScoreContract : public EveryBackend {};
LACUNA_FOR_EVERY_BACKEND(IndexScoreContract);

TEST_P(IndexScoreContract, TwoHeadsThreeKeysByHand) {
  // rectified dot products (11, 0), (0, 3), (0, 0), weights 2 and -0.5
  const auto q = PoisonedRows<float>::of({{1, 2}, {-1, 1}});
  const auto k = PoisonedRows<float>::of({{3, 4}, {-3, 0}, {0, -1}});
  EXPECT_EQ(index_score(backend(), q, {2, -0.5}, k), (std::vector<double>{2 * 11 - 0.5, -1.5, 0}));
}

TEST_P(IndexScoreContract, AHeadAndItsNegativeWithOppositeWeightsGiveTheDotProduct) {
  const auto k = PoisonedRows<double>::gaussian(61, 33, 2, 4);
  const auto once = PoisonedRows<double>::gaussian(1, 33, 0, 5);
  PoisonedRows<double> pair(2, 33, 1);
  for (Index c = 0; c < 33; ++c) {
    pair.row(0)[c] = once.row(0)[c];
    pair.row(1)[c] = -once.row(0)[c];
  }
  const std::vector<double> s = index_score(backend(), pair, {1, -1}, k);
  for (Index j = 0; j < k.rows; ++j) {
    long double dot = 0;
    for (Index c = 0; c < 33; ++c) dot += static_cast<long double>(once.row(0)[c]) * k.row(j)[c];
    EXPECT_NEAR(s[j], static_cast<double>(dot), 1e-13);
  }
}

TEST_P(IndexScoreContract, AgreesWithLongDoubleAtOddSizes) {
  for (const Index d : {1, 3, 15, 16, 17, 61, 128})
    for (const Index h : {1, 2, 5, 64})
      for (const Index s_kv : {1, 2, 17, 61}) {
        const auto q = PoisonedRows<float>::gaussian(h, d, 5, 1), k = PoisonedRows<float>::gaussian(s_kv, d, 2, 2);
        const std::vector<double> weight = gaussian_scores(h, 1, 3);
        const std::vector<double> s = index_score(backend(), q, weight, k);
        for (Index j = 0; j < s_kv; ++j) {
          long double exact = 0, size = 0;
          for (Index head = 0; head < h; ++head) {
            long double dot = 0, absolute = 0;
            for (Index c = 0; c < d; ++c) {
              const long double term = static_cast<long double>(q.row(head)[c]) * k.row(j)[c];
              dot += term;
              absolute += std::abs(term);
            }
            exact += weight[head] * std::max(dot, 0.0L);
            size += std::abs(weight[head]) * absolute;
          }
          const double error = std::abs(static_cast<double>(s[j] - exact));
          ASSERT_TRUE(error <= 0x1p-52 * static_cast<double>((d / 16 + 6 + h) * size)) << "d " << d << " h " << h;
        }
      }
}

TEST_P(IndexScoreContract, NoHeadsScoreZeroAndNoKeysWriteNothing) {
  EXPECT_EQ(index_score(backend(), PoisonedRows<float>(0, 4, 1), {}, PoisonedRows<float>::gaussian(3, 4, 1, 1)),
            (std::vector<double>(3, 0)));
  EXPECT_TRUE(
      index_score(backend(), PoisonedRows<float>::gaussian(2, 4, 1, 1), {1, 1}, PoisonedRows<float>(0, 4, 1)).empty());
}

class IndexScoreTwin : public CudaTwin {};

TEST_F(IndexScoreTwin, GivesThePlainBits) {
  for (const Index d : {1, 15, 17, 64, 128})
    for (const Index h : {1, 3, 64})
      for (const Index s_kv : {1, 2, 15, 17, 61, 257}) {
        const std::vector<double> weight = gaussian_scores(h, 1, 3);
        const auto q = PoisonedRows<float>::gaussian(h, d, 5, 1), k = PoisonedRows<float>::gaussian(s_kv, d, 2, 2);
        ASSERT_EQ(index_score(twin(), q, weight, k), index_score(plain(), q, weight, k));
        const auto q64 = PoisonedRows<double>::gaussian(h, d, 5, 1);
        const auto k64 = PoisonedRows<double>::gaussian(s_kv, d, 2, 2);
        ASSERT_EQ(index_score(twin(), q64, weight, k64), index_score(plain(), q64, weight, k64));
      }
}

}  // namespace
}  // namespace lacuna::kernels
