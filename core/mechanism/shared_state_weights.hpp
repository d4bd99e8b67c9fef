// Weights of one layer of DeepSeek-V4 or V4.1-Flash, in the notation of shared_state.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "core/mechanism/compressor.hpp"
#include "core/mechanism/indexer.hpp"
#include "core/mechanism/shared_state_config.hpp"

namespace lacuna {

struct SharedStateWeights {
  Matrix query_down;                // W_qa [q_lora_rank, d_model]
  std::vector<double> query_gamma;  // [q_lora_rank]
  Matrix query_up;                  // W_qb [heads * head_dim, q_lora_rank]
  Matrix kv;                        // W_kv [head_dim, d_model], of the local rows
  std::vector<double> kv_gamma;     // [head_dim]
  CompressorWeights compressor;     // not read without has_rows()
  IndexerWeights indexer;           // not read without owns_indexer
  std::vector<double> sink_logit;   // [heads]
  std::vector<Matrix> output_down;  // W_a, o_groups of [o_lora_rank, heads / o_groups * head_dim]
  Matrix output_up;                 // W_b [d_model, o_groups * o_lora_rank]

  /// Matrices of N(0, 1 / fan in), gammas 1: normalised hidden states give rows of variance 1 and scores of order 1.
  static SharedStateWeights random(const SharedStateConfig& config, std::uint64_t seed);
  /// Throws InputError naming the weight whose shape is not that of the configuration.
  void check(const SharedStateConfig& config) const;
};

}  // namespace lacuna
