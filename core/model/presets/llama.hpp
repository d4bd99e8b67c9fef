// The pattern of Llama (Touvron et al. 2023, section 2.2): pre-norm blocks with RMS norms, rotary positions in
// half-split pairs on every channel of a head, SwiGLU, no bias, a vocabulary map of its own.
#pragma once

#include "core/model/description.hpp"

namespace lacuna {

struct LlamaExtents {
  Index layers = 0;
  Index vocabulary = 0;
  Index d_model = 0;
  Index h_q = 0;
  Index h_kv = 0;
  Index d_head = 0;
  Index feed_forward = 0;
};

ModelDescription llama_pattern(const LlamaExtents& extents);

}  // namespace lacuna
