// projected: multi-head, grouped-query or multi-query attention with its projections (Vaswani et al. 2017, Shazeer
// 2019, Ainslie et al. 2023), rotated by position on all channels.
#include "core/mechanism/projected_attention.hpp"
#include "data/source/mechanism_source.hpp"
#include "data/source/parameter_rules.hpp"
#include "data/source/parameter_specs.hpp"

namespace lacuna {
namespace {

std::vector<MechanismLayer> layers(const Parameters& source, std::uint64_t seed) {
  const Index d_qk = source.integer("d_qk");
  const ProjectedConfig config{.d_model = source.integer("d_model"),
                               .h_q = source.integer("heads"),
                               .h_kv = source.integer("kv_heads"),
                               .d_qk = d_qk,
                               .d_v = source.integer("d_v"),
                               .rope = RopeParameters{.channels = d_qk, .pairs = RopePairs::half_split}};
  return layers_that_differ_in_weights(source, seed, [&](std::uint64_t weights) {
    return std::make_shared<ProjectedAttention>(config, ProjectedWeights::random(config, 1, weights));
  });
}

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> specs = {
      independent_layers(), extent("heads", "1", 4, "Query heads."),
      extent("kv_heads", "1", 1, "KV heads; divides heads. Equal: MHA, fewer: GQA, one: MQA.")};
  for (ParameterSpec& spec : specs) spec.sweepable = false;
  specs.push_back(extent("d_qk", "channels", 64, "Width of queries and keys, all rotated by position; even."));
  specs.push_back(extent("d_v", "channels", 64, "Width of values."));
  return specs;
}

std::vector<ParameterFault> check(const Parameters& source) {
  return ParameterRules(source).divides("kv_heads", "heads").even("d_qk").faults();
}

const bool registered = SourceRegistry::instance().add(mechanism_source_kind(
    "projected", "Multi-head, grouped-query or multi-query attention with projections and rotation; random weights.",
    {.own = {parameters()}, .check = check, .layers = layers}));

}  // namespace
}  // namespace lacuna
