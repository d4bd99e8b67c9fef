// How well the layer's indexer orders the keys: the correlation of its scores with the head's exact main scores over
// the keys that it scored, as they are (Pearson) and by rank (Spearman, equal scores at the mean of their ranks). NaN
// where fewer than two keys were scored, where one side is constant, and in a layer that reuses a selection.
#include <cmath>
#include <limits>
#include <numeric>

#include "core/metrics/metric.hpp"

namespace lacuna {
namespace {

constexpr double kNotDefined = std::numeric_limits<double>::quiet_NaN();

double mean(const std::vector<double>& x) {
  CompensatedSum sum;
  for (const double value : x) sum.add(value);
  return sum.value() / static_cast<double>(x.size());
}

double pearson(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() < 2) return kNotDefined;
  const double x_mean = mean(x);
  const double y_mean = mean(y);
  CompensatedSum xx, yy, xy;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx.add_product(x[i] - x_mean, x[i] - x_mean);
    yy.add_product(y[i] - y_mean, y[i] - y_mean);
    xy.add_product(x[i] - x_mean, y[i] - y_mean);
  }
  const double scale = std::sqrt(xx.value()) * std::sqrt(yy.value());
  return scale > 0 ? std::clamp(xy.value() / scale, -1.0, 1.0) : kNotDefined;
}

/// Ranks from 0, equal values at the mean of their ranks.
std::vector<double> ranks(const std::vector<double>& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> rank(x.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && x[order[end]] == x[order[i]]) ++end;
    for (std::size_t at = i; at < end; ++at) rank[order[at]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return rank;
}

struct Scores {
  std::vector<double> index;
  std::vector<double> main;
};

Scores scores(const PathJudgement& row) {
  Scores both;
  if (row.answer->index == nullptr) return both;
  for (const RowIndex j : row.answer->index->scored) {
    both.index.push_back(row.answer->index->s[j]);
    both.main.push_back(row.exact->s[j]);
  }
  return both;
}

double correlation(const PathJudgement& row) {
  const Scores both = scores(row);
  return pearson(both.index, both.main);
}

double rank_correlation(const PathJudgement& row) {
  const Scores both = scores(row);
  return pearson(ranks(both.index), ranks(both.main));
}

bool uses_indexer(const PathTraits& traits) { return traits.uses_indexer; }

const bool registered =
    PathMetricRegistry::instance().add(
        {.name = "index_correlation",
         .units = "1",
         .long_name =
             "Pearson correlation of the indexer's scores with the head's main scores, over the keys it scored",
         .applies = uses_indexer,
         .evaluate = correlation}) &&
    PathMetricRegistry::instance().add(
        {.name = "index_rank_correlation",
         .units = "1",
         .long_name = "Spearman rank correlation of the indexer's scores with the head's main scores, over the keys it "
                      "scored",
         .applies = uses_indexer,
         .evaluate = rank_correlation});

}  // namespace
}  // namespace lacuna
