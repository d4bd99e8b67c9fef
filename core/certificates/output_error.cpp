// certificate_output_error. With o_S the output over what was attended and D_b >= ||v_j - o_S|| for every key j of
// block b that was not,
//   o - o_S = sum_b sum_{j in b} e^{s_j} (v_j - o_S) / (Z_S + sum_b Z_b) ,   so
//   ||o - o_S|| <= f(Z) = sum_b Z_b D_b / (Z_S + sum_b Z_b) ,   L_b <= Z_b <= U_b .                             (1)
// f is a quotient of functions that are linear in each Z_b: it grows with Z_b where D_b > f and falls where D_b < f. So
// a largest f has Z_b = U_b for the blocks with D_b above a threshold and L_b for the others; with D_1 >= D_2 >= ...,
//   ||o - o_S|| <= max_i ( sum_{b<=i} U_b D_b + sum_{b>i} L_b D_b ) / ( Z_S + sum_{b<=i} U_b + sum_{b>i} L_b ) . (2)
// It is never above sum_b U_b / (Z_S + sum_b U_b) max_b D_b. Putting U_b / (Z_S + sum U) for the mass of each block is
// no bound: a block of great U and small D_b would then hide what the others may hold.
//
// The sums are taken relative to the largest of Z_S and U_b; what underflows there is less than 1e-290 of max_b D_b.
#include <algorithm>

#include "core/certificates/certificate.hpp"

namespace lacuna {
namespace {

double output_error(const ReadRow& row) {
  std::vector<UnreadBlock> blocks = row.unread;
  if (blocks.empty()) return 0;
  std::sort(blocks.begin(), blocks.end(), [](const UnreadBlock& a, const UnreadBlock& b) { return a.reach > b.reach; });
  const double farthest = blocks.front().reach;
  double largest = row.attended.lower;
  for (const UnreadBlock& block : blocks) largest = std::max(largest, block.z.upper);
  if (std::isinf(largest)) return farthest;

  // Z_S goes down, U_b up and L_b down by the rounding of what e is raised to
  const auto exp_up = [&](double log) { return std::exp(difference_upper(log, largest)); };
  const auto exp_down = [&](double log) { return std::exp(-difference_upper(largest, log)); };
  const std::size_t n = blocks.size();
  std::vector<double> low(n);
  std::vector<double> high(n);
  for (std::size_t b = 0; b < n; ++b) {
    low[b] = exp_down(blocks[b].z.lower);
    high[b] = exp_up(blocks[b].z.upper);
  }
  // sums over the blocks behind i, of L_b and of L_b D_b
  std::vector<double> low_sum(n + 1, 0.0);
  std::vector<double> low_moment(n + 1, 0.0);
  for (std::size_t b = n; b-- > 0;) {
    low_sum[b] = low_sum[b + 1] + low[b];
    low_moment[b] = low_moment[b + 1] + low[b] * blocks[b].reach;
  }
  double most = 0;
  double sum = exp_down(row.attended.lower);
  double moment = 0;
  for (std::size_t i = 0; i <= n; ++i) {
    const double all = sum + low_sum[i];
    most = std::max(most, all > 1e-280 ? (moment + low_moment[i]) / all : farthest);
    if (i == n) break;
    sum += high[i];
    moment += high[i] * blocks[i].reach;
  }
  return most * (1 + (4 * static_cast<double>(n) + 32) * kUnitRoundoff) + kMassUnderflow * (1 + farthest);
}

const bool registered = CertificateRegistry::instance().add(
    {.name = "certificate_output_error",
     .long_name = "upper bound on output_error from what was attended and block summaries of keys and values alone",
     .claim = Claim::output_error_at_most,
     .evaluate = output_error});

}  // namespace
}  // namespace lacuna
