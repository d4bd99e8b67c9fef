#include "data/source/shared_state_parameters.hpp"

#include "data/source/mechanism_source.hpp"
#include "data/source/parameter_rules.hpp"
#include "data/source/parameter_specs.hpp"

namespace lacuna {

std::vector<ParameterSpec> shared_state_parameters() {
  const auto deviation = [](std::string key, double value, std::string sentence) {
    return ParameterSpec{.key = std::move(key),
                         .type = ParameterType::real,
                         .unit = "nat",
                         .minimum = 0,
                         .maximum = 1e6,
                         .default_value = value,
                         .sentence = std::move(sentence)};
  };
  ParameterSpec heads = extent("heads", "1", 4, "Query heads, which all read one shared state.");
  heads.sweepable = false;
  return {heads,
          extent("head_dim", "channels", 64, "Width of queries and of the shared state."),
          extent("qk_rope", "channels", 16, "Last channels, which are rotated by position; even."),
          extent("q_lora_rank", "channels", 64, "Width of the low-rank query."),
          extent("window", "tokens", 128, "Newest tokens whose own rows are read beside the compressed entries."),
          share("head_similarity", 0.7,
                "Correlation of the heads' query weights with the first one's; 1: all heads ask alike."),
          deviation("sink_std", 1, "Standard deviation of the heads' sink logits."),
          deviation("gate_std", 1, "Standard deviation of the logits by which a group's tokens are weighed."),
          {.key = "pooling",
           .type = ParameterType::text,
           .choices = {"gated", "mean"},
           .default_value = std::string("gated"),
           .sentence = "How a group's tokens become one entry: weighed channel by channel, or their plain mean."}};
}

std::vector<ParameterFault> check_shared_state(const Parameters& source) {
  return ParameterRules(source).even("qk_rope").at_most("qk_rope", "head_dim").faults();
}

std::vector<ParameterFault> check_indexed_shared_state(const Parameters& source) {
  ParameterRules rules(source);
  rules.even("qk_rope").at_most("qk_rope", "head_dim").at_most("qk_rope", "d_index");
  // an indexer that agrees with the main attention is made of channels of its rows
  if (source.real("index_quality") > 0) rules.at_most("d_index", "head_dim");
  return rules.faults();
}

SharedStateConfig with_extents(SharedStateConfig published, const Parameters& source) {
  SharedStateConfig config = std::move(published);
  config.d_model = source.integer("d_model");
  config.heads = source.integer("heads");
  config.head_dim = source.integer("head_dim");
  config.qk_rope = source.integer("qk_rope");
  config.q_lora_rank = source.integer("q_lora_rank");
  config.o_groups = 1;
  config.o_lora_rank = 1;
  config.local_window = source.integer("window");
  config.head_similarity = source.real("head_similarity");
  config.sink_std = source.real("sink_std");
  config.gate_std = source.real("gate_std");
  if (source.text("pooling") == "mean") config.pooling = Pooling::mean;
  if (config.owns_indexer) {
    config.index_heads = source.integer("index_heads");
    config.d_index = source.integer("d_index");
    config.index_quality = source.real("index_quality");
  }
  return config;
}

}  // namespace lacuna
