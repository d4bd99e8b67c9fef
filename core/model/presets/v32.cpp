// DeepSeek-V3.2 (deepseek-ai/DeepSeek-V3.2-Exp, inference/model.py): V3 with a lightning indexer in every layer, 2048
// tokens selected.
#include "core/model/preset.hpp"
#include "core/model/presets/v3.hpp"

namespace lacuna {
namespace {

const bool registered = ModelPresetRegistry::instance().add(
    {.name = "v32",
     .sentence = "DeepSeek-V3.2: multi-head latent attention with a lightning indexer over tokens.",
     .describe = [] {
       return v3_pattern(SparseMlaConfig{.mla = v3_attention(), .index_heads = 64, .d_index = 128}, 2048);
     }});

}  // namespace
}  // namespace lacuna
