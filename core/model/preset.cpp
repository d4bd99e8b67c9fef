#include "core/model/preset.hpp"

namespace lacuna {

ModelDescription describe_model(std::string_view name) {
  const ModelPreset* preset = ModelPresetRegistry::instance().find(name);
  if (preset != nullptr) {
    ModelDescription model = preset->describe();
    model.name = preset->name;
    return model;
  }
  std::string known;
  for (const ModelPreset& kind : ModelPresetRegistry::instance().kinds())
    known += (known.empty() ? "" : ", ") + kind.name;
  throw UsageError(fmt::format("model '{}' is not known; the presets are {}", name, known));
}

}  // namespace lacuna
