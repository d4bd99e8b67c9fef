// mla: multi-head latent attention (DeepSeek-V2, section 2.1), absorbed (one KV head, rows [c ; k^R], the value is the
// latent c) or expanded (keys and values of every head). The scores are the same; outputs are latent means in the one
// and values in the other, and what a path's storage format does to the rows differs.
#include "core/mechanism/mla.hpp"

#include "data/source/mechanism_source.hpp"
#include "data/source/mla_parameters.hpp"

namespace lacuna {
namespace {

std::vector<MechanismLayer> layers(const Parameters& source, std::uint64_t seed) {
  std::vector<MechanismLayer> result;
  for (Index layer = 0; layer < source.integer("layers"); ++layer) {
    const MlaConfig config = mla_config(source);
    const auto mla = std::make_shared<const Mla>(config, MlaWeights::random(config, 1, weight_seed(seed, layer)));
    std::shared_ptr<const Mechanism> view;
    if (source.text("view") == "absorbed")
      view = std::make_shared<MlaAbsorbed>(mla);
    else
      view = std::make_shared<MlaExpanded>(mla);
    result.push_back({.label = layer, .mechanism = view});
  }
  return result;
}

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> specs = mechanism_parameters();
  specs.push_back(independent_layers());
  for (ParameterSpec& spec : mla_parameters()) specs.push_back(std::move(spec));
  specs.push_back({.key = "view",
                   .type = ParameterType::text,
                   .choices = {"absorbed", "expanded"},
                   .default_value = std::string("absorbed"),
                   .sweepable = false,
                   .sentence = "Rows of latents, as in decode, or keys and values of every head, as in prefill."});
  return specs;
}

const bool registered =
    SourceRegistry::instance().add({.name = "mla",
                                    .sentence = "Multi-head latent attention with a rotated part; random weights.",
                                    .parameters = parameters(),
                                    .open = [](const Parameters& source, std::uint64_t seed) {
                                      return std::make_unique<MechanismSource>(source, seed, layers(source, seed));
                                    }});

}  // namespace
}  // namespace lacuna
