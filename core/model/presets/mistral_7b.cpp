// Mistral 7B (Jiang et al. 2023, arXiv:2310.06825, table 1 and section 2): every layer reads a window of 4096 tokens
// and nothing else, so that information travels no farther than the windows of all layers together.
#include "core/model/preset.hpp"
#include "core/model/presets/llama.hpp"

namespace lacuna {
namespace {

const bool registered = ModelPresetRegistry::instance().add(
    {.name = "mistral_7b",
     .sentence = "Mistral 7B: grouped-query attention in sliding windows alone, in every layer.",
     .describe = [] {
       ModelDescription model = llama_pattern({.layers = 32,
                                               .vocabulary = 32000,
                                               .d_model = 4096,
                                               .h_q = 32,
                                               .h_kv = 8,
                                               .d_head = 128,
                                               .feed_forward = 14336});
       for (LayerDescription& layer : model.layers) std::get<ProjectedConfig>(layer.attention).local_window = 4096;
       return model;
     }});

}  // namespace
}  // namespace lacuna
