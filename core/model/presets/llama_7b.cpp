// Llama 7B (Touvron et al. 2023, table 2): multi-head attention, 32 heads of 128 channels.
#include "core/model/preset.hpp"
#include "core/model/presets/llama.hpp"

namespace lacuna {
namespace {

const bool registered = ModelPresetRegistry::instance().add(
    {.name = "llama_7b", .sentence = "Llama with 7B parameters: multi-head attention.", .describe = [] {
       return llama_pattern({.layers = 32,
                             .vocabulary = 32000,
                             .d_model = 4096,
                             .h_q = 32,
                             .h_kv = 32,
                             .d_head = 128,
                             .feed_forward = 11008});
     }});

}  // namespace
}  // namespace lacuna
