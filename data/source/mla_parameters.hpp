// The extents of multi-head latent attention as parameters of a source.
#pragma once

#include <vector>

#include "core/base/parameter.hpp"
#include "core/mechanism/mla_projections.hpp"

namespace lacuna {

/// "heads", "q_lora_rank", "kv_lora_rank", "qk_nope", "qk_rope", "d_v".
std::vector<ParameterSpec> mla_parameters();
MlaConfig mla_config(const Parameters& source);

}  // namespace lacuna
