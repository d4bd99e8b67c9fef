// --set key=value: replaces or adds a value in the tree of a parameter file, before anything is checked.
#pragma once

#include <string>
#include <vector>

#include "experiments/harness/diagnostics.hpp"
#include "experiments/harness/toml_document.hpp"

namespace lacuna {

/// Keys are full names, a path or an architecture addressed by its own: "experiment.seed", "path.top_k.select.k". A
/// value is TOML; what does not parse as TOML is a text, so that `source.kind=gaussian` needs no quotes. What was set
/// stands at "--set:N".
void apply_settings(TomlNode& root, const std::vector<std::string>& settings, Diagnostics& diagnostics);

}  // namespace lacuna
