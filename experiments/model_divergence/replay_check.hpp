// Which models a path's replay suits. One pass over the sequence holds the run before the loss and the replay
// (core/approx/replay_window.hpp) as long as the rows that reach over the prefix are the same in both: behind the first
// layer that loses its window no layer may make any. That layer's own come from what enters it, which is exact.
// A retention layer among them would have to sum over tokens that do not run again.
#pragma once

#include <optional>

#include "core/base/parameter.hpp"
#include "core/model/description.hpp"

namespace lacuna {

/// Why the replay of a path's cell cannot be run on a model; nullopt where it can, or the path has none.
std::optional<ParameterFault> check_replay_of_model(const Parameters& path, const ModelDescription& model);

}  // namespace lacuna
