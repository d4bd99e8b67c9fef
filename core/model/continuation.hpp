// How a sequence goes on behind a prefix: step j = 0, 1, ... is the distribution of the token at position N + j, from
// the hidden state of the token before it. Step 0 comes from the prefix itself; every later one appends a token.
#pragma once

#include <span>
#include <vector>

#include "core/model/decoder.hpp"

namespace lacuna {

/// Where a sequence goes on.
struct Prefix {
  const ModelCache* cache = nullptr;      ///< behind N tokens
  std::span<const double> last_hidden{};  // [d_model] behind the last layer, of token N - 1
};

struct ForcedSteps {
  std::vector<std::vector<double>> hidden;  // [steps][d_model] behind the last layer
  std::vector<std::vector<double>> logits;  // [steps][vocabulary]
};

/// Whatever a step's distribution says, the next token is the given one; tokens [steps], the last of which is not
/// appended.
ForcedSteps forced_steps(const Decoder& decoder, const Prefix& prefix, std::span<const Index> tokens);

/// The token of the highest score, the lowest index among equals, at every step: [steps].
std::vector<Index> greedy_tokens(const Decoder& decoder, const Prefix& prefix, Index steps);

}  // namespace lacuna
