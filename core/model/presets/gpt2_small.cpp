// GPT-2 small (Radford et al. 2019; openai/gpt-2 src/model.py and hparams of 124M): pre-norm blocks with layer norms,
// learned positions, biases everywhere, the tanh form of GELU, the vocabulary map tied to the embedding.
#include "core/model/preset.hpp"

namespace lacuna {
namespace {

ModelDescription describe() {
  ModelDescription model{.vocabulary = 50257,
                         .d_model = 768,
                         .norm = NormKind::layer_norm,
                         .eps = 1e-5,
                         .learned_positions = 1024,
                         .tied_vocabulary = true};
  for (Index label = 0; label < 12; ++label)
    model.layers.push_back(
        {.label = label,
         .attention = ProjectedConfig{.d_model = 768, .h_q = 12, .h_kv = 12, .d_qk = 64, .d_v = 64, .bias = true},
         .feed_forward = {.kind = FeedForwardKind::gelu_tanh, .width = 3072, .bias = true}});
  return model;
}

const bool registered = ModelPresetRegistry::instance().add(
    {.name = "gpt2_small", .sentence = "GPT-2 with 124M parameters.", .describe = describe});

}  // namespace
}  // namespace lacuna
