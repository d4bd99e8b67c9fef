// The mechanism sources give the problems that their parameters describe, whatever the order in which they are asked.
#include "data/source/mechanism_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/source/mechanism_case.hpp"
#include "data/temporary_directory.hpp"

namespace lacuna {
namespace {

using testing_mechanism::count;
using testing_mechanism::defaults_of;
using testing_mechanism::Given;
using testing_mechanism::kQueries;
using testing_mechanism::kTokens;
using testing_mechanism::kWindow;
using testing_mechanism::mechanism_kinds;
using testing_mechanism::open;
using testing_mechanism::open_v41;

/// Rows [0, count) of every head, with the extents before them.
std::vector<double> numbers_of(const Tensor& tensor, Index count) {
  std::vector<double> numbers = {static_cast<double>(tensor.outer()), static_cast<double>(tensor.width())};
  for (Index head = 0; head < tensor.outer(); ++head)
    for (Index row = 0; row < count; ++row)
      for (Index c = 0; c < tensor.width(); ++c) numbers.push_back(tensor[head].at(row, c));
  return numbers;
}
std::vector<double> numbers_of(const Tensor& tensor) { return numbers_of(tensor, tensor.rows()); }

/// Everything in the problem, tensor by tensor.
std::vector<std::vector<double>> content_of(const AttentionProblem& problem) {
  std::vector<std::vector<double>> content = {
      numbers_of(problem.q),
      numbers_of(problem.k),
      numbers_of(problem.v),
      numbers_of(problem.local.k),
      numbers_of(problem.local.v),
      problem.sink_logit,
      {problem.sm_scale, static_cast<double>(problem.value_channels), static_cast<double>(problem.local.window)},
      {problem.query_position.begin(), problem.query_position.end()},
      {problem.key_position.begin(), problem.key_position.end()},
      {static_cast<double>(problem.selection_layer.value_or(-1))}};
  if (problem.index)
    for (const Tensor* tensor : {&problem.index->q, &problem.index->k, &problem.index->weight, &problem.index->slot_k})
      content.push_back(numbers_of(*tensor));
  return content;
}

TEST(MechanismSource, EveryKindOpensWithItsDefaults) {
  const std::vector<std::string> kinds = mechanism_kinds();
  for (const std::string name : {"mla", "v32", "v4_csa", "v4_hca", "v41_csa2"})
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), name), 1) << name;
  for (const std::string& kind : kinds) {
    const Parameters defaults = defaults_of(kind);
    const auto source = SourceRegistry::instance().at(kind).open(defaults, 42);
    const SourceShape& shape = source->shape();
    EXPECT_EQ(static_cast<Index>(shape.query_position.size()), defaults.integer("queries")) << kind;
    EXPECT_EQ(shape.query_position.back(), defaults.integer("n") - 1) << kind;
    EXPECT_EQ(static_cast<Index>(shape.head.size()), defaults.integer("heads")) << kind;
  }
}

TEST(MechanismSource, ProblemsHaveTheShapeThatTheSourceStates) {
  for (const std::string& kind : mechanism_kinds()) {
    SCOPED_TRACE(kind);
    const auto source = kind == "v41_csa2" ? open_v41({0, 2, 3, 20, 24}) : open(kind, {});
    const SourceShape& shape = source->shape();
    Index most_keys = 0;
    Index d_index = 0;
    for (Index layer = 0; layer < static_cast<Index>(shape.layer.size()); ++layer) {
      const AttentionProblem problem = source->load(1, layer);
      EXPECT_EQ(problem.h_q(), static_cast<Index>(shape.head.size()));
      EXPECT_EQ(problem.s_q(), kQueries);
      EXPECT_EQ(problem.query_position, shape.query_position);
      EXPECT_EQ(problem.query_position.back(), kTokens - 1);
      EXPECT_EQ(problem.d_qk(), shape.d_qk);
      EXPECT_EQ(problem.d_v(), shape.d_v);
      EXPECT_EQ(problem.shared_kv(), shape.shared_kv);
      EXPECT_EQ(static_cast<Index>(problem.key_position.size()), problem.s_kv());
      EXPECT_EQ(problem.sink_logit.size(), shape.has_sink ? shape.head.size() : 0U);
      EXPECT_EQ(problem.local.k.rows(), shape.has_local ? kTokens : 0);
      EXPECT_EQ(problem.local.window, shape.has_local ? kWindow : 0);
      EXPECT_EQ(problem.stored_element_bytes, 4);
      for (Index head = 0; head < problem.h_q(); ++head) EXPECT_EQ(problem.kv_head_of(head), shape.kv_head[head]);
      most_keys = std::max(most_keys, problem.s_kv());
      if (!problem.index) continue;
      EXPECT_EQ(problem.index->q.outer(), 4);
      EXPECT_EQ(problem.index->q.rows(), kQueries);
      EXPECT_EQ(problem.index->k.rows(), problem.s_kv());
      EXPECT_EQ(problem.index->weight.rows(), kQueries);
      EXPECT_EQ(problem.index->weight.width(), 4);
      EXPECT_EQ(problem.index->k.width(), problem.index->q.width());
      d_index = std::max(d_index, problem.index->k.width());
    }
    EXPECT_EQ(shape.keys, most_keys);
    EXPECT_EQ(shape.d_index, d_index);
  }
}

TEST(MechanismSource, LoadsGiveTheSameBitsInAnyOrder) {
  for (const std::string& kind : mechanism_kinds()) {
    SCOPED_TRACE(kind);
    const auto opened = [&] {
      return kind == "v41_csa2" ? open_v41({2, 3, 20, 21, 24, 25}) : open(kind, {{"layers", count(3)}});
    };
    const auto source = opened();
    const Index layers = static_cast<Index>(source->shape().layer.size());
    std::vector<std::vector<std::vector<double>>> first;
    for (Index i = 0; i < 2 * layers; ++i) first.push_back(content_of(source->load(i / layers, i % layers)));
    for (Index i = 0; i < 2 * layers; ++i) {
      EXPECT_EQ(content_of(source->load(i / layers, i % layers)), first[i]) << "again " << i;
      for (Index j = 0; j < i; ++j) EXPECT_NE(first[i][0], first[j][0]) << "queries of " << i << " and " << j;
    }
    const auto backwards = opened();
    for (Index i = 2 * layers - 1; i >= 0; --i)
      EXPECT_EQ(content_of(backwards->load(i / layers, i % layers)), first[i]) << "backwards " << i;
    const auto alternating = opened();
    for (Index layer = layers - 1; layer >= 0; --layer)
      for (Index sequence = 0; sequence < 2; ++sequence)
        EXPECT_EQ(content_of(alternating->load(sequence, layer)), first[sequence * layers + layer]);
  }
}

/// Every query sees the entries that its token completed, floor((t + 1) / ratio), and its window of tokens.
void expect_visible(const AttentionProblem& problem, Index ratio, Index window) {
  ASSERT_EQ(problem.s_kv(), kTokens / ratio);
  for (Index j = 0; j < problem.s_kv(); ++j) EXPECT_EQ(problem.key_position[j], (j + 1) * ratio - 1);
  for (const Index t : problem.query_position) {
    const SeenRows seen = problem.seen(t);
    EXPECT_EQ(seen.cached, (t + 1) / ratio);
    EXPECT_EQ(seen.local, std::min(t + 1, window));
    if (window > 0) {
      EXPECT_EQ(seen.local_begin + seen.local, t + 1);
    }
  }
}

TEST(MechanismSource, QueriesSeeTheRowsThatTheirTokensCompleted) {
  expect_visible(open("v4_csa", {})->load(0, 1), 4, kWindow);
  expect_visible(open("v4_hca", {})->load(0, 1), 8, kWindow);
  expect_visible(open("v4_hca", {{"ratio", count(5)}})->load(0, 1), 5, kWindow);
  expect_visible(open("v32", {})->load(0, 1), 1, 0);
  expect_visible(open("mla", {})->load(0, 1), 1, 0);
  expect_visible(open("mla", {{"view", std::string("expanded")}})->load(0, 1), 1, 0);
  const auto v41 = open_v41({2, 3, 20, 21, 24});
  for (Index layer = 0; layer < 5; ++layer) expect_visible(v41->load(0, layer), layer < 2 ? 2 : 1, kWindow);
}

TEST(MechanismSource, IndexTensorsStandWhereALayerHasAnIndexer) {
  for (const auto& [kind, has_indexer] :
       std::map<std::string, bool>{{"v4_csa", true}, {"v4_hca", false}, {"v32", true}, {"mla", false}}) {
    const auto source = open(kind, {});
    for (Index layer = 0; layer < 2; ++layer) {
      EXPECT_EQ(source->load(0, layer).index.has_value(), has_indexer) << kind;
      EXPECT_FALSE(source->load(0, layer).selection_layer.has_value()) << kind;
    }
    EXPECT_EQ(source->shape().d_index, has_indexer ? 8 : 0) << kind;
  }
}

// L: local rows only, F: Full, R: Reuse, X: Reindex. deepseek-ai/DeepSeek-V4.1-Flash, config.json
const std::string kModes = "LLFRRRRRFRRRRRFRRRRRFRRRXRRRXRRRXRRRXRRR";

TEST(V41Source, EveryLayerHasItsPublishedMode) {
  std::vector<Index> all(40);
  std::iota(all.begin(), all.end(), 0);
  ASSERT_EQ(kModes.size(), all.size());
  const auto source = open_v41(all, {{"sequences", count(1)}});
  EXPECT_TRUE(source->shape().has_index_slot);
  std::vector<AttentionProblem> problems;
  for (const Index layer : all) problems.push_back(source->load(0, layer));
  ASSERT_TRUE(problems[20].index.has_value());
  const std::vector<double> decoder_keys = numbers_of(problems[20].index->k);
  Index owner = -1;
  Index indexed = -1;
  for (const Index layer : all) {
    SCOPED_TRACE(layer);
    const AttentionProblem& problem = problems[layer];
    const char mode = kModes[layer];
    ASSERT_EQ(problem.index.has_value(), mode == 'F' || mode == 'X');
    EXPECT_EQ(problem.local.window, kWindow);
    if (layer > 0) {
      EXPECT_NE(numbers_of(problem.local.k), numbers_of(problems[layer - 1].local.k)) << "its own";
    }
    if (mode == 'L') {
      EXPECT_EQ(problem.s_kv(), 0);
      EXPECT_FALSE(problem.selection_layer.has_value());
      continue;
    }
    if (mode == 'F') {
      if (owner >= 0) {
        EXPECT_NE(numbers_of(problem.k), numbers_of(problems[owner].k));
      }
      owner = layer;
    }
    EXPECT_EQ(numbers_of(problem.k), numbers_of(problems[owner].k));
    EXPECT_EQ(problem.key_position, problems[owner].key_position);
    if (mode == 'R') {
      EXPECT_EQ(problem.selection_layer, std::optional<Index>(indexed));
      EXPECT_NE(numbers_of(problem.q), numbers_of(problems[indexed].q)) << "queries are its own";
      continue;
    }
    EXPECT_FALSE(problem.selection_layer.has_value());
    if (mode == 'X') {
      EXPECT_EQ(owner, 20);
      EXPECT_EQ(numbers_of(problem.index->k), decoder_keys);
      EXPECT_NE(numbers_of(problem.index->q), numbers_of(problems[indexed].index->q));
      EXPECT_NE(numbers_of(problem.index->weight), numbers_of(problems[indexed].index->weight));
    }
    indexed = layer;
    const bool has_slot = layer == 2 || layer == 8 || layer == 14;
    EXPECT_EQ(problem.index->slot_k.empty(), !has_slot);
    if (has_slot) {
      EXPECT_EQ(numbers_of(problem.index->slot_k), decoder_keys);
    }
  }
}

TEST(V41Source, WithoutLayer20NoSlotIsShared) {
  const auto source = open_v41({2, 3, 8});
  EXPECT_FALSE(source->shape().has_index_slot);
  for (const Index layer : {0, 2}) {
    const AttentionProblem problem = source->load(0, layer);
    ASSERT_TRUE(problem.index.has_value());
    EXPECT_TRUE(problem.index->slot_k.empty());
  }
}

TEST(V41Source, LayersMayBeListedInAnyOrderAndTwice) {
  const auto source = open_v41({21, 3, 20, 2, 3});
  EXPECT_EQ(source->shape().layer, (std::vector<Index>{2, 3, 20, 21}));
  const auto sorted = open_v41({2, 3, 20, 21});
  for (Index layer = 0; layer < 4; ++layer)
    EXPECT_EQ(content_of(source->load(1, layer)), content_of(sorted->load(1, layer)));
}

TEST(V41SourceFaults, ALayerWhoseOwnerIsNotListedIsNamedWithIt) {
  const auto message = [](const std::vector<Index>& layers) {
    return message_of<ParameterError>([&] { open_v41(layers); });
  };
  EXPECT_NE(message({3}).find("layer 3 reads what layer 2 makes"), std::string::npos);
  EXPECT_NE(message({2, 20, 25}).find("layer 25 reads what layer 24 makes"), std::string::npos);
  EXPECT_NE(message({2, 24}).find("layer 24 reads what layer 20 makes"), std::string::npos);
  EXPECT_NE(message({}).find("no layer is listed"), std::string::npos);
}

TEST(MechanismSourceFaults, MoreQueriesThanTokensAreRefused) {
  for (const std::string& kind : mechanism_kinds())
    EXPECT_NE(message_of<ParameterError>([&] {
                open(kind, {{"n", count(4)}, {"queries", count(5)}});
              }).find("queries = 5 is more than n = 4"),
              std::string::npos);
}

/// The numbers of the first `rows` rows agree.
void expect_prefix(const Tensor& shorter, const Tensor& longer, Index rows) {
  EXPECT_EQ(numbers_of(shorter, rows), numbers_of(longer, rows));
}

TEST(MechanismSource, MoreTokensChangeNoEarlierOne) {
  for (const std::string& kind : mechanism_kinds()) {
    SCOPED_TRACE(kind);
    const auto opened = [&](Index factor) {
      const Given given = {{"n", count(factor * kTokens)}, {"queries", count(factor * kQueries)}};
      return kind == "v41_csa2" ? open_v41({2, 3, 20, 24}, given) : open(kind, given);
    };
    const auto shorter = opened(1);
    const auto longer = opened(2);
    for (Index layer = 0; layer < static_cast<Index>(shorter->shape().layer.size()); ++layer) {
      const AttentionProblem a = shorter->load(1, layer);
      const AttentionProblem b = longer->load(1, layer);
      ASSERT_TRUE(std::equal(a.query_position.begin(), a.query_position.end(), b.query_position.begin()));
      ASSERT_GE(b.s_kv(), 2 * a.s_kv());
      expect_prefix(a.q, b.q, kQueries);
      expect_prefix(a.k, b.k, a.s_kv());
      expect_prefix(a.v, b.v, a.v.rows());
      expect_prefix(a.local.k, b.local.k, a.local.k.rows());
      EXPECT_EQ(a.sink_logit, b.sink_logit);
      ASSERT_EQ(a.index.has_value(), b.index.has_value());
      if (!a.index) continue;
      expect_prefix(a.index->q, b.index->q, kQueries);
      expect_prefix(a.index->weight, b.index->weight, kQueries);
      expect_prefix(a.index->k, b.index->k, a.s_kv());
      expect_prefix(a.index->slot_k, b.index->slot_k, a.index->slot_k.rows());
    }
  }
}

TEST(MechanismSource, WithoutGateDeviationGatedPoolingIsTheMean) {
  for (const std::string kind : {"v4_csa", "v4_hca", "v41_csa2"}) {
    SCOPED_TRACE(kind);
    const auto rows = [&](const char* pooling, double gate_std) {
      const Given given = {{"pooling", std::string(pooling)}, {"gate_std", gate_std}};
      const auto source = kind == "v41_csa2" ? open_v41({2, 3, 20}, given) : open(kind, given);
      return content_of(source->load(0, 0));
    };
    EXPECT_EQ(rows("mean", 0), rows("gated", 0));
    EXPECT_EQ(rows("mean", 0), rows("mean", 1)) << "the mean knows no gate";
    EXPECT_NE(rows("mean", 1)[1], rows("gated", 1)[1]);
    EXPECT_EQ(rows("mean", 1)[0], rows("gated", 1)[0]) << "queries are not pooled";
  }
}

}  // namespace
}  // namespace lacuna
