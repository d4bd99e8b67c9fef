// YOCO (Sun et al. 2024, "You Only Cache Once", arXiv:2405.05254, section 2; microsoft/unilm YOCO/yoco/models/decoder):
// a self-decoder of gated retention or of sliding windows, then a cross-decoder whose layers all read one global K and
// V,
//
//   K = RoPE(W^K norm(M)) ,   V = W^V norm(M) ,   M the output of the self-decoder.                     (1)
//
// Here the first layer of the cross-decoder owns them: its input is M. The published norm of M has a gain g_M of its
// own and that layer's norm another, g; scaling column c of W^K and W^V by g_M,c / g_c makes the one do for the other,
// so that with free weights it is the same model.
#pragma once

#include "core/model/description.hpp"

namespace lacuna {

enum class SelfDecoder { retention, sliding_window };

struct YocoExtents {
  Index layers = 0;  ///< even; the first half is the self-decoder
  Index vocabulary = 0;
  Index d_model = 0;
  Index h_q = 0;
  Index h_kv = 0;  ///< of the cross-decoder; the self-decoder has h_q
  Index d_head = 0;
  Index feed_forward = 0;
  SelfDecoder self_decoder = SelfDecoder::retention;
  Index window = 1024;  ///< of a sliding-window self-decoder
};

ModelDescription yoco_pattern(const YocoExtents& extents);

}  // namespace lacuna
