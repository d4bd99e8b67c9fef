#include "core/model/description.hpp"

#include <algorithm>

#include "core/mechanism/require.hpp"

namespace lacuna {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

/// The layer of that label before `place`; UsageError naming the field where there is none.
const LayerDescription& earlier_layer(const ModelDescription& model, std::size_t place, std::string_view field,
                                      Index label) {
  for (std::size_t i = 0; i < place; ++i)
    if (model.layers[i].label == label) return model.layers[i];
  throw UsageError(
      fmt::format("layer {}: {} is {}; no earlier layer has that label", model.layers[place].label, field, label));
}

/// Key heads, key width and value width of a layer's rows, which a layer that shares them must have too.
struct RowExtents {
  Index h_kv, d_qk, d_v, ratio;
  bool operator==(const RowExtents&) const = default;
};

RowExtents row_extents(const LayerDescription& layer) {
  return std::visit(Overloaded{[](const ProjectedConfig& c) {
                                 return RowExtents{c.h_kv, c.d_qk, c.d_v, 1};
                               },
                               [](const MlaConfig& c) {
                                 return RowExtents{1, c.latent_width(), c.kv_lora_rank, 1};
                               },
                               [](const SparseMlaConfig& c) {
                                 return RowExtents{1, c.mla.latent_width(), c.mla.kv_lora_rank, 1};
                               },
                               [](const SharedStateConfig& c) {
                                 return RowExtents{1, c.head_dim, c.head_dim, c.ratio};
                               },
                               [](const RetentionConfig&) {
                                 return RowExtents{0, 0, 0, 0};
                               }},
                    layer.attention);
}

/// Whether the layer's mechanism is configured to read another layer's rows.
bool wants_rows(const AttentionConfig& attention) {
  if (const auto* projected = std::get_if<ProjectedConfig>(&attention)) return !projected->owns_cache;
  if (const auto* shared = std::get_if<SharedStateConfig>(&attention)) return shared->ratio > 0 && !shared->owns_cache;
  return false;
}

void check_layer(const ModelDescription& model, std::size_t place) {
  const LayerDescription& layer = model.layers[place];
  const auto fault = [&](const std::string& rest) {
    return UsageError(fmt::format("layer {}: {}", layer.label, rest));
  };
  try {
    std::visit([](const auto& config) { config.check(); }, layer.attention);
    require_positive({{"feed_forward.width", layer.feed_forward.width}});
  } catch (const UsageError& error) {
    throw fault(error.what());
  }
  if (place > 0 && model.layers[place - 1].label >= layer.label)
    throw fault(fmt::format("label must be above {}, that of the layer before", model.layers[place - 1].label));
  if (layer.d_model() != model.d_model)
    throw fault(fmt::format("d_model is {}; that of the model is {}", layer.d_model(), model.d_model));
  if (layer.feed_forward.bias && layer.feed_forward.kind == FeedForwardKind::swiglu)
    throw fault("feed_forward.bias is not part of swiglu");
  if (wants_rows(layer.attention) != layer.rows_of.has_value())
    throw fault("rows_of names another layer's rows if and only if owns_cache is false");
  if (layer.rows_of) {
    const LayerDescription& owner = earlier_layer(model, place, "rows_of", *layer.rows_of);
    if (!owner.owns_rows()) throw fault(fmt::format("rows_of is {}, which has no rows of its own", *layer.rows_of));
    if (row_extents(owner) != row_extents(layer))
      throw fault(fmt::format("rows_of is {}, whose rows have other extents", *layer.rows_of));
    if (layer.owns_indexer() && !owner.owns_indexer())
      throw fault(fmt::format("rows_of is {}, whose rows have no index keys for the layer's indexer", *layer.rows_of));
  }
  if (layer.selection_of) {
    if (layer.owns_indexer()) throw fault("selection_of is set; the layer has an indexer of its own");
    if (!earlier_layer(model, place, "selection_of", *layer.selection_of).owns_indexer())
      throw fault(fmt::format("selection_of is {}, which has no indexer", *layer.selection_of));
  }
  if (layer.top_k < 0) throw fault(fmt::format("top_k is {}; it must not be negative", layer.top_k));
  if (layer.top_k > 0 && !layer.owns_indexer()) throw fault("top_k is set; the layer has no indexer to select with");
}

}  // namespace

Index LayerDescription::d_model() const {
  return std::visit(
      Overloaded{[](const SparseMlaConfig& c) { return c.mla.d_model; }, [](const auto& c) { return c.d_model; }},
      attention);
}

Index LayerDescription::local_window() const {
  return std::visit(
      Overloaded{[](const ProjectedConfig& c) { return c.local_window; },
                 [](const SharedStateConfig& c) { return c.local_window; }, [](const auto&) { return Index{0}; }},
      attention);
}

bool LayerDescription::owns_rows() const {
  return std::visit(Overloaded{[](const ProjectedConfig& c) { return c.owns_cache && c.local_window == 0; },
                               [](const SharedStateConfig& c) { return c.has_rows(); },
                               [](const RetentionConfig&) { return false; }, [](const auto&) { return true; }},
                    attention);
}

bool LayerDescription::owns_indexer() const {
  if (const auto* shared = std::get_if<SharedStateConfig>(&attention)) return shared->owns_indexer;
  return std::holds_alternative<SparseMlaConfig>(attention);
}

bool ModelDescription::memory_ends_with_encoder() const {
  return encoder_layers > 0 && std::all_of(layers.begin() + encoder_layers, layers.end(), [&](const auto& layer) {
           const bool makes_memory = &layer == &layers[encoder_layers];
           return layer.local_window() == 0 && !std::holds_alternative<RetentionConfig>(layer.attention) &&
                  (makes_memory || !layer.owns_rows());
         });
}

Index ModelDescription::place_of(Index label) const {
  const auto found = std::ranges::find(layers, label, &LayerDescription::label);
  LACUNA_ASSERT(found != layers.end());
  return found - layers.begin();
}

void ModelDescription::check() const {
  require_positive({{"vocabulary", vocabulary}, {"d_model", d_model}});
  if (!(eps >= 0)) throw UsageError(fmt::format("eps is {}; it must not be negative", eps));
  if (learned_positions < 0)
    throw UsageError(fmt::format("learned_positions is {}; it must not be negative", learned_positions));
  if (!(embedding_scale > 0))
    throw UsageError(fmt::format("embedding_scale is {}; it must be positive", embedding_scale));
  if (layers.empty()) throw UsageError("layers is empty; a model has at least one");
  for (std::size_t place = 0; place < layers.size(); ++place) check_layer(*this, place);
  if (encoder_layers < 0 || encoder_layers >= static_cast<Index>(layers.size()))
    throw UsageError(fmt::format("encoder_layers is {}; it must be at least 0 and leave a layer of {}", encoder_layers,
                                 layers.size()));
  if (encoder_layers > 0)
    for (std::size_t place = encoder_layers + 1; place < layers.size(); ++place)
      if (layers[place].owns_rows())
        throw UsageError(fmt::format("layer {}: behind an encoder of {} layers only layer {} makes rows",
                                     layers[place].label, encoder_layers, layers[encoder_layers].label));
  if (!pool) return;
  require_positive({{"pool.blocks", pool->blocks}, {"pool.block_size", pool->block_size}});
  const auto from = std::ranges::find(layers, pool->from_layer, &LayerDescription::label);
  if (from == layers.end() || !from->owns_indexer())
    throw UsageError(fmt::format("pool.from_layer is {}; no layer with an indexer has that label", pool->from_layer));
}

}  // namespace lacuna
