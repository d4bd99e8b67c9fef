// Published decoders as descriptions, and narrow ones of the same pattern.
//
// A preset is one file under presets/ and registers itself; the extents come from the papers and configuration files
// named there.
#pragma once

#include <functional>
#include <string>

#include "core/base/registry.hpp"
#include "core/model/description.hpp"

namespace lacuna {

struct ModelPreset {
  std::string name = {};
  std::string sentence = {};
  std::function<ModelDescription()> describe = {};
};

using ModelPresetRegistry = Registry<ModelPreset>;

/// The description of the preset; UsageError naming the known ones where there is none.
ModelDescription describe_model(std::string_view name);

}  // namespace lacuna
