// mla: multi-head latent attention (DeepSeek-V2, section 2.1), absorbed (one KV head, rows [c ; k^R], the value is the
// latent c) or expanded (keys and values of every head). The scores are the same; outputs are latent means in the one
// and values in the other, and what a path's storage format does to the rows differs.
#include "core/mechanism/mla.hpp"

#include "data/source/mechanism_source.hpp"
#include "data/source/mla_parameters.hpp"
#include "data/source/parameter_rules.hpp"

namespace lacuna {
namespace {

std::vector<MechanismLayer> layers(const Parameters& source, std::uint64_t seed) {
  const MlaConfig config = mla_config(source);
  return layers_that_differ_in_weights(source, seed, [&](std::uint64_t weights) -> std::shared_ptr<const Mechanism> {
    const auto mla = std::make_shared<const Mla>(config, MlaWeights::random(config, 1, weights));
    if (source.text("view") == "absorbed") return std::make_shared<MlaAbsorbed>(mla);
    return std::make_shared<MlaExpanded>(mla);
  });
}

ParameterSpec view() {
  return {.key = "view",
          .type = ParameterType::text,
          .choices = {"absorbed", "expanded"},
          .default_value = std::string("absorbed"),
          .sweepable = false,
          .sentence = "Rows of latents, as in decode, or keys and values of every head, as in prefill."};
}

std::vector<ParameterFault> check(const Parameters& source) { return ParameterRules(source).even("qk_rope").faults(); }

const bool registered = SourceRegistry::instance().add(mechanism_source_kind(
    "mla", "Multi-head latent attention with a rotated part; random weights.",
    {.own = {{independent_layers(), view()}, mla_parameters()}, .check = check, .layers = layers}));

}  // namespace
}  // namespace lacuna
