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

/// A preset scaled down, with random weights, or the model of a checkpoint. ParameterError with every fault of the
/// parameters and of the files that they name.
ModelParts open_model(const Parameters& source, std::uint64_t seed);

/// What shows without reading a file: parameters that do not go together, and files that are not there.
std::vector<ParameterFault> check_model(const Parameters& source);

/// The parameters of a model source.
std::vector<ParameterSpec> model_parameters();

}  // namespace lacuna
