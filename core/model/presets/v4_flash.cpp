// DeepSeek-V4-Flash (deepseek-ai/DeepSeek-V4-Flash, config.json): 43 layers, 2 with a window only, then CSA and HCA in
// turn, which makes 21 and 20. A token activates 6 routed experts and a shared one of width 2048.
#include "core/model/preset.hpp"
#include "core/model/presets/v4.hpp"

namespace lacuna {
namespace {

ModelDescription describe() {
  V4Extents extents{.ratios = {0, 0}, .feed_forward = 7 * 2048};
  for (Index label = 2; label < 43; ++label) extents.ratios.push_back(label % 2 == 0 ? 4 : 128);
  return v4_pattern(extents);
}

const bool registered = ModelPresetRegistry::instance().add(
    {.name = "v4_flash",
     .sentence = "DeepSeek-V4-Flash: selected entries of 4 tokens and all entries of 128, a window.",
     .describe = describe});

}  // namespace
}  // namespace lacuna
