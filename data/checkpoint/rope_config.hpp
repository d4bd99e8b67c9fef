// How positions are rotated, in either spelling of config.json:
//
//   "rope_theta": 10000.0, "rope_scaling": null | {"type" or "rope_type": "yarn", ...}        transformers 4
//   "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default" | "yarn", ...}          transformers 5
#pragma once

#include "core/mechanism/rope.hpp"
#include "data/checkpoint/config.hpp"

namespace lacuna {

struct RopeConfig {
  double base = 10000;
  std::optional<Yarn> yarn = {};
  double mscale = 1;  ///< with yarn: scores are multiplied by (0.1 mscale ln(factor) + 1)^2
};

/// Every channel is rotated, by the frequencies of RoPE as it is. InputError naming the key for any scaling of them.
RopeConfig plain_rope(const CheckpointConfig& config);

/// The same, or YaRN with `mscale` and `mscale_all_dim` alike, in which case it acts on scores alone.
RopeConfig plain_rope_or_yarn(const CheckpointConfig& config);

}  // namespace lacuna
