// DeepSeek-V4-Pro (deepseek-ai/DeepSeek-V4-Pro, config.json): 61 layers, 2 of HCA, then CSA and HCA in turn, which
// makes 30 and 31; 1024 entries selected. The width of its experts plays no part in attention: that of V4-Flash in
// proportion to d_model stands for it.
#include "core/model/preset.hpp"
#include "core/model/presets/v4.hpp"

namespace lacuna {
namespace {

ModelDescription describe() {
  V4Extents extents{.ratios = {128, 128}, .top_k = 1024, .feed_forward = 7 * 3584};
  extents.widths.d_model = 7168;
  extents.widths.heads = 128;
  extents.widths.q_lora_rank = 1536;
  extents.widths.o_groups = 16;
  for (Index label = 2; label < 61; ++label) extents.ratios.push_back(label % 2 == 0 ? 4 : 128);
  return v4_pattern(extents);
}

const bool registered = ModelPresetRegistry::instance().add(
    {.name = "v4_pro",
     .sentence = "DeepSeek-V4-Pro: selected entries of 4 tokens and all entries of 128, a window.",
     .describe = describe});

}  // namespace
}  // namespace lacuna
