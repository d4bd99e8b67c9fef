#include "core/model/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/rng.hpp"

namespace lacuna {

Index sample_token(std::span<const double> logits, const Sampling& sampling, Index position) {
  LACUNA_ASSERT(!logits.empty());
  if (!(sampling.temperature >= 0))
    throw UsageError(fmt::format("temperature is {}; it must not be negative", sampling.temperature));
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (!std::isfinite(logits[i])) throw InputError(fmt::format("the score of token {} is {}", i, logits[i]));
  const auto highest = std::ranges::max_element(logits);  // the first of equal ones
  if (sampling.temperature == 0) return highest - logits.begin();

  std::vector<double> sum;  // [vocabulary] of e^((z - max) / T) up to each token
  double z = 0;
  for (const double logit : logits) sum.push_back(z += std::exp((logit - *highest) / sampling.temperature));
  const double u = CounterRng(sampling.seed, "model.sample").uniform(static_cast<std::uint64_t>(position));
  const auto drawn = std::ranges::upper_bound(sum, u * z);
  LACUNA_ASSERT(drawn != sum.end());  // u z < z, since u is at most 1 - 2^-53
  return drawn - sum.begin();
}

}  // namespace lacuna
