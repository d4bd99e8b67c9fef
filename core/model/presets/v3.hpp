// Extents that DeepSeek-V3 and V3.2 share (deepseek-ai/DeepSeek-V3 and DeepSeek-V3.2-Exp, inference/model.py and the
// configuration of 671B): 61 layers of multi-head latent attention. A token activates 8 routed experts and a shared one
// of width 2048, which together are as wide as the dense feed-forward of the first three layers, 18432.
#pragma once

#include "core/model/description.hpp"

namespace lacuna {

MlaConfig v3_attention();

/// 61 layers with that attention.
ModelDescription v3_pattern(const AttentionConfig& attention, Index top_k);

}  // namespace lacuna
