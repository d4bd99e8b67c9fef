#include <algorithm>
#include <functional>
#include <numeric>

#include "kernels/every_backend.hpp"
#include "kernels/poisoned_rows.hpp"

namespace lacuna::kernels {
namespace {

struct Answer {
  std::vector<RowIndex> index;
  Index ties_at_cut;
  bool operator==(const Answer&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  return out << testing::PrintToString(answer.index) << " ties " << answer.ties_at_cut;
}

Answer top_k(const Backend& backend, const std::vector<double>& s, Index k) {
  const Index n = s.size();
  std::vector<RowIndex> index(std::min(k, n), -1);
  const TopKResult result = backend.top_k({s.data(), index.data(), n, k});
  for (Index i = result.chosen; i < std::min(k, n); ++i) EXPECT_EQ(index[i], -1) << "written past what was chosen";
  index.resize(result.chosen);
  return {index, result.ties_at_cut};
}

/// The rule, word for word: a stable sort by descending score.
Answer oracle(const std::vector<double>& s, Index k) {
  std::vector<RowIndex> order(s.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](RowIndex i) { return s[i] == never; });
  std::stable_sort(order.begin(), order.end(), [&](RowIndex a, RowIndex b) { return s[a] > s[b]; });
  Answer answer{order, 0};
  answer.index.resize(std::min<std::size_t>(k, order.size()));
  if (!answer.index.empty()) {
    answer.ties_at_cut = std::count_if(order.begin() + answer.index.size(), order.end(),
                                       [&](RowIndex i) { return s[i] == s[answer.index.back()]; });
  }
  return answer;
}

/// Named inputs of length n, orderly and not.
std::vector<std::pair<std::string, std::vector<double>>> inputs(Index n) {
  const auto make = [n](auto&& value) {
    std::vector<double> s(n);
    for (Index i = 0; i < n; ++i) s[i] = value(i);
    return s;
  };
  const auto random = gaussian_scores(n, 1, 20261129 + n);
  return {{"random", random},
          {"ascending", make([](Index i) { return 0.5 * static_cast<double>(i) - 100; })},
          {"descending", make([](Index i) { return -0.5 * static_cast<double>(i) + 100; })},
          {"all tied", make([](Index) { return -3.25; })},
          {"periodic", make([](Index i) { return static_cast<double>(i % 7); })},
          {"two values", make([](Index i) { return i % 3 == 0 ? 1.0 : -1.0; })},
          {"quantised", make([&](Index i) { return std::round(2 * random[i]); })},
          {"rectified", make([&](Index i) { return std::max(0.0, random[i]); })},
          {"half masked", make([&](Index i) { return i % 2 ? random[i] : never; })},
          {"all masked", make([](Index) { return never; })},
          {"signed zeros", make([](Index i) { return i % 2 ? 0.0 : -0.0; })},
          {"huge range", make([&](Index i) { return std::ldexp(random[i], static_cast<int>(i * 37 % 2000) - 1000); })}};
}

class TopKContract : public EveryBackend {};
LACUNA_FOR_EVERY_BACKEND(TopKContract);

TEST_P(TopKContract, FiveScoresByHand) {
  const std::vector<double> s = {1, 3, 2, 3, -5};
  EXPECT_EQ(top_k(backend(), s, 0), (Answer{{}, 0}));
  EXPECT_EQ(top_k(backend(), s, 1), (Answer{{1}, 1}));
  EXPECT_EQ(top_k(backend(), s, 2), (Answer{{1, 3}, 0}));
  EXPECT_EQ(top_k(backend(), s, 3), (Answer{{1, 3, 2}, 0}));
  EXPECT_EQ(top_k(backend(), s, 5), (Answer{{1, 3, 2, 0, 4}, 0}));
  EXPECT_EQ(top_k(backend(), s, 99), (Answer{{1, 3, 2, 0, 4}, 0}));
}

TEST_P(TopKContract, MinusInfinityIsNeverChosen) {
  EXPECT_EQ(top_k(backend(), {never, 4, never, 4, 1}, 4), (Answer{{1, 3, 4}, 0}));
  EXPECT_EQ(top_k(backend(), {never, never}, 1), (Answer{{}, 0}));
}

TEST_P(TopKContract, NothingToChooseFromChoosesNothing) {
  EXPECT_EQ(top_k(backend(), {}, 0), (Answer{{}, 0}));
  EXPECT_EQ(top_k(backend(), {}, 5), (Answer{{}, 0}));
}

TEST_P(TopKContract, SignedZerosAreEqual) {
  EXPECT_EQ(top_k(backend(), {-0.0, 0.0, -0.0, 0.0}, 3), (Answer{{0, 1, 2}, 1}));
}

TEST_P(TopKContract, ExtremesOfTheNumberFormatAreInOrder) {
  using Limits = std::numeric_limits<double>;
  const std::vector<double> s = {-Limits::denorm_min(),
                                 Limits::max(),
                                 0,
                                 Limits::denorm_min(),
                                 Limits::lowest(),
                                 Limits::min(),
                                 -1,
                                 never,
                                 -Limits::min(),
                                 1};
  EXPECT_EQ(top_k(backend(), s, 10), (Answer{{1, 9, 5, 3, 2, 0, 8, 6, 4}, 0}));
}

TEST_P(TopKContract, HundredsOfTiesAtTheCutKeepTheLowestIndices) {
  std::vector<double> s(1011, 0.5);
  s[700] = 2;
  s[5] = 1;
  const auto answer = top_k(backend(), s, 50);
  std::vector<RowIndex> expected = {700, 5};
  for (RowIndex i = 0; expected.size() < 50; ++i) {
    if (i != 5) expected.push_back(i);
  }
  EXPECT_EQ(answer, (Answer{expected, 1011 - 50}));
}

TEST_P(TopKContract, FollowsTheRuleOnOrderlyAndDisorderlyInput) {
  for (const Index n : sizes) {
    for (const auto& [name, s] : inputs(n)) {
      for (const Index k : {Index{1}, Index{2}, Index{7}, n / 2, n - 1, n, n + 1}) {
        if (k < 0) continue;
        ASSERT_EQ(top_k(backend(), s, k), oracle(s, k)) << name << ", n " << n << ", k " << k;
      }
    }
  }
}

TEST_P(TopKContract, ShufflingTheBlocksMovesNoScoreAcrossTheCut) {
  std::mt19937_64 engine(20261129);
  std::vector<double> s(1024);
  for (Index i = 0; i < 1024; ++i) s[i] = static_cast<double>(i * 31 % 11);
  const auto sorted_scores = [&](const std::vector<double>& from) {
    std::vector<double> chosen;
    for (const RowIndex i : top_k(backend(), from, 200).index) chosen.push_back(from[i]);
    return chosen;
  };
  const auto before = sorted_scores(s);
  const Index ties = top_k(backend(), s, 200).ties_at_cut;
  for (int repeat = 0; repeat < 10; ++repeat) {
    std::shuffle(s.begin(), s.end(), engine);
    EXPECT_EQ(sorted_scores(s), before);
    EXPECT_EQ(top_k(backend(), s, 200).ties_at_cut, ties);
  }
}

class TopKTwin : public CudaTwin {};

TEST_F(TopKTwin, ChoosesWhatPlainChooses) {
  for (Index n : {1, 2, 31, 33, 1011, 4097, 65536, 100003}) {
    for (const auto& [name, s] : inputs(n)) {
      for (const Index k : {Index{1}, n / 3, n}) {
        ASSERT_EQ(top_k(twin(), s, k), top_k(plain(), s, k)) << name << ", n " << n << ", k " << k;
      }
    }
  }
}

}  // namespace
}  // namespace lacuna::kernels
