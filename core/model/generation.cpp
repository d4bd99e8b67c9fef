#include "core/model/generation.hpp"

namespace lacuna {

std::vector<Index> generate(Index first, Index position, const Generation& options, const AppendToken& append) {
  if (options.max_tokens < 0)
    throw UsageError(fmt::format("max_tokens is {}; it must not be negative", options.max_tokens));
  std::vector<Index> drawn;
  Index token = first;
  while (std::ssize(drawn) < options.max_tokens) {
    token = sample_token(append(token), options.sampling, ++position);
    drawn.push_back(token);
    if (token == options.end_token) break;
  }
  return drawn;
}

}  // namespace lacuna
