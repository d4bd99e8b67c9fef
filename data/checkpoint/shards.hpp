// Which files a checkpoint consists of.
//
//   folder/config.json + folder/model.safetensors                        one file
//   folder/config.json + folder/model.safetensors.index.json + shards    the index maps tensors to files:
//   {"metadata": {...}, "weight_map": {"model.embed_tokens.weight": "model-00001-of-00002.safetensors", ...}}
#pragma once

#include <map>
#include <string>
#include <vector>

namespace lacuna {

struct CheckpointFiles {
  std::string name;                          ///< the folder's or the file's, without its path
  std::string config;                        ///< config.json
  std::vector<std::string> shards;           ///< safetensors files, each once
  std::map<std::string, std::string> place;  ///< tensor -> shard, by the index; empty without one
  std::string index;                         ///< the index; empty without one
};

/// `checkpoint` is a folder, a safetensors file or an index. InputError naming the file that is missing or wrong.
CheckpointFiles find_checkpoint_files(const std::string& checkpoint);

}  // namespace lacuna
