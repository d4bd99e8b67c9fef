// What a model of a `model_type` of config.json is in the terms of core/model. An architecture is one file here, which
// registers itself.
//
// Tensors that are missing or wrong throw in the middle of it: weights are filled in member by member, since gcc 12
// destroys what a braced list has made so far twice when a later element of the list throws.
#pragma once

#include <functional>
#include <string>

#include "core/base/registry.hpp"
#include "core/model/weights.hpp"
#include "data/checkpoint/config.hpp"
#include "data/checkpoint/tensors.hpp"

namespace lacuna {

struct CheckpointModel {
  ModelDescription model;
  ModelWeights weights;
  Index trained_positions = 0;  ///< the longest sequence that the model was made for; 0: not said
};

struct CheckpointArchitecture {
  std::string name = {};  ///< the model_type
  std::string sentence = {};
  /// InputError naming the key of the configuration whose value is not implemented, or the tensor.
  std::function<CheckpointModel(const CheckpointConfig&, CheckpointTensors&)> read = {};
};

using CheckpointArchitectureRegistry = Registry<CheckpointArchitecture>;

}  // namespace lacuna
