// Prefill, chunked prefill and decode: a path over a mechanism's cache gives the same bits (selections, index scores,
// outputs, costs) however tokens are grouped into calls, and whether a query is answered over the cache as it was at
// its token or over the full one. What a query must not see may be NaN.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/mechanism/mla.hpp"
#include "core/mechanism/problem.hpp"
#include "core/mechanism/shared_state.hpp"
#include "core/mechanism/sparse_mla.hpp"
#include "mechanism/hidden_states.hpp"
#include "support/path_runner.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr Index kModel = 11;

/// What a path and the mechanism around it made of one token.
struct Answer {
  std::vector<PathRow> rows;  // [h_q]
  std::vector<double> y;      // [d_model]
};

bool same_index(const PathRow& a, const PathRow& b) {
  if (a.index_keys_scored != b.index_keys_scored || a.bytes_read_index != b.bytes_read_index) return false;
  if ((a.index == nullptr) != (b.index == nullptr)) return false;
  return a.index == nullptr || (a.index->s == b.index->s && a.index->scored == b.index->scored);
}

void expect_same(const Answer& a, const Answer& b) {
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t head = 0; head < a.rows.size(); ++head) {
    EXPECT_TRUE(a.rows[head].ran);
    EXPECT_TRUE(same_row(a.rows[head], b.rows[head])) << "head " << head;
    EXPECT_TRUE(same_index(a.rows[head], b.rows[head])) << "head " << head;
  }
  EXPECT_EQ(a.y, b.y);
}

/// Answers of the queries at `positions`, over the cache as it is.
std::vector<Answer> answers_over(const Mechanism& mechanism, const LayerCache& cache, const HiddenStates& x,
                                 const std::vector<Index>& positions, const Parameters& path) {
  std::vector<QueryRows> queries;
  for (const Index t : positions) queries.push_back(mechanism.query(x.token(t), t));
  const AttentionProblem problem = problem_of<double>(
      {.mechanism = &mechanism, .rows = &cache, .local = &cache, .queries = queries, .query_position = positions});
  std::vector<Answer> answers;
  for (std::vector<PathRow>& rows : run_path(problem, path).rows) {
    std::vector<double> o;
    for (const PathRow& row : rows) o.insert(o.end(), row.o.begin(), row.o.end());
    const std::vector<double> y = mechanism.output(o, positions[answers.size()]);
    answers.push_back({std::move(rows), y});
  }
  return answers;
}

/// Appends `chunk` tokens at a time; their queries are answered over the cache of that moment. A chunk of 1 is decode,
/// one of all tokens is prefill.
std::vector<Answer> answers_of(const Mechanism& mechanism, const HiddenStates& x, Index tokens, Index chunk,
                               const Parameters& path) {
  LayerCache cache = mechanism.start();
  std::vector<Answer> answers;
  for (Index first = 0; first < tokens; first += chunk) {
    const Index count = std::min(chunk, tokens - first);
    mechanism.append(x.tokens(first, count), cache);
    std::vector<Index> positions;
    for (Index t = first; t < first + count; ++t) positions.push_back(t);
    for (Answer& answer : answers_over(mechanism, cache, x, positions, path)) answers.push_back(std::move(answer));
  }
  return answers;
}

/// The full cache with NaN in every row that the query at t must not see: rows that are not complete at t, and single
/// tokens after t or before its window.
LayerCache poisoned(const LayerCache& full, const MechanismShape& shape, Index t) {
  constexpr double never = std::numeric_limits<double>::quiet_NaN();
  LayerCache cache = full;
  const Index visible =
      std::upper_bound(full.key_position.begin(), full.key_position.end(), t) - full.key_position.begin();
  const auto poison = [&](std::vector<double>& rows, Index width, Index begin, Index end) {
    std::fill(rows.begin() + begin * width, rows.begin() + end * width, never);
  };
  for (std::vector<double>& k : cache.k) poison(k, shape.d_qk, visible, full.rows());
  for (std::vector<double>& v : cache.v) poison(v, shape.d_v, visible, full.rows());
  if (!cache.index_k.empty()) poison(cache.index_k, shape.d_index, visible, full.rows());
  for (std::vector<double>& local : cache.local) {
    poison(local, shape.d_qk, 0, std::max<Index>(t + 1 - shape.local_window, 0));
    poison(local, shape.d_qk, t + 1, full.tokens);
  }
  for (std::vector<double>& local : cache.local_v) {
    poison(local, shape.d_v, 0, std::max<Index>(t + 1 - shape.local_window, 0));
    poison(local, shape.d_v, t + 1, full.tokens);
  }
  return cache;
}

void expect_parity(const Mechanism& mechanism, Index tokens, const Given& given) {
  const HiddenStates x(43, tokens, kModel);
  const Parameters path = path_of(given);
  const std::vector<Answer> prefill = answers_of(mechanism, x, tokens, tokens, path);
  ASSERT_EQ(static_cast<Index>(prefill.size()), tokens);
  for (const Index chunk : {1, 2, 3, 4, 5, 6, 7, 8, 9, 128}) {
    const std::vector<Answer> chunked = answers_of(mechanism, x, tokens, chunk, path);
    for (Index t = 0; t < tokens; ++t) {
      SCOPED_TRACE(fmt::format("chunk {}, token {}", chunk, t));
      ASSERT_NO_FATAL_FAILURE(expect_same(chunked[t], prefill[t]));
    }
  }
  LayerCache full = mechanism.start();
  mechanism.append(x.x, full);
  for (Index t = 0; t < tokens; ++t) {
    SCOPED_TRACE(fmt::format("poisoned around token {}", t));
    const LayerCache cache = poisoned(full, mechanism.shape(), t);
    ASSERT_NO_FATAL_FAILURE(expect_same(answers_over(mechanism, cache, x, {t}, path)[0], prefill[t]));
  }
}

/// Every row; the rows of the highest scores, of a cache in bf16; and, where there is an indexer, those that it
/// chooses, within a pool too.
void expect_parity_of_paths(const Mechanism& mechanism, Index tokens) {
  expect_parity(mechanism, tokens, {});
  if (!mechanism.shape().has_rows) return;
  expect_parity(
      mechanism, tokens,
      {{"select.by", text("main")}, {"select.k", count(3)}, {"store", text("bf16")}, {"sink_tokens", count(1)}});
  if (mechanism.shape().index_heads == 0) return;
  const Given indexer = {{"select.by", text("indexer")}, {"select.k", count(3)}, {"select.share", text("layer")}};
  expect_parity(mechanism, tokens, indexer);
  Given pooled = indexer;
  pooled["index_store"] = text("bf16");
  pooled["pool.blocks"] = count(2);
  pooled["pool.block_size"] = count(3);
  pooled["pool.rank_by"] = text("indexer");
  expect_parity(mechanism, tokens, pooled);
}

SharedState shared_state(SharedStateConfig config, Index ratio) {
  config.d_model = kModel;
  config.heads = 3;
  config.head_dim = 8;
  config.qk_rope = 4;
  config.q_lora_rank = 5;
  config.o_groups = 3;
  config.o_lora_rank = 2;
  config.local_window = 5;
  config.index_heads = 4;
  config.d_index = 6;
  config.ratio = ratio;
  return {config, SharedStateWeights::random(config, 44)};
}

TEST(PrefillDecode, OfCompressedSparseAttention) {
  expect_parity_of_paths(shared_state(SharedStateConfig::v4_flash(4), 4), 53);
}

TEST(PrefillDecode, OfHeavilyCompressedAttention) {
  expect_parity_of_paths(shared_state(SharedStateConfig::v4_flash(128), 8), 53);
}

TEST(PrefillDecode, OfHeavilyCompressedAttentionAtItsPublishedRatio) {
  expect_parity(shared_state(SharedStateConfig::v4_flash(128), 128), 277, {});
}

TEST(PrefillDecode, OfTheEncoderLayersOfV41) {
  expect_parity_of_paths(shared_state(SharedStateConfig::v41_flash(2), 2), 53);
}

TEST(PrefillDecode, OfTheDecoderLayersOfV41) {
  expect_parity_of_paths(shared_state(SharedStateConfig::v41_flash(1), 1), 53);
}

TEST(PrefillDecode, OfLayersThatReadLocalRowsOnly) {
  expect_parity_of_paths(shared_state(SharedStateConfig::v41_flash(0), 0), 53);
}

const SparseMlaConfig kSparse{
    .mla = {.d_model = kModel, .heads = 3, .q_lora_rank = 5, .kv_lora_rank = 9, .qk_nope = 7, .qk_rope = 6, .d_v = 5},
    .index_heads = 4,
    .d_index = 13};

TEST(PrefillDecode, OfAbsorbedMla) {
  const auto mla = std::make_shared<const Mla>(kSparse.mla, MlaWeights::random(kSparse.mla, 1, 45));
  expect_parity_of_paths(MlaAbsorbed(mla), 53);
}

TEST(PrefillDecode, OfExpandedMla) {
  const auto mla = std::make_shared<const Mla>(kSparse.mla, MlaWeights::random(kSparse.mla, 1, 45));
  expect_parity_of_paths(MlaExpanded(mla), 53);
}

TEST(PrefillDecode, OfSparseMla) {
  expect_parity_of_paths(SparseMla(kSparse, SparseMlaWeights::random(kSparse, 1, 0.5, 45)), 53);
}

}  // namespace
}  // namespace lacuna
