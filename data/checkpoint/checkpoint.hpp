// A checkpoint of Hugging Face transformers: safetensors files and a config.json, as the weights of a described
// decoder.
#pragma once

#include <string>
#include <vector>

#include "core/model/weights.hpp"

namespace lacuna {

struct Checkpoint {
  ModelDescription model;  ///< named after the checkpoint's folder or file
  ModelWeights weights;
  Index trained_positions = 0;     ///< the longest sequence that the model was made for; 0: not said
  std::vector<std::string> files;  ///< all that were read: config.json, the index where there is one, safetensors
  std::vector<std::string> notes;  ///< tensors that are not read
};

/// `checkpoint` is a folder with config.json and model.safetensors (or model.safetensors.index.json and its shards), or
/// such a file beside its config.json. InputError naming file and key, tensor or row; EnvironmentError where the
/// weights in double are larger than the memory that is available.
Checkpoint read_checkpoint(const std::string& checkpoint);

}  // namespace lacuna
