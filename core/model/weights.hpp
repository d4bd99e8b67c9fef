// The weights of a described decoder, and random ones.
//
// Random weights are N(0, 1 / fan in) and keep one channel of the residual stream constant: channel 0 of every
// embedding is 1, and nothing adds to it. Behind an RMS norm that stands before a block it is positive at every token,
// as an aligned indexer needs, whose head weights read that channel (token_indexer_alignment.hpp, index_alignment.hpp):
// its scores are those of constant head weights times one positive number per query. Layers with indexers have such
// norms in every published model.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "core/mechanism/retention.hpp"
#include "core/mechanism/shared_state_weights.hpp"
#include "core/model/description.hpp"
#include "core/model/feed_forward.hpp"

namespace lacuna {

struct NormWeights {
  std::vector<double> gain;   // [d_model]
  std::vector<double> shift;  // [d_model]; empty in an RMS norm

  /// Gains of median 1, shifts around 0; `stream` tells norms of one purpose apart.
  static NormWeights random(NormKind kind, Index d_model, std::uint64_t seed, std::string_view purpose, Index stream);
  /// InputError naming the norm whose size is not that of the model.
  void check(std::string_view name, NormKind kind, Index d_model) const;
};

/// Seed of the weights of one of a model's layers.
std::uint64_t layer_seed(std::uint64_t seed, Index label);

/// In the order of AttentionConfig.
using AttentionWeights =
    std::variant<ProjectedWeights, MlaWeights, SparseMlaWeights, SharedStateWeights, RetentionWeights>;

struct LayerWeights {
  NormWeights attention_norm;
  AttentionWeights attention;
  NormWeights feed_forward_norm;
  FeedForwardWeights feed_forward;
};

/// What random weights are drawn with.
struct RandomModel {
  double score_std = 1;         ///< factor on the query weights, which deviates scores by about as much
  double index_quality = 0;     ///< how far indexers agree with the main attention, in [0, 1]
  double query_similarity = 0;  ///< share of the query weights of shared states that all layers have in common, [0, 1]
};

struct ModelWeights {
  Matrix embedding;  // E [vocabulary, d_model]
  Matrix positions;  // P [learned_positions, d_model]; empty without
  std::vector<LayerWeights> layers;
  NormWeights final_norm;               // empty where norms stand behind the blocks
  Matrix vocabulary;                    // U [vocabulary, d_model]; empty where it is tied to E
  std::vector<double> vocabulary_bias;  // [vocabulary], or empty

  static ModelWeights random(const ModelDescription& model, const RandomModel& options, std::uint64_t seed);
  /// InputError naming the weight whose shape is not that of the description; attention weights are checked by their
  /// mechanisms.
  void check(const ModelDescription& model) const;
};

}  // namespace lacuna
