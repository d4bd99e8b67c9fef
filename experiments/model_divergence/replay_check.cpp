#include "experiments/model_divergence/replay_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/approx/replay_window.hpp"

namespace lacuna {

std::optional<ParameterFault> check_replay_of_model(const Parameters& path, const ModelDescription& model) {
  if (!ReplayWindow::wanted(path)) return std::nullopt;
  const bool named = path.has("replay.from_layer");
  const std::string key = named ? "replay.from_layer" : "replay.prefix";
  const auto first = std::ranges::find_if(
      model.layers, [&](const auto& layer) { return !named || layer.label >= path.integer("replay.from_layer"); });
  bool loses = false;
  for (auto layer = first; layer != model.layers.end(); ++layer) {
    if (std::holds_alternative<RetentionConfig>(layer->attention))
      return ParameterFault{
          key, fmt::format("layer {} is a retention layer, whose state no replay of the last tokens makes again",
                           layer->label)};
    if (layer != first && layer->owns_rows())
      return ParameterFault{
          key, fmt::format("layer {} makes rows over the prefix, from states that the replay of layer {} changes; "
                           "replay_error runs such models",
                           layer->label, first->label)};
    loses = loses || layer->local_window() > 0;
  }
  if (!loses) return ParameterFault{key, "no layer from there on has a window to lose"};
  return std::nullopt;
}

}  // namespace lacuna
