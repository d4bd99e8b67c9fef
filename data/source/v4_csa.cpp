// v4_csa: compressed sparse attention of DeepSeek-V4 (arXiv:2606.19348, section 2.3.1). A query reads its window of
// single tokens and, of the entries that four overlapping tokens each were compressed into, those that the lightning
// indexer selects; select.by = "indexer" is the published path, `exact` reads every entry.
#include "core/mechanism/shared_state.hpp"
#include "data/source/mechanism_source.hpp"
#include "data/source/shared_state_parameters.hpp"

namespace lacuna {
namespace {

std::vector<MechanismLayer> layers(const Parameters& source, std::uint64_t seed) {
  const SharedStateConfig config = with_extents(SharedStateConfig::v4_flash(4), source);
  return layers_that_differ_in_weights(source, seed, [&](std::uint64_t weights) {
    return std::make_shared<SharedState>(config, SharedStateWeights::random(config, weights));
  });
}

const bool registered = SourceRegistry::instance().add(
    mechanism_source_kind("v4_csa",
                          "DeepSeek-V4's compressed sparse attention: entries of four overlapping tokens, a lightning "
                          "indexer, a window of single tokens; random weights.",
                          {.own = {{independent_layers()}, shared_state_parameters(), indexer_parameters(8, 32)},
                           .check = check_indexed_shared_state,
                           .layers = layers}));

}  // namespace
}  // namespace lacuna
