#include "core/model/cost/positions.hpp"

#include <algorithm>

#include "core/model/cost/layer_reads.hpp"

namespace lacuna {

ScoredPositions scored_positions(const ModelDescription& model, Index tokens) {
  ScoredPositions sum;
  for (const LayerReads& reads : layer_reads(model)) {
    sum.main += reads.main_rows(tokens);
    sum.local += reads.local_rows(tokens);
    sum.index += reads.index_rows(tokens);
    sum.index_without_pool += reads.index_rows_without_pool(tokens);
  }
  return sum;
}

Index prefill_layer_tokens(const ModelDescription& model, Index tokens) {
  if (model.encoder_layers == 0) return full_layer_tokens(model, tokens);
  const Index layers = static_cast<Index>(model.layers.size());
  Index window = 1;
  for (Index place = model.encoder_layers; place < layers; ++place)
    window = std::max(window, model.layers[place].local_window());
  return tokens * model.encoder_layers + std::min(tokens, window) * (layers - model.encoder_layers);
}

Index full_layer_tokens(const ModelDescription& model, Index tokens) {
  return tokens * static_cast<Index>(model.layers.size());
}

}  // namespace lacuna
