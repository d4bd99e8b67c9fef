#include "analysis/statistics/block_bootstrap.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/block_length.hpp"
#include "analysis/statistics/mean.hpp"
#include "analysis/statistics/quantile.hpp"
#include "core/base/error.hpp"
#include "core/base/rng.hpp"

namespace lacuna {
namespace {

/// An index below `size` from the generator's next number.
std::size_t draw(const CounterRng& random, std::uint64_t& counter, std::size_t size) {
  LACUNA_ASSERT(size < (std::size_t{1} << 32));
  return random.words(counter++)[0] * size >> 32;
}

std::vector<double> pooled(const std::vector<std::vector<double>>& sequences) {
  std::vector<double> values;
  for (const auto& sequence : sequences) values.insert(values.end(), sequence.begin(), sequence.end());
  return values;
}

/// Moving blocks of one sequence, cut to its length.
std::vector<double> moving_blocks(const std::vector<double>& sequence, std::size_t length, const CounterRng& random,
                                  std::uint64_t& counter) {
  std::vector<double> values;
  while (values.size() < sequence.size()) {
    const std::size_t start = draw(random, counter, sequence.size() - length + 1);
    const std::size_t size = std::min(length, sequence.size() - values.size());
    values.insert(values.end(), sequence.begin() + static_cast<std::ptrdiff_t>(start),
                  sequence.begin() + static_cast<std::ptrdiff_t>(start + size));
  }
  return values;
}

std::vector<double> whole_sequences(const std::vector<std::vector<double>>& sequences, const CounterRng& random,
                                    std::uint64_t& counter) {
  std::vector<double> values;
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const std::vector<double>& drawn = sequences[draw(random, counter, sequences.size())];
    values.insert(values.end(), drawn.begin(), drawn.end());
  }
  return values;
}

double deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  double squares = 0;
  for (const double x : values) squares += (x - centre) * (x - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

BootstrapEstimate block_bootstrap(const std::vector<std::vector<double>>& sequences, const PooledStatistic& statistic,
                                  double confidence, std::int64_t resamples, std::uint64_t seed) {
  std::vector<std::vector<double>> filled;
  std::copy_if(sequences.begin(), sequences.end(), std::back_inserter(filled),
               [](const auto& s) { return !s.empty(); });
  BootstrapEstimate result;
  if (filled.empty()) return result;
  result.estimate.value = statistic(pooled(filled));
  if (filled.size() == 1 && filled.front().size() < 2) return result;

  const CounterRng random(seed, "block_bootstrap");
  const auto length = static_cast<std::size_t>(block_length(filled.front()));
  std::uint64_t counter = 0;
  std::vector<double> replicas;
  for (std::int64_t r = 0; r < resamples; ++r)
    replicas.push_back(statistic(filled.size() == 1 ? moving_blocks(filled.front(), length, random, counter)
                                                    : whole_sequences(filled, random, counter)));
  result.standard_error = deviation(replicas);
  result.estimate.interval = {quantile(replicas, (1 - confidence) / 2), quantile(replicas, (1 + confidence) / 2)};
  return result;
}

}  // namespace lacuna
