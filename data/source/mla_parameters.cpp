#include "data/source/mla_parameters.hpp"

#include "data/source/mechanism_source.hpp"
#include "data/source/parameter_specs.hpp"

namespace lacuna {

std::vector<ParameterSpec> mla_parameters() {
  ParameterSpec heads = extent("heads", "1", 4, "Query heads.");
  heads.sweepable = false;
  ParameterSpec q_lora_rank = extent("q_lora_rank", "channels", 64, "Width of the low-rank query; 0: none.");
  q_lora_rank.minimum = 0;
  return {
      heads,
      q_lora_rank,
      extent("kv_lora_rank", "channels", 64, "Width of the latent that keys and values are made from."),
      extent("qk_nope", "channels", 32, "Channels per head that know no position."),
      extent("qk_rope", "channels", 16, "Channels per head that are rotated by position, one key for all heads; even."),
      extent("d_v", "channels", 32, "Width of a head's value.")};
}

MlaConfig mla_config(const Parameters& source) {
  return {.d_model = source.integer("d_model"),
          .heads = source.integer("heads"),
          .q_lora_rank = source.integer("q_lora_rank"),
          .kv_lora_rank = source.integer("kv_lora_rank"),
          .qk_nope = source.integer("qk_nope"),
          .qk_rope = source.integer("qk_rope"),
          .d_v = source.integer("d_v")};
}

}  // namespace lacuna
