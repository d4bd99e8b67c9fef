// The lightning indexers of DeepSeek-V4 and V4.1-Flash: what entries are scored with before attention,
//
//   I(t, j) = sum_h w_{t,h} max( q^I_{t,h} . k^I_j , 0 ) .                                                         (1)
//
// Queries and weights are the same in both models, from the low-rank query qr_t of the main attention:
//
//   q^I_{t,h} = W_q^I qr_t ,  RoPE on the last channels at t ,                                                     (2)
//   w_{t,h}   = (W_w x_t)_h d_I^(-1/2) H_I^(-1/2) ,  signed.                                                       (3)
//
// There is one key per entry j, shared by the heads, with RoPE on the last channels at position r j:
//
//   V4     k^I_j = latent_j of a compressor of the indexer's own (compressor.hpp), of width d_I, fed with x ,      (4)
//   V4.1   k^I_j = RMSNorm(W_k latent_j) , with the main compressor's latent before RoPE .                         (5)
//
// Sources: arXiv:2606.19348, section 2.3.1; deepseek-ai/DeepSeek-V4-Flash and deepseek-ai/DeepSeek-V4.1-Flash,
// inference/model.py. V4 multiplies q^I and k^I by a Hadamard matrix and both models store them in FP4; neither is done
// here, since both belong to how a path stores and scores.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/mechanism/compressor.hpp"
#include "core/mechanism/shared_state_config.hpp"

namespace lacuna {

struct IndexerWeights {
  Matrix query;                   // W_q^I [index_heads * d_index, q_lora_rank]
  Matrix weight;                  // W_w [index_heads, d_model]
  CompressorWeights compressor;   // V4; not read by a layer that makes no index keys
  Matrix key;                     // W_k [d_index, head_dim], V4.1; likewise
  std::vector<double> key_gamma;  // [d_index], V4.1; likewise

  /// Weights of quality config.index_quality with respect to the main weights, W_qb [heads * head_dim, q_lora_rank] and
  /// the main compressor's (index_alignment.hpp).
  static IndexerWeights random(const SharedStateConfig& config, const Matrix& query_up,
                               const CompressorWeights& main_compressor, std::uint64_t seed);
};

class Indexer {
 public:
  Indexer(const SharedStateConfig& config, IndexerWeights weights);

  /// The key compressor's state before the first token; empty when keys come from latents or from another layer.
  CompressorState start() const;
  /// What the key compressor reads of tokens, x [tokens, d_model]; empty when it has none.
  CompressorInput project(std::span<const double> x) const;
  /// The cache's owner calls it for every token: its index in `input`, and the main latent [head_dim] when the token
  /// completed an entry. Appends the entry's key to cache.index_k.
  void append(const CompressorInput& input, Index token, const std::optional<std::vector<double>>& latent,
              LayerCache& cache) const;
  /// Fills index_q and index_weight of the tokens at first, first + 1, ...; x [tokens, d_model],
  /// qr [tokens, q_lora_rank], rows [tokens].
  void query(std::span<const double> x, std::span<const double> qr, Index first, std::span<QueryRows> rows) const;

 private:
  std::vector<double> key_of(std::span<const double> latent) const;

  SharedStateConfig config_;
  IndexerWeights weights_;
  std::optional<Compressor> compressor_;
  Rope rope_;
};

}  // namespace lacuna
