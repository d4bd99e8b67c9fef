#include "core/model/cost/operations.hpp"

#include "core/model/cost/layer_extents.hpp"
#include "core/model/cost/layer_reads.hpp"

namespace lacuna {
namespace {

Index feed_forward_products(const LayerDescription& layer) {
  const Index matrices = layer.feed_forward.kind == FeedForwardKind::swiglu ? 3 : 2;
  return matrices * layer.d_model() * layer.feed_forward.width;
}

/// Multiply-adds of one scored row.
Index index_products(const LayerExtents& extents) { return extents.index_heads * (extents.d_index + 1); }

double sum_over_tokens(const std::optional<RowLimit>& limit, Index tokens, Index ratio) {
  return limit ? static_cast<double>(limit->sum_over_tokens(tokens, ratio)) : 0;
}

}  // namespace

Rational Operations::total() const {
  Rational sum;
  for (const Rational& kind : kinds) sum += kind;
  return sum;
}

Operations decode_operations(const ModelDescription& model, Index tokens) {
  using enum OperationKind;
  Operations operations;
  const std::vector<LayerReads> reads = layer_reads(model);
  for (std::size_t place = 0; place < model.layers.size(); ++place) {
    const LayerExtents extents = LayerExtents::of(model.layers[place]);
    const Index rows = reads[place].main_rows(tokens) + reads[place].local_rows(tokens);
    operations[projections] += 2 * extents.projections;
    operations[scores] += 2 * extents.heads * extents.d_qk * rows;
    operations[values] += 2 * extents.heads * extents.d_v * rows + 2 * extents.state_products;
    operations[indexer] += Rational(2) * extents.index_projections;
    operations[indexer] += 2 * index_products(extents) * reads[place].index_rows(tokens);
    operations[feed_forward] += 2 * feed_forward_products(model.layers[place]);
  }
  operations[vocabulary] = 2 * model.d_model * model.vocabulary;
  return operations;
}

double recomputation_operations(const ModelDescription& model, Index tokens) {
  double products = 0;
  const std::vector<LayerReads> reads = layer_reads(model);
  for (std::size_t place = 0; place < model.layers.size(); ++place) {
    const LayerExtents extents = LayerExtents::of(model.layers[place]);
    const LayerReads& layer = reads[place];
    const double rows = sum_over_tokens(layer.main, tokens, layer.ratio) + sum_over_tokens(layer.local, tokens, 1);
    const Index per_token = extents.projections + extents.state_products + feed_forward_products(model.layers[place]);
    products += static_cast<double>(tokens) * (static_cast<double>(per_token) + extents.index_projections.value());
    products += static_cast<double>(extents.heads * (extents.d_qk + extents.d_v)) * rows;
    products += static_cast<double>(index_products(extents)) * sum_over_tokens(layer.index, tokens, layer.ratio);
  }
  return 2 * (products + static_cast<double>(model.d_model * model.vocabulary));
}

}  // namespace lacuna
