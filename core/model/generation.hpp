// Autoregressive generation: the token that was drawn last is appended, the next one is drawn from its scores
// (sampling.hpp).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/model/sampling.hpp"

namespace lacuna {

struct Generation {
  Sampling sampling = {};               ///< greedy by default
  Index max_tokens = 0;                 ///< how many are drawn at most
  std::optional<Index> end_token = {};  ///< the last token that is drawn, where it is drawn
};

/// Appends a token to the sequence; returns the scores of the next one [vocabulary].
using AppendToken = std::function<std::vector<double>(Index token)>;

/// The drawn tokens, at positions position + 1, ...; `first` stands at `position` and is the first that is appended.
/// UsageError for a negative max_tokens, and as sample_token.
std::vector<Index> generate(Index first, Index position, const Generation& options, const AppendToken& append);

}  // namespace lacuna
