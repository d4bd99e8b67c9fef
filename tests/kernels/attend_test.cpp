#include <numeric>

#include "kernels/every_backend.hpp"
#include "kernels/poisoned_rows.hpp"

namespace lacuna::kernels {
namespace {

constexpr double u = 0x1p-53;

/// A softmax's answer with its own memory.
struct Answer {
  double m, l;
  std::vector<double> o;  // [d_v]
  bool operator==(const Answer& other) const { return m == other.m && l == other.l && o == other.o; }
};

std::vector<RowIndex> all_rows(Index n) {
  std::vector<RowIndex> index(n);
  std::iota(index.begin(), index.end(), 0);
  return index;
}

template <class T>
void attend_into(const Backend& backend, const std::vector<double>& s, const std::vector<RowIndex>& index,
                 const PoisonedRows<T>& v, PartialSoftmax& partial) {
  AttendParams<T> params;
  params.s = s.data();
  params.index = index.data();
  params.v = v.data.data();
  params.n = index.size();
  params.d_v = v.width;
  params.v_stride = v.stride;
  backend.attend(params, partial);
}

template <class T>
Answer attend(const Backend& backend, const std::vector<double>& s, const std::vector<RowIndex>& index,
              const PoisonedRows<T>& v) {
  Answer answer{never, 0, std::vector<double>(v.width, 0.0)};
  PartialSoftmax partial{answer.m, answer.l, answer.o.data(), v.width};
  attend_into(backend, s, index, v, partial);
  return {partial.m, partial.l, std::move(answer.o)};
}

/// o / l of the answer.
std::vector<double> output(Answer answer) {
  PartialSoftmax partial{answer.m, answer.l, answer.o.data(), static_cast<Index>(answer.o.size())};
  normalize(partial);
  return answer.o;
}

class AttendContract : public EveryBackend {};
LACUNA_FOR_EVERY_BACKEND(AttendContract);

TEST_P(AttendContract, ThreeOfFiveKeysByHand) {
  // weights 1, 2, 5 of 8 at rows 4, 0, 2; rows 1 and 3 are not listed and hold NaN
  auto v = PoisonedRows<float>::of({{4, 0}, {0, 0}, {8, 16}, {0, 0}, {-8, 32}});
  v.poison_row(1);
  v.poison_row(3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto answer = attend(backend(), {std::log(2.0), nan, std::log(5.0), nan, 0}, {4, 0, 2}, v);
  EXPECT_EQ(answer.m, std::log(5.0));
  EXPECT_NEAR(answer.l, 8.0 / 5, 1e-15);
  EXPECT_NEAR(output(answer)[0], 5, 1e-14);
  EXPECT_NEAR(output(answer)[1], 14, 1e-14);
}

TEST_P(AttendContract, OneKeyAnswersItsValue) {
  const auto answer = attend(backend(), {-7.5}, {0}, PoisonedRows<double>::of({{0.1, -0.2, 1e300}}));
  EXPECT_EQ(answer, (Answer{-7.5, 1, {0.1, -0.2, 1e300}}));
}

TEST_P(AttendContract, AnEmptyListChangesNoBit) {
  std::vector<double> o = {0.1, -0.3};
  PartialSoftmax partial{2.5, 1.25, o.data(), 2};
  const auto v = PoisonedRows<double>::of({{1, 2}});
  attend_into(backend(), {0.0}, {}, v, partial);
  EXPECT_EQ((Answer{partial.m, partial.l, o}), (Answer{2.5, 1.25, {0.1, -0.3}}));
  EXPECT_EQ(attend(backend(), {0.0}, {}, v), (Answer{never, 0, {0, 0}}));
}

TEST_P(AttendContract, AKeyOfMinusInfinityAddsNothing) {
  auto v = PoisonedRows<double>::of({{1, 2}, {3, 4}, {5, 6}});
  const auto without = attend(backend(), {0.5, never, -1}, {0, 2}, v);
  v.poison_row(1);
  EXPECT_EQ(attend(backend(), {0.5, never, -1}, {0, 1, 2}, v), without);
  EXPECT_EQ(attend(backend(), {0.5, never, -1}, {1}, v), (Answer{never, 0, {0, 0}}));
}

TEST_P(AttendContract, EqualScoresWeighUniformly) {
  for (const Index n : {1, 2, 3, 5, 7, 61, 113, 257, 1011}) {
    PoisonedRows<float> v(n, 2, 1);
    for (Index j = 0; j < n; ++j) {
      v.row(j)[0] = static_cast<float>(j);
      v.row(j)[1] = 1;
    }
    const auto answer = attend(backend(), std::vector<double>(n, 0.0), all_rows(n), v);
    EXPECT_EQ(answer.l, n);
    EXPECT_EQ(answer.o[0], n * (n - 1) / 2);
    EXPECT_EQ(output(answer)[1], 1);
  }
}

TEST_P(AttendContract, AddingTenThousandToEveryScoreChangesNoWeight) {
  const auto v = PoisonedRows<double>::gaussian(113, 7, 2, 4);
  auto s = gaussian_scores(113, 3, 5);
  for (double& score : s) score = std::round(score * 1024) / 1024;  // so that the shift is exact
  const auto before = attend(backend(), s, all_rows(113), v);
  for (double& score : s) score += 1e4;
  const auto after = attend(backend(), s, all_rows(113), v);
  EXPECT_EQ(after.m, before.m + 1e4);
  EXPECT_EQ(after.l, before.l);
  EXPECT_EQ(after.o, before.o);
}

TEST_P(AttendContract, ScoresBelowMinusTenThousandStillSumToOne) {
  PoisonedRows<float> ones(61, 1, 3);
  for (Index j = 0; j < 61; ++j) ones.row(j)[0] = 1;
  for (const double base : {-1e4, -1e5, -1e8, -1e300}) {
    auto s = gaussian_scores(61, 2, 6);
    for (double& score : s) score = base - std::abs(score);
    EXPECT_NEAR(output(attend(backend(), s, all_rows(61), ones))[0], 1, 1e-14) << base;
  }
}

TEST_P(AttendContract, AnySplitOfTheListGivesTheSameAnswer) {
  std::mt19937_64 engine(20261129);
  const Index n = 513;
  const auto v = PoisonedRows<double>::gaussian(n, 5, 1, 7);
  const auto s = gaussian_scores(n, 8, 8);
  const auto whole = output(attend(backend(), s, all_rows(n), v));
  for (int repeat = 0; repeat < 20; ++repeat) {
    SCOPED_TRACE(repeat);
    std::vector<double> o(5, 0.0);
    PartialSoftmax partial{never, 0, o.data(), 5};
    for (RowIndex first = 0; first < n;) {
      const RowIndex end = std::min<RowIndex>(n, first + 1 + static_cast<RowIndex>(engine() % 200));
      std::vector<RowIndex> index(end - first);
      std::iota(index.begin(), index.end(), first);
      attend_into(backend(), s, index, v, partial);
      first = end;
    }
    normalize(partial);
    for (Index c = 0; c < 5; ++c) EXPECT_NEAR(o[c], whole[c], 1e-13);
  }
}

/// Against long double, within the rounding of exp (2 ulp), of s - m, of the products and of n sums; two-sided.
template <class T>
void expect_within_rounding(const Backend& backend, Index n, Index d_v) {
  SCOPED_TRACE(testing::Message() << "n " << n << " d_v " << d_v);
  auto v = PoisonedRows<T>::gaussian(2 * n, d_v, 3, 9);
  const auto s = gaussian_scores(2 * n, 6, 10);
  std::vector<RowIndex> index;  // every other row, from the last; the others are poisoned
  for (Index j = 2 * n - 1; j >= 0; j -= 2) index.push_back(static_cast<RowIndex>(j));
  for (Index j = 0; j < 2 * n; j += 2) v.poison_row(j);

  const auto answer = attend(backend, s, index, v);
  double m = never;
  for (const RowIndex j : index) m = std::max(m, s[j]);
  ASSERT_EQ(answer.m, m);
  long double l = 0;
  std::vector<long double> o(d_v), size(d_v);
  for (const RowIndex j : index) {
    const long double weight = std::exp(static_cast<long double>(s[j]) - m);
    l += weight;
    for (Index c = 0; c < d_v; ++c) {
      o[c] += weight * v.row(j)[c];
      size[c] += std::abs(weight * v.row(j)[c]);
    }
  }
  const double tolerance = static_cast<double>(n + 4 + 60) * u;  // |s - m| < 60
  ASSERT_TRUE(std::abs(answer.l - l) <= tolerance * l);
  for (Index c = 0; c < d_v; ++c) ASSERT_TRUE(std::abs(answer.o[c] - o[c]) <= tolerance * size[c]) << "channel " << c;
}

TEST_P(AttendContract, StaysWithinItsRoundingAtOddSizes) {
  for (const Index n : sizes) {
    if (n == 0) continue;
    expect_within_rounding<float>(backend(), n, 10);
    expect_within_rounding<double>(backend(), n, 3);
  }
  for (const Index d_v : {1, 2, 5, 7, 27, 61, 113, 128, 255, 257, 1011}) {
    expect_within_rounding<float>(backend(), 27, d_v);
    expect_within_rounding<double>(backend(), 300, d_v);
  }
}

TEST_P(AttendContract, RepeatsItsBits) {
  const auto v = PoisonedRows<float>::gaussian(4097, 61, 2, 11);
  const auto s = gaussian_scores(4097, 5, 12);
  const auto first = attend(backend(), s, all_rows(4097), v);
  for (int repeat = 0; repeat < 20; ++repeat) ASSERT_EQ(attend(backend(), s, all_rows(4097), v), first);
}

class AttendTwin : public CudaTwin {
 protected:
  template <class T>
  void expect_equal_up_to_rounding(Index n, Index d_v) {
    SCOPED_TRACE(testing::Message() << "n " << n << " d_v " << d_v);
    const auto v = PoisonedRows<T>::gaussian(n, d_v, 3, 13);
    const auto s = gaussian_scores(n, 6, 14);
    const auto ours = attend(twin(), s, all_rows(n), v), reference = attend(plain(), s, all_rows(n), v);
    PoisonedRows<T> sizes_of_v = v;
    for (T& entry : sizes_of_v.data) entry = std::abs(entry);
    const auto size = attend(plain(), s, all_rows(n), sizes_of_v);  // sum of |weight * v|
    ASSERT_EQ(ours.m, reference.m);
    const double tolerance = 2 * static_cast<double>(n + 8) * u;
    ASSERT_TRUE(std::abs(ours.l - reference.l) <= tolerance * reference.l);
    for (Index c = 0; c < d_v; ++c) {
      ASSERT_TRUE(std::abs(ours.o[c] - reference.o[c]) <= tolerance * size.o[c]) << "channel " << c;
    }
  }
};

TEST_F(AttendTwin, EqualsPlainUpToRounding) {
  for (const Index n : sizes) {
    for (const Index d_v : {1, 7, 64, 113, 257}) {
      expect_equal_up_to_rounding<float>(n, d_v);
      expect_equal_up_to_rounding<double>(n, d_v);
    }
  }
}

}  // namespace
}  // namespace lacuna::kernels
