// Prefill, chunked prefill and decode: a cache does not depend on how its tokens were grouped into calls, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/mechanism/mla.hpp"
#include "core/mechanism/projected_attention.hpp"
#include "core/mechanism/sparse_mla.hpp"
#include "mechanism/hidden_states.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr Index kModel = 11;
constexpr Index kTokens = 293;  // a prime: every chunk size but 1 leaves a rest

void expect_equal(const LayerCache& a, const LayerCache& b) {
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.key_position, b.key_position);
  EXPECT_EQ(a.k, b.k);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.local, b.local);
  EXPECT_EQ(a.index_k, b.index_k);
}

void expect_parity(const Mechanism& mechanism) {
  const HiddenStates x(41, kTokens, kModel);
  LayerCache whole = mechanism.start();
  mechanism.append(x.x, whole);
  ASSERT_EQ(whole.tokens, kTokens);
  ASSERT_EQ(whole.rows(), kTokens);
  for (const Index chunk : {1, 2, 3, 4, 5, 6, 7, 8, 9, 128}) {
    LayerCache cache = mechanism.start();
    for (Index t = 0; t < kTokens; t += chunk) {
      mechanism.append({}, cache);  // an empty call changes nothing
      mechanism.append(x.tokens(t, std::min(chunk, kTokens - t)), cache);
    }
    SCOPED_TRACE(chunk);
    expect_equal(cache, whole);
  }
  Random random(42);
  LayerCache mixed = mechanism.start();
  for (Index t = 0; t < kTokens;) {
    const Index count = std::min(random.integer(1, 40), kTokens - t);
    mechanism.append(x.tokens(t, count), mixed);
    t += count;
  }
  expect_equal(mixed, whole);
}

const SparseMlaConfig kSparse{.mla = {.d_model = kModel,
                                      .heads = 3,
                                      .q_lora_rank = 5,
                                      .kv_lora_rank = 9,
                                      .qk_nope = 7,
                                      .qk_rope = 6,
                                      .d_v = 5,
                                      .yarn = Yarn{.factor = 40}},
                              .index_heads = 4,
                              .d_index = 13};

TEST(AppendParity, OfProjectedAttention) {
  const ProjectedConfig config{
      .d_model = kModel, .h_q = 6, .h_kv = 2, .d_qk = 7, .d_v = 3, .rope = RopeParameters{.channels = 6}};
  expect_parity(ProjectedAttention(config, ProjectedWeights::random(config, 1, 1)));
}

TEST(AppendParity, OfExpandedMla) {
  expect_parity(MlaExpanded(std::make_shared<const Mla>(kSparse.mla, MlaWeights::random(kSparse.mla, 1, 1))));
}

TEST(AppendParity, OfAbsorbedMla) {
  expect_parity(MlaAbsorbed(std::make_shared<const Mla>(kSparse.mla, MlaWeights::random(kSparse.mla, 1, 1))));
}

TEST(AppendParity, OfSparseMla) { expect_parity(SparseMla(kSparse, SparseMlaWeights::random(kSparse, 1, 0.5, 1))); }

}  // namespace
}  // namespace lacuna
