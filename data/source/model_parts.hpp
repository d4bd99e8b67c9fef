// What a model source runs: a decoder, and the token ids that it reads where they are given.
#pragma once

#include <string>
#include <vector>

#include "core/base/parameter.hpp"
#include "core/model/decoder.hpp"

namespace lacuna {

struct ModelParts {
  Decoder decoder;
  std::vector<std::vector<Index>> tokens = {};  ///< [sequence][n]; empty: random ones
  Index trained_positions = 0;                  ///< the longest sequence that it was made for; 0: not said
  std::vector<std::string> files = {};          ///< all that were read
  std::vector<std::string> notes = {};
};

/// A preset scaled down, with random weights, or the model of a checkpoint. UsageError naming the parameter, InputError
/// and EnvironmentError naming the file.
ModelParts open_model(const Parameters& source, std::uint64_t seed);

/// What of the parameters does not go together: a checkpoint beside a preset or beside what scales a preset down.
std::vector<ParameterFault> check_model(const Parameters& source);

/// The parameters of a model source.
std::vector<ParameterSpec> model_parameters();

}  // namespace lacuna
