#include "data/checkpoint/checkpoint.hpp"

#include <new>
#include <utility>

#include "data/checkpoint/architecture.hpp"

namespace lacuna {
namespace {

const CheckpointArchitecture& architecture_of(const CheckpointConfig& config) {
  const std::string type = config.text("model_type");
  const CheckpointArchitectureRegistry& registry = CheckpointArchitectureRegistry::instance();
  if (const CheckpointArchitecture* found = registry.find(type)) return *found;
  std::string known;
  for (const CheckpointArchitecture& kind : registry.kinds()) known += (known.empty() ? "" : ", ") + kind.name;
  config.refuse("model_type", fmt::format("is '{}'; those that can be read are {}", type.substr(0, 64), known));
}

CheckpointModel read_model(const CheckpointFiles& files, CheckpointTensors& tensors) {
  const CheckpointConfig config(files.config);
  if (config.has("quantization_config"))
    config.refuse("quantization_config", "is there; only weights that are stored as floating numbers are implemented");
  try {
    CheckpointModel read = architecture_of(config).read(config, tensors);
    read.model.check();
    return read;
  } catch (const UsageError& error) {  // a description that cannot be is the configuration's fault here
    throw InputError(fmt::format("{}: {}", files.config, error.what()));
  }
}

}  // namespace

Checkpoint read_checkpoint(const std::string& checkpoint) try {
  const CheckpointFiles files = find_checkpoint_files(checkpoint);
  CheckpointTensors tensors(files);
  CheckpointModel read = read_model(files, tensors);
  tensors.check_unchanged();
  Checkpoint result{.model = std::move(read.model),
                    .weights = std::move(read.weights),
                    .trained_positions = read.trained_positions,
                    .files = {files.config},
                    .notes = tensors.notes()};
  result.model.name = files.name;
  if (!files.index.empty()) result.files.push_back(files.index);
  result.files.insert(result.files.end(), files.shards.begin(), files.shards.end());
  return result;
} catch (const std::bad_alloc&) {
  throw EnvironmentError(fmt::format("{}: its weights do not fit into memory", checkpoint));
}

}  // namespace lacuna
