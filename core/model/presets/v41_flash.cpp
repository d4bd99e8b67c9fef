// DeepSeek-V4.1-Flash (deepseek-ai/DeepSeek-V4.1-Flash, config.json): 40 layers, 20 of them the encoder. The width of
// its experts plays no part in attention: that of V4-Flash in proportion to d_model stands for it.
#include "core/model/preset.hpp"
#include "core/model/presets/v41.hpp"

namespace lacuna {
namespace {

const bool registered = ModelPresetRegistry::instance().add(
    {.name = "v41_flash",
     .sentence = "DeepSeek-V4.1-Flash: entries and selections shared among layers, an encoder and a candidate pool.",
     .describe = [] { return v41_pattern(v41_published(), SharedStateConfig::v41_flash(2), 129280, 512, 7 * 2560); }});

}  // namespace
}  // namespace lacuna
