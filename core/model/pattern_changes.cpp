#include "core/model/pattern_changes.hpp"

#include <algorithm>

namespace lacuna {
namespace {

/// Tokens per row; 0 where the layer has no rows over the prefix or cannot share them.
Index shareable_ratio(const LayerDescription& layer) {
  if (const auto* c = std::get_if<ProjectedConfig>(&layer.attention)) return c->local_window > 0 ? 0 : 1;
  if (const auto* c = std::get_if<SharedStateConfig>(&layer.attention)) return c->ratio;
  return 0;
}

bool selects(const LayerDescription& layer) { return layer.owns_indexer() || layer.selection_of.has_value(); }

void set_owns_rows(LayerDescription& layer, bool owns) {
  if (auto* c = std::get_if<ProjectedConfig>(&layer.attention)) c->owns_cache = owns;
  if (auto* c = std::get_if<SharedStateConfig>(&layer.attention)) c->owns_cache = owns;
}

void set_owns_indexer(LayerDescription& layer, bool owns) {
  if (auto* c = std::get_if<SharedStateConfig>(&layer.attention)) c->owns_indexer = owns;
}

/// The largest top_k of the model: what a layer selects that gets an indexer.
Index common_top_k(const ModelDescription& model) {
  Index top_k = 0;
  for (const LayerDescription& layer : model.layers) top_k = std::max(top_k, layer.top_k);
  return top_k;
}

/// The latest source before the layer whose rows are of the same ratio; unset where there is none.
std::optional<Index> latest_source(const ModelDescription& model, const std::vector<Index>& sources,
                                   const LayerDescription& layer) {
  std::optional<Index> latest;
  for (const LayerDescription& other : model.layers)
    if (other.label < layer.label && std::ranges::find(sources, other.label) != sources.end() &&
        shareable_ratio(other) == shareable_ratio(layer))
      latest = other.label;
  return latest;
}

void check_sources(const ModelDescription& model, const char* field, const std::vector<Index>& sources) {
  for (const Index label : sources) {
    const auto layer = std::ranges::find(model.layers, label, &LayerDescription::label);
    if (layer == model.layers.end())
      throw PatternFault(field, fmt::format("{} names {}, which is none of the model's layers", field, label));
    if (shareable_ratio(*layer) == 0)
      throw PatternFault(field, fmt::format("{} names layer {}, which has no rows that others can read", field, label));
  }
}

void set_ratios(ModelDescription& model, const std::vector<Index>& ratios) {
  if (ratios.size() != model.layers.size())
    throw PatternFault(
        "ratios", fmt::format("ratios has {} numbers; the model has {} layers", ratios.size(), model.layers.size()));
  const Index top_k = common_top_k(model);
  for (std::size_t place = 0; place < ratios.size(); ++place) {
    LayerDescription& layer = model.layers[place];
    auto* attention = std::get_if<SharedStateConfig>(&layer.attention);
    if (attention == nullptr)
      throw PatternFault("ratios", fmt::format("ratios: layer {} has no shared state to compress", layer.label));
    const Index ratio = ratios[place];
    if (attention->index_keys == IndexKeySource::latent) {
      const bool had_rows = attention->ratio > 0;
      attention->pooling = ratio == 1 ? Pooling::mean : Pooling::gated;
      if (ratio == 0 || !had_rows) {
        attention->owns_cache = true;
        attention->owns_indexer = ratio > 0;
        layer.rows_of.reset();
        layer.selection_of.reset();
      }
    } else {
      try {
        const SharedStateConfig published = SharedStateConfig::v4_flash(ratio);
        attention->overlap = published.overlap;
        attention->owns_indexer = published.owns_indexer;
      } catch (const UsageError& error) {
        throw PatternFault("ratios", fmt::format("ratios: layer {}: {}", layer.label, error.what()));
      }
    }
    attention->ratio = ratio;
    layer.top_k = layer.owns_indexer() ? top_k : 0;
  }
}

void set_kv_heads(ModelDescription& model, Index kv_heads) {
  for (LayerDescription& layer : model.layers) {
    auto* attention = std::get_if<ProjectedConfig>(&layer.attention);
    if (attention == nullptr)
      throw PatternFault("kv_heads", fmt::format("kv_heads: layer {} has no KV heads of its own", layer.label));
    if (kv_heads < 1 || attention->h_q % kv_heads != 0)
      throw PatternFault("kv_heads", fmt::format("kv_heads is {}; it must divide {}", kv_heads, attention->h_q));
    attention->h_kv = kv_heads;
  }
}

/// Rows of all layers but the sources are those of the latest source.
void share_rows(ModelDescription& model, const std::vector<Index>& sources) {
  check_sources(model, "row_sources", sources);
  for (LayerDescription& layer : model.layers) {
    if (shareable_ratio(layer) == 0) continue;
    layer.rows_of.reset();
    const bool is_source = std::ranges::find(sources, layer.label) != sources.end();
    set_owns_rows(layer, is_source);
    if (is_source) continue;
    layer.rows_of = latest_source(model, sources, layer);
    if (!layer.rows_of)
      throw PatternFault("row_sources",
                         fmt::format("row_sources: layer {} stands before every source of its ratio", layer.label));
  }
}

void share_indexers(ModelDescription& model, const std::vector<Index>& sources, const char* field) {
  check_sources(model, field, sources);
  const Index top_k = common_top_k(model);
  for (LayerDescription& layer : model.layers) {
    if (shareable_ratio(layer) == 0 || !selects(layer)) continue;
    layer.selection_of.reset();
    const bool is_source = std::ranges::find(sources, layer.label) != sources.end();
    set_owns_indexer(layer, is_source);
    layer.top_k = is_source ? top_k : 0;
    if (is_source) continue;
    if (layer.owns_rows())
      throw PatternFault(field, fmt::format("{}: layer {} owns rows that nothing would index", field, layer.label));
    layer.selection_of = latest_source(model, sources, layer);
    if (!layer.selection_of)
      throw PatternFault(field,
                         fmt::format("{}: layer {} stands before every source of its ratio", field, layer.label));
  }
}

/// Every layer makes what it reads.
void share_nothing(ModelDescription& model) {
  const Index top_k = common_top_k(model);
  for (LayerDescription& layer : model.layers) {
    layer.rows_of.reset();
    set_owns_rows(layer, true);
    if (!selects(layer)) continue;
    layer.selection_of.reset();
    set_owns_indexer(layer, true);
    layer.top_k = top_k;
  }
}

void drop_what_went(ModelDescription& model) {
  const Index layers = static_cast<Index>(model.layers.size());
  for (Index place = model.encoder_layers + 1; place < layers; ++place)
    if (model.layers[place].owns_rows()) model.encoder_layers = 0;
  if (model.encoder_layers >= layers) model.encoder_layers = 0;
  if (model.pool &&
      std::ranges::find(model.layers, model.pool->from_layer, &LayerDescription::label) == model.layers.end())
    model.pool.reset();
}

void set_local_window(ModelDescription& model, Index window) {
  bool found = false;
  for (LayerDescription& layer : model.layers) {
    if (layer.local_window() == 0) continue;
    found = true;
    if (auto* c = std::get_if<ProjectedConfig>(&layer.attention)) c->local_window = window;
    if (auto* c = std::get_if<SharedStateConfig>(&layer.attention)) c->local_window = window;
  }
  if (!found) throw PatternFault("local_window", "local_window: no layer of the model has a window");
}

void set_top_k(ModelDescription& model, Index top_k) {
  bool found = false;
  for (LayerDescription& layer : model.layers) {
    if (!layer.owns_indexer()) continue;
    found = true;
    layer.top_k = top_k;
  }
  if (!found) throw PatternFault("top_k", "top_k: no layer of the model has an indexer");
}

void set_pool(ModelDescription& model, const CandidatePool& pool) {
  if (pool.blocks == 0) {
    model.pool.reset();
    return;
  }
  const auto layer = std::ranges::find(model.layers, pool.from_layer, &LayerDescription::label);
  if (layer == model.layers.end() || !layer->owns_indexer())
    throw PatternFault("pool.from_layer",
                       fmt::format("pool.from_layer is {}, which is no layer with an indexer", pool.from_layer));
  model.pool = pool;
}

}  // namespace

ModelDescription changed(ModelDescription model, const PatternChanges& changes) {
  if (changes.layers) {
    if (*changes.layers < 1 || *changes.layers > static_cast<Index>(model.layers.size()))
      throw PatternFault("layers", fmt::format("layers is {}; the model has {}", *changes.layers, model.layers.size()));
    model.layers.resize(static_cast<std::size_t>(*changes.layers));
  }
  if (changes.ratios) set_ratios(model, *changes.ratios);
  if (changes.kv_heads) set_kv_heads(model, *changes.kv_heads);
  if (changes.shared == false) {
    if (changes.row_sources || changes.index_sources)
      throw PatternFault("shared", "shared is false; there are no sources then");
    share_nothing(model);
  }
  if (changes.row_sources) share_rows(model, *changes.row_sources);
  if (changes.index_sources)
    share_indexers(model, *changes.index_sources, "index_sources");
  else if (changes.row_sources)
    share_indexers(model, *changes.row_sources, "row_sources");
  if (changes.local_window) set_local_window(model, *changes.local_window);
  if (changes.top_k) set_top_k(model, *changes.top_k);
  drop_what_went(model);
  if (changes.pool) set_pool(model, *changes.pool);
  try {
    model.check();
  } catch (const UsageError& error) {
    throw PatternFault("", error.what());
  }
  return model;
}

}  // namespace lacuna
