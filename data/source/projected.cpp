// projected: multi-head, grouped-query or multi-query attention with its projections (Vaswani et al. 2017, Shazeer
// 2019, Ainslie et al. 2023), rotated by position on all channels.
#include "core/mechanism/projected_attention.hpp"
#include "data/source/mechanism_source.hpp"

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
  std::vector<MechanismLayer> result;
  for (Index layer = 0; layer < source.integer("layers"); ++layer)
    result.push_back({.label = layer,
                      .mechanism = std::make_shared<ProjectedAttention>(
                          config, ProjectedWeights::random(config, 1, weight_seed(seed, layer)))});
  return result;
}

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> specs = mechanism_parameters();
  for (ParameterSpec spec :
       {independent_layers(), extent("heads", "1", 4, "Query heads."),
        extent("kv_heads", "1", 1, "KV heads; divides heads. Equal: MHA, fewer: GQA, one: MQA.")}) {
    spec.sweepable = false;
    specs.push_back(std::move(spec));
  }
  specs.push_back(extent("d_qk", "channels", 64, "Width of queries and keys, all rotated by position; even."));
  specs.push_back(extent("d_v", "channels", 64, "Width of values."));
  return specs;
}

const bool registered = SourceRegistry::instance().add(
    {.name = "projected",
     .sentence = "Multi-head, grouped-query or multi-query attention with projections and rotation; random weights.",
     .parameters = parameters(),
     .open = [](const Parameters& source, std::uint64_t seed) {
       return std::make_unique<MechanismSource>(source, seed, layers(source, seed));
     }});

}  // namespace
}  // namespace lacuna
