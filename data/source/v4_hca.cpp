// v4_hca: heavily compressed attention of DeepSeek-V4 (arXiv:2606.19348, section 2.3.2). A query reads its window of
// single tokens and every entry; an entry is made of 128 tokens (`ratio` scales that down).
#include "core/mechanism/shared_state.hpp"
#include "data/source/mechanism_source.hpp"
#include "data/source/parameter_specs.hpp"
#include "data/source/shared_state_parameters.hpp"

namespace lacuna {
namespace {

std::vector<MechanismLayer> layers(const Parameters& source, std::uint64_t seed) {
  SharedStateConfig config = with_extents(SharedStateConfig::v4_flash(128), source);
  config.ratio = source.integer("ratio");
  return layers_that_differ_in_weights(source, seed, [&](std::uint64_t weights) {
    return std::make_shared<SharedState>(config, SharedStateWeights::random(config, weights));
  });
}

const bool registered = SourceRegistry::instance().add(mechanism_source_kind(
    "v4_hca",
    "DeepSeek-V4's heavily compressed attention: entries of 128 tokens, all read, and a window of single tokens; "
    "random weights.",
    {.own = {{independent_layers(), extent("ratio", "tokens", 128, "Tokens that are compressed into one entry.")},
             shared_state_parameters()},
     .check = check_shared_state,
     .layers = layers}));

}  // namespace
}  // namespace lacuna
