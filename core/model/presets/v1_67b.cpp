// DeepSeek LLM 67B (arXiv:2401.02954, section 2.2): the pattern of Llama with grouped-query attention, 8 KV heads.
#include "core/model/preset.hpp"
#include "core/model/presets/llama.hpp"

namespace lacuna {
namespace {

const bool registered = ModelPresetRegistry::instance().add(
    {.name = "v1_67b", .sentence = "DeepSeek LLM with 67B parameters: grouped-query attention.", .describe = [] {
       return llama_pattern({.layers = 95,
                             .vocabulary = 102400,
                             .d_model = 8192,
                             .h_q = 64,
                             .h_kv = 8,
                             .d_head = 128,
                             .feed_forward = 22016});
     }});

}  // namespace
}  // namespace lacuna
