// v41_csa2: the attention layers of DeepSeek-V4.1-Flash (config.json and inference/model.py), each in its mode:
//
//   0, 1            local window only
//   2, 8, 14, 20    Full: its own entries (of 2 tokens below layer 20, of 1 from there on) and index keys
//   24, 28, 32, 36  Reindex: layer 20's entries and index keys, its own index queries and weights
//   the others      Reuse: the entries and the selection of the latest layer that has its own
//
// `layers` picks some of the forty. select.by = "indexer" with k = 512 and pool = { blocks = 2048, block_size = 8,
// rank_by = "indexer", from_layer = 20 } is the published path. Layers have weights of their own; `query_similarity` is
// how much of the query weights they share, without which a selection would tell another layer nothing.
#include <algorithm>
#include <array>
#include <set>

#include "core/mechanism/index_alignment.hpp"
#include "core/mechanism/shared_state.hpp"
#include "data/source/mechanism_source.hpp"
#include "data/source/shared_state_parameters.hpp"

namespace lacuna {
namespace {

constexpr Index kLayers = 40;
constexpr std::array<Index, 4> kFull = {2, 8, 14, 20};
constexpr std::array<Index, 8> kIndexed = {2, 8, 14, 20, 24, 28, 32, 36};
constexpr Index kDecoder = 20;  // first layer with entries of one token

/// The last of `sources` at or before the layer.
template <std::size_t N>
Index latest(const std::array<Index, N>& sources, Index layer) {
  return *(std::upper_bound(sources.begin(), sources.end(), layer) - 1);
}

SharedStateConfig config_of(const Parameters& source, Index layer) {
  const Index ratio = layer < kFull.front() ? 0 : layer < kDecoder ? 2 : 1;
  SharedStateConfig config = SharedStateConfig::v41_flash(ratio);
  const Pooling published = config.pooling;
  config = with_extents(config, source);
  if (ratio < 2) config.pooling = published;  // nothing to pool
  if (ratio == 0) return config;
  config.owns_cache = latest(kFull, layer) == layer;
  config.owns_indexer = latest(kIndexed, layer) == layer;
  return config;
}

/// Random weights whose query part is common to all layers to the given degree.
SharedStateWeights weights_of(const SharedStateConfig& config, double similarity, std::uint64_t seed, Index layer) {
  const std::uint64_t own_seed = weight_seed(seed, layer);
  SharedStateWeights weights = SharedStateWeights::random(config, own_seed);
  const SharedStateWeights common = SharedStateWeights::random(config, weight_seed(seed, kLayers));
  weights.query_down = mix(similarity, common.query_down, weights.query_down);
  weights.query_up = mix(similarity, common.query_up, weights.query_up);
  if (config.owns_indexer)
    weights.indexer = IndexerWeights::random(config, weights.query_up, weights.compressor, own_seed);
  return weights;
}

/// The labels of "layers", ascending, each once.
std::vector<Index> labels_of(const Parameters& source) {
  std::vector<Index> labels = source.get<std::vector<std::int64_t>>("layers");
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

/// Whether every layer is listed that one of them reads, and what the layers are made of goes together.
std::vector<ParameterFault> check(const Parameters& source) {
  std::vector<ParameterFault> faults = check_indexed_shared_state(source);
  const std::vector<Index> labels = labels_of(source);
  if (labels.empty()) faults.push_back({"layers", "no layer is listed"});
  std::set<Index> missing;
  for (const Index label : labels) {
    if (label < kFull.front()) continue;
    for (const Index read : {latest(kFull, label), latest(kIndexed, label)})
      if (!std::binary_search(labels.begin(), labels.end(), read) && missing.insert(read).second)
        faults.push_back(
            {"layers", fmt::format("layer {} reads what layer {} makes, which is not listed", label, read)});
  }
  return faults;
}

std::vector<MechanismLayer> layers(const Parameters& source, std::uint64_t seed) {
  require_no_faults(check(source));
  const std::vector<Index> labels = labels_of(source);
  const bool has_decoder = std::binary_search(labels.begin(), labels.end(), kDecoder);
  std::vector<MechanismLayer> result;
  for (const Index label : labels) {
    const SharedStateConfig config = config_of(source, label);
    MechanismLayer layer{.label = label,
                         .mechanism = std::make_shared<SharedState>(
                             config, weights_of(config, source.real("query_similarity"), seed, label))};
    if (label >= kFull.front()) {
      if (!config.owns_cache) layer.rows_of = latest(kFull, label);
      if (!config.owns_indexer) layer.selection_layer = latest(kIndexed, label);
      if (config.owns_indexer && label < kDecoder && has_decoder) layer.slot_of = kDecoder;
    }
    result.push_back(std::move(layer));
  }
  return result;
}

std::vector<ParameterSpec> model_parameters() {
  return {{.key = "layers",
           .type = ParameterType::integer_list,
           .minimum = 0,
           .maximum = kLayers - 1,
           .default_value = std::vector<std::int64_t>{2, 3, 20, 21, 24, 25},
           .sweepable = false,
           .sentence = "Which of the model's layers 0 to 39, each in its published mode."},
          {.key = "query_similarity",
           .type = ParameterType::real,
           .unit = "1",
           .minimum = 0,
           .maximum = 1,
           .default_value = 0.9,
           .sentence = "Correlation of a layer's query weights with what all layers have in common."}};
}

const bool registered = SourceRegistry::instance().add(mechanism_source_kind(
    "v41_csa2",
    "DeepSeek-V4.1-Flash's attention layers in their modes: shared entries and index keys, reindexed and reused "
    "selections, a window of single tokens; random weights.",
    {.own = {model_parameters(), shared_state_parameters(), indexer_parameters(8, 32)},
     .check = check,
     .layers = layers}));

}  // namespace
}  // namespace lacuna
