#include "core/model/continuation.hpp"

#include "core/model/sampling.hpp"

namespace lacuna {

ForcedSteps forced_steps(const Decoder& decoder, const Prefix& prefix, std::span<const Index> tokens) {
  ModelCache cache = *prefix.cache;
  ForcedSteps steps;
  std::vector<double> h(prefix.last_hidden.begin(), prefix.last_hidden.end());
  for (std::size_t step = 0; step < tokens.size(); ++step) {
    if (step > 0) h = decoder.append(tokens.subspan(step - 1, 1), cache);
    steps.logits.push_back(decoder.logits(h));
    steps.hidden.push_back(h);
  }
  return steps;
}

std::vector<Index> greedy_tokens(const Decoder& decoder, const Prefix& prefix, Index steps) {
  ModelCache cache = *prefix.cache;
  std::vector<Index> tokens;
  std::vector<double> h(prefix.last_hidden.begin(), prefix.last_hidden.end());
  for (Index step = 0; step < steps; ++step) {
    if (step > 0) h = decoder.append(std::span(tokens).last(1), cache);
    tokens.push_back(sample_token(decoder.logits(h), {.temperature = 0}, cache.tokens));
  }
  return tokens;
}

}  // namespace lacuna
