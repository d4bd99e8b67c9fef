#include "data/checkpoint/shards.hpp"

#include <filesystem>
#include <set>

#include "core/base/error.hpp"
#include "data/base/file_identity.hpp"
#include "data/base/readable_file.hpp"
#include "data/base/strict_json.hpp"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostIndexBytes = std::int64_t{64} << 20;
constexpr const char* kWeights = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

/// A name in the index is that of a file beside it.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

void read_index(const fs::path& index, CheckpointFiles& files) {
  files.index = index.string();
  const nlohmann::json json = parse_strict_json(read_whole(files.index, kMostIndexBytes), files.index, 4);
  const auto map = json.is_object() ? json.find("weight_map") : json.end();
  if (!json.is_object() || map == json.end() || !map->is_object() || map->empty())
    throw InputError(fmt::format("{}: no object 'weight_map' of tensors and files", files.index));
  std::set<std::string> shards;
  for (const auto& [tensor, file] : map->items()) {
    if (!file.is_string() || !is_plain_name(file.get<std::string>()))
      throw InputError(fmt::format("{}: tensor '{}' is in {}; expected the name of a file beside the index",
                                   files.index, tensor, file.dump(-1, ' ', true).substr(0, 64)));
    const std::string shard = (index.parent_path() / file.get<std::string>()).string();
    files.place.emplace(tensor, shard);
    shards.insert(shard);
  }
  files.shards.assign(shards.begin(), shards.end());
}

}  // namespace

CheckpointFiles find_checkpoint_files(const std::string& checkpoint) {
  fs::path given = fs::path(checkpoint).lexically_normal();
  if (given.has_relative_path() && !given.has_filename()) given = given.parent_path();
  CheckpointFiles files;
  files.name = given.filename().string();
  std::error_code ignored;
  fs::path weights = given;
  if (fs::is_directory(given, ignored)) {
    weights = is_there(given / kIndex) ? given / kIndex : given / kWeights;
    if (!is_there(weights))
      throw InputError(fmt::format("{}: neither {} nor {} is in it", checkpoint, kWeights, kIndex));
  }
  identify(weights);
  if (weights.extension() != ".json" && weights.extension() != ".safetensors")
    throw InputError(
        fmt::format("{}: a checkpoint is a folder with config.json, a .safetensors file, or an index, "
                    "which is a .json file",
                    checkpoint));
  if (weights.extension() == ".json")
    read_index(weights, files);
  else
    files.shards = {weights.string()};
  files.config = (weights.parent_path() / "config.json").string();
  identify(files.config);
  return files;
}

}  // namespace lacuna
