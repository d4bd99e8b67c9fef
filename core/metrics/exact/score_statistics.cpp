// The scores of the visible keys (sink excluded) as a sample: mean, standard deviation, and how far their distribution
// is from a normal one with those parameters: the Kolmogorov-Smirnov statistic
//   D = max_i max( i/n - F(z_(i)), F(z_(i)) - (i-1)/n ) ,   z = (s - mean) / std ,   F the normal distribution.
// (Parameters estimated from the sample: compare D with Lilliefors' table, not Kolmogorov's.)
#include <cmath>
#include <numbers>

#include "core/metrics/metric.hpp"

namespace lacuna {
namespace {

using Coordinate = std::span<const std::int64_t>;

double mean(const ExactRow& row) {
  CompensatedSum sum;
  for (const double s : row.s) sum.add(s);
  return sum.value() / static_cast<double>(row.visible);
}

/// Population standard deviation (divided by n).
double standard_deviation(const ExactRow& row, double centre) {
  CompensatedSum sum;
  for (const double s : row.s) sum.add((s - centre) * (s - centre));
  return std::sqrt(sum.value() / static_cast<double>(row.visible));
}

void kolmogorov_smirnov(const ExactProfile& profile, Coordinate, std::span<double> out) {
  const ExactRow& row = *profile.row;
  if (row.s[profile.order.front()] == row.s[profile.order.back()]) {
    out[0] = std::numeric_limits<double>::quiet_NaN();  // one key, or equal scores: nothing to compare
    return;
  }
  const double centre = mean(row);
  const double spread = standard_deviation(row, centre);
  const double n = static_cast<double>(row.visible);
  double largest = 0;
  for (Index i = 0; i < row.visible; ++i) {  // ascending order is the profile's order backwards
    const double z = (row.s[profile.order[row.visible - 1 - i]] - centre) / spread;
    const double f = std::erfc(-z / std::numbers::sqrt2) / 2;
    largest = std::max({largest, static_cast<double>(i + 1) / n - f, f - static_cast<double>(i) / n});
  }
  out[0] = largest;
}

const bool registered =
    ExactMetricRegistry::instance().add(
        {.name = "score_mean",
         .units = "nat",
         .long_name = "mean score of the visible keys",
         .evaluate = [](const ExactProfile& p, Coordinate, std::span<double> out) { out[0] = mean(*p.row); }}) &&
    ExactMetricRegistry::instance().add(
        {.name = "score_std",
         .units = "nat",
         .long_name = "standard deviation of the visible keys' scores (divided by n)",
         .evaluate = [](const ExactProfile& p, Coordinate,
                        std::span<double> out) { out[0] = standard_deviation(*p.row, mean(*p.row)); }}) &&
    ExactMetricRegistry::instance().add(
        {.name = "score_ks",
         .units = "1",
         .long_name = "Kolmogorov-Smirnov distance of the scores from a normal distribution of their mean and "
                      "standard deviation; NaN where all scores are equal",
         .evaluate = kolmogorov_smirnov});

}  // namespace
}  // namespace lacuna
