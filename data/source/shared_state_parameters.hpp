// The extents of a DeepSeek-V4 or V4.1 layer as parameters of a source.
#pragma once

#include <vector>

#include "core/base/parameter.hpp"
#include "core/mechanism/shared_state_config.hpp"

namespace lacuna {

/// "heads", "head_dim", "qk_rope", "q_lora_rank", "window", "head_similarity", "sink_std", "gate_std", "pooling".
std::vector<ParameterSpec> shared_state_parameters();

/// Which of them do not go together.
std::vector<ParameterFault> check_shared_state(const Parameters& source);
/// The same with indexer_parameters().
std::vector<ParameterFault> check_indexed_shared_state(const Parameters& source);

/// `published` with the extents of the source in place of its own; the output projection, which no problem needs, is
/// the smallest. "index_heads", "d_index" and "index_quality" are taken where the source has them.
SharedStateConfig with_extents(SharedStateConfig published, const Parameters& source);

}  // namespace lacuna
