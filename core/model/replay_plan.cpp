#include "core/model/replay_plan.hpp"

#include <algorithm>

namespace lacuna {
namespace {

/// Layers that run on every token that is not in a store.
Index encoder_layers(const ModelDescription& model, const ReplayVariant& variant) {
  if (variant.from_hit && model.encoder_layers == 0) return static_cast<Index>(model.layers.size());
  return model.encoder_layers;
}

void check(const ReplayVariant& variant, const ReplayExtents& extents) {
  LACUNA_ASSERT(extents.tokens >= 1 && extents.length >= 1);
  LACUNA_ASSERT(!variant.from_hit || (extents.hit >= 1 && extents.hit <= extents.tokens));
}

}  // namespace

const std::vector<ReplayVariant>& replay_variants() {
  static const std::vector<ReplayVariant> variants = {
      {.name = "decoder_first",
       .sentence = "windows are cut from the first layer behind the encoder on",
       .from_hit = false,
       .keeps_first_window = false},
      {.name = "decoder_after_first",
       .sentence = "the first layer behind the encoder keeps its window whole",
       .from_hit = false,
       .keeps_first_window = true},
      {.name = "prefix_hit",
       .sentence = "the encoder goes on from a stored prefix, replaying the end of it, then decoder_first",
       .from_hit = true,
       .keeps_first_window = false},
  };
  return variants;
}

const ReplayVariant& replay_variant(std::string_view name) {
  const auto found = std::ranges::find(replay_variants(), name, &ReplayVariant::name);
  LACUNA_ASSERT(found != replay_variants().end());
  return *found;
}

ReplayPlan ReplayPlan::of(const ModelDescription& model, const ReplayVariant& variant, const ReplayExtents& extents) {
  check(variant, extents);
  const Index encoder = encoder_layers(model, variant);
  const Index decoder_start = extents.tokens - std::min(extents.tokens, extents.length);
  ReplayPlan plan{.tokens = extents.tokens, .kept = variant.from_hit ? extents.hit : extents.tokens};
  for (Index place = 0; place < static_cast<Index>(model.layers.size()); ++place) {
    LayerReplay layer{.first_run = extents.tokens, .first_window = 0};
    if (place >= encoder) {
      const bool whole = variant.keeps_first_window && place == encoder;
      layer = {.first_run = decoder_start, .first_window = whole ? 0 : decoder_start};
    } else if (variant.from_hit) {
      layer.first_run = layer.first_window = extents.hit - std::min(extents.hit, extents.length);
    }
    if (layer.first_run < extents.tokens && std::holds_alternative<RetentionConfig>(model.layers[place].attention))
      throw UsageError(
          fmt::format("{}: layer {} is a retention layer, whose state sums over all tokens; a replay of "
                      "the last ones cannot rebuild it",
                      variant.name, model.layers[place].label));
    plan.layers.push_back(layer);
  }
  return plan;
}

Index ReplayPlan::first_place() const {
  return std::ranges::find_if(layers, [&](const LayerReplay& layer) { return layer.first_run < tokens; }) -
         layers.begin();
}

std::vector<Index> ReplayPlan::exact_from(const ModelDescription& model) const {
  std::vector<Index> entering;  // [layers] the position from which what enters is exact
  std::vector<Index> exact;     // [layers]
  Index from = 0;
  for (Index place = 0; place < static_cast<Index>(layers.size()); ++place) {
    const LayerDescription& layer = model.layers[place];
    entering.push_back(from);
    const Index window = layer.local_window();
    if (layers[place].first_run < tokens && window > 0) {
      const Index whole_from = std::max(from, layers[place].first_window);
      if (whole_from > 0) from = whole_from + window - 1;
    }
    const Index owner = layer.rows_of ? model.place_of(*layer.rows_of) : place;
    const bool reads_rows = layer.rows_of || layer.owns_rows();
    if (reads_rows && kept < tokens && entering[owner] > kept) from = tokens;
    from = std::min(from, tokens);
    exact.push_back(from);
  }
  return exact;
}

Index replay_layer_tokens(const ModelDescription& model, const ReplayVariant& variant, const ReplayExtents& extents) {
  check(variant, extents);
  const Index encoder = encoder_layers(model, variant);
  const Index others = static_cast<Index>(model.layers.size()) - encoder;
  const Index encoded =
      variant.from_hit ? std::min(extents.length, extents.hit) + extents.tokens - extents.hit : extents.tokens;
  return encoded * encoder + std::min(extents.tokens, extents.length) * others;
}

}  // namespace lacuna
