// Which keys a query sees, and which KV head serves a query head: against independent predicates.
#include "core/attention/problem.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "support/problem_builder.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

using Mask = std::function<bool(Index key_position, Index query_position)>;

/// Whether the mask says, key by key, what visible_keys says as a prefix, on sparse and repeated positions.
bool agrees(const Mask& sees) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    RawProblem raw = random_problem({.s_q = random.integer(1, 9), .n = random.integer(1, 30), .d_qk = 1, .d_v = 1});
    Index position = random.integer(0, 3);
    for (Index j = 0; j < raw.n; ++j) raw.key_position[j] = position += random.integer(0, 4);
    position = random.integer(-2, 10);
    for (Index i = 0; i < raw.s_q; ++i) raw.query_position[i] = position += random.integer(0, 15);
    const AttentionProblem problem = raw.build();
    for (Index i = 0; i < raw.s_q; ++i) {
      const Index visible = problem.visible_keys(raw.query_position[i]);
      for (Index j = 0; j < raw.n; ++j)
        if ((j < visible) != sees(raw.key_position[j], raw.query_position[i])) return false;
    }
  }
  return true;
}

TEST(CausalMask, IsThePredicateOfAbsolutePositions) {
  EXPECT_TRUE(agrees([](Index key, Index query) { return key <= query; }));
}

TEST(CausalMask, AnyOtherPredicateWouldBeSeen) {
  EXPECT_FALSE(agrees([](Index key, Index query) { return key < query; }));
  EXPECT_FALSE(agrees([](Index key, Index query) { return key <= query + 1; }));
  EXPECT_FALSE(agrees([](Index key, Index query) { return key <= query || key <= 3; }));
  EXPECT_FALSE(agrees([](Index, Index) { return true; }));
}

TEST(AttentionProblem, MapsConsecutiveHeadsToAKvHead) {
  for (const Index h_kv : {1, 2, 3, 8})
    for (const Index group : {1, 2, 7}) {
      const AttentionProblem problem = random_problem({.h_q = h_kv * group, .h_kv = h_kv, .n = 1}).build();
      for (Index head = 0; head < h_kv * group; ++head) {
        Index owner = 0;
        for (Index passed = group; passed <= head; passed += group) ++owner;
        EXPECT_EQ(problem.kv_head_of(head), owner);
      }
    }
}

TEST(AttentionProblem, ASharedStateIsKeyAndValueStoredOnce) {
  RawProblem raw = random_problem({.n = 4, .d_qk = 6, .d_v = 3});
  raw.stored_element_bytes = 2;
  EXPECT_EQ(raw.build().row_bytes(), 2 * 9);
  raw.v.clear();
  const AttentionProblem shared = raw.build();
  EXPECT_TRUE(shared.shared_kv());
  EXPECT_EQ(shared.d_v(), 6);
  EXPECT_EQ(shared.row_bytes(), 2 * 6);
  EXPECT_EQ(shared.values(0).at(3, 5), shared.keys(0).at(3, 5));
}

TEST(Rows, ChannelsAreViewsOfTheSameNumbers) {
  const std::vector<float> data = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Tensor tensor(2, 2, 3, data);
  EXPECT_EQ(tensor[1].at(0, 2), 9);
  EXPECT_EQ(tensor[1].channels(2).width(), 2);
  EXPECT_EQ(tensor[1].channels(2).at(1, 1), 11) << "the stride stays";
  EXPECT_THROW(Tensor(2, 2, 4, data), InternalError);
}

TEST(Rows, FollowedByPutsRowsOfASecondTensorBehindTheFirstOnes) {
  const Tensor first(1, 3, 2, std::vector<double>{1, 2, 3, 4, 5, 6});
  const Tensor second(1, 4, 2, std::vector<double>{10, 20, 30, 40, 50, 60, 70, 80});
  const Rows joined = first[0].followed_by(2, second[0], 1, 2);
  EXPECT_EQ(joined.rows(), 4);
  EXPECT_EQ(joined.at(1, 1), 4);
  EXPECT_EQ(joined.at(2, 0), 30);
  EXPECT_EQ(joined.at(3, 1), 60);
  EXPECT_EQ(joined.channels(1).at(3, 0), 50);
  const Tensor wider(1, 1, 3, std::vector<double>{1, 2, 3});
  EXPECT_THROW((void)first[0].followed_by(2, wider[0], 0, 1), InternalError);
}

AttentionProblem with_local_rows(Index window) {
  RawProblem raw = random_problem({.n = 5, .d_qk = 4, .shared_kv = true});
  raw.key_position = {3, 7, 11, 15, 19};  // entries of four tokens
  AttentionProblem problem = raw.build();
  std::vector<double> local(20 * 4);
  for (std::size_t i = 0; i < local.size(); ++i) local[i] = 100 + static_cast<double>(i);
  problem.local = {Tensor(1, 20, 4, local), {}, window};
  return problem;
}

TEST(SeenRows, AreTheEntriesThatAreCompleteThenTheNewestTokens) {
  const AttentionProblem problem = with_local_rows(6);
  const SeenRows at_start = problem.seen(2);
  EXPECT_EQ(at_start.cached, 0);
  EXPECT_EQ(at_start.local_begin, 0);
  EXPECT_EQ(at_start.local, 3);
  const SeenRows later = problem.seen(11);
  EXPECT_EQ(later.cached, 3) << "the entry that ends with the query's own token is seen";
  EXPECT_EQ(later.local_begin, 6);
  EXPECT_EQ(later.local, 6);
  EXPECT_EQ(problem.seen_position(later, 2), 11);
  EXPECT_EQ(problem.seen_position(later, 3), 6);
  EXPECT_EQ(problem.seen_position(later, 8), 11);
  EXPECT_EQ(problem.seen_keys(0, later).at(2, 1), problem.k[0].at(2, 1));
  EXPECT_EQ(problem.seen_keys(0, later).at(3, 1), 100 + 6 * 4 + 1);
  EXPECT_EQ(problem.seen_values(0, later).at(8, 3), 100 + 11 * 4 + 3);
}

TEST(SeenRows, OfAProblemWithoutLocalRowsAreTheVisibleKeys) {
  const AttentionProblem problem = random_problem({.n = 5}).build();
  EXPECT_EQ(problem.seen(3).count(), 4);
  EXPECT_EQ(problem.seen(3).local, 0);
}

TEST(AttentionProblem, ASharedStateMayHaveFewerValueChannels) {
  AttentionProblem problem = random_problem({.n = 5, .d_qk = 6, .shared_kv = true}).build();
  problem.value_channels = 4;
  EXPECT_EQ(problem.d_v(), 4);
  EXPECT_EQ(problem.values(0).width(), 4);
  EXPECT_EQ(problem.values(0).at(3, 2), problem.keys(0).at(3, 2));
  EXPECT_EQ(problem.row_bytes(), 4 * 6) << "the row is stored once, whole";
}

}  // namespace
}  // namespace lacuna
