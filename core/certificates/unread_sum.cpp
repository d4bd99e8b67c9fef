#include "core/certificates/unread_sum.hpp"

namespace lacuna {
namespace {

constexpr double u = kUnitRoundoff;
constexpr double kTiny = 0x1p-500;  // a norm may lack this much per channel: squares below underflow

/// The larger of the norm and of what it may be beyond rounding.
double norm_upper(double computed, Index width) {
  const double d = static_cast<double>(width);
  return computed * (1 + 2 * (d + 8) * u) + std::sqrt(d) * kTiny;
}

/// log of the right of (3) over t e^high: log( x + (1 - x) e^-w ), x = (s̄ - low) / w in [0, 1], w = high - low.
double log_chord(double low, double high, double mean) {
  const double w = high - low;
  if (!(w > 0)) return 0;
  const double x = std::clamp((mean - low) / w, 0.0, 1.0);
  const double below = std::max(std::exp(-w), 1e-300);  // raised where it would underflow
  return std::log(below + x * (1 - below)) + (16 + 2 * w) * u;
}

}  // namespace

BlockScores block_scores(const std::vector<double>& q, const BlockSummary& block, Index count) {
  double low = 0;
  double high = 0;
  double mean = 0;
  double magnitude = 0;  // A of (4)
  for (std::size_t c = 0; c < q.size(); ++c) {
    const double a = q[c] * block.key_min[c];
    const double b = q[c] * block.key_max[c];
    low += std::min(a, b);
    high += std::max(a, b);
    mean += q[c] * block.keys.centre[c];
    magnitude += std::max(std::abs(a), std::abs(b));
  }
  const Index width = static_cast<Index>(q.size());
  const double sigma = 1.01 * gamma(static_cast<double>(width + count + 12)) * magnitude + 0x1p-600;
  const double reach = norm_upper(norm(q), width) * norm_upper(block.keys.radius, width);
  return {std::max(low, mean - reach) - sigma, std::min(high, mean + reach) + sigma, mean, sigma};
}

LogSum unread_sum(const BlockScores& scores, Index count, const ReadKeys& read) {
  const double all = static_cast<double>(count);
  const double unread = static_cast<double>(count - read.count);
  if (!std::isfinite(scores.low) || !std::isfinite(scores.high))
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  const double mean = (all * scores.mean - read.sum) / unread;
  const double rounding = (static_cast<double>(read.count) + 8) * u * (all * std::abs(scores.mean) + read.magnitude);
  const double radius = (all * scores.mean_radius + read.radius + rounding) / unread;

  const double log_unread = std::log(unread);
  const auto slack = [&](double score) { return 8 * u * (std::abs(score) + log_unread + 1); };
  const double raised = std::clamp(mean + radius, scores.low, scores.high);
  const double lowered = std::clamp(mean - radius, scores.low, scores.high);
  return {log_unread + lowered - slack(lowered),
          log_unread + scores.high + log_chord(scores.low, scores.high, raised) + slack(scores.high)};
}

}  // namespace lacuna
