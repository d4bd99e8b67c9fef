#include "core/mechanism/index_alignment.hpp"

#include <algorithm>
#include <cmath>

namespace lacuna {
namespace {

/// The columns `channels` of every one of `halves` equal parts of a row.
std::vector<Index> in_every_half(const std::vector<Index>& channels, Index width, Index halves) {
  std::vector<Index> result;
  for (Index half = 0; half < halves; ++half)
    for (const Index c : channels) result.push_back(half * width + c);
  return result;
}

Matrix take_rows(const Matrix& matrix, const std::vector<Index>& rows) {
  Matrix taken(static_cast<Index>(rows.size()), matrix.columns());
  for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(matrix.row(rows[i]), taken.row(i).begin());
  return taken;
}

Matrix take_columns(const Matrix& matrix, const std::vector<Index>& columns) {
  Matrix taken(matrix.rows(), static_cast<Index>(columns.size()));
  for (Index i = 0; i < matrix.rows(); ++i)
    for (std::size_t c = 0; c < columns.size(); ++c) taken.row(i)[c] = matrix.row(i)[columns[c]];
  return taken;
}

/// What index head i follows.
struct Followed {
  Index main_head;
  double sign;
  double weight;
};

Followed followed(const SharedStateConfig& config, Index index_head) {
  const bool paired = config.index_heads >= 2 * config.heads;
  if (!paired) return {index_head % config.heads, 1, 1};
  const bool left_over = index_head == config.index_heads - 1 && config.index_heads % 2 == 1;
  const double sign = index_head % 2 == 0 ? 1 : -1;
  return {index_head / 2 % config.heads, sign, left_over ? 0 : sign};
}

}  // namespace

std::vector<Index> aligned_channels(const SharedStateConfig& config) {
  const Index nope = config.head_dim - config.qk_rope;
  const Index index_nope = config.d_index - config.qk_rope;
  std::vector<Index> channels;
  for (Index c = 0; c < index_nope; ++c) channels.push_back(c * nope / index_nope);
  for (Index c = nope; c < config.head_dim; ++c) channels.push_back(c);
  return channels;
}

Matrix aligned_index_query(const SharedStateConfig& config, const Matrix& query_up) {
  const std::vector<Index> channels = aligned_channels(config);
  Matrix query(config.index_heads * config.d_index, query_up.columns());
  for (Index i = 0; i < config.index_heads; ++i) {
    const Followed main = followed(config, i);
    for (Index c = 0; c < config.d_index; ++c)
      std::ranges::transform(query_up.row(main.main_head * config.head_dim + channels[c]),
                             query.row(i * config.d_index + c).begin(), [&](double w) { return main.sign * w; });
  }
  return query;
}

Matrix aligned_index_weight(const SharedStateConfig& config) {
  Matrix weight(config.index_heads, config.d_model);
  for (Index i = 0; i < config.index_heads; ++i) weight.row(i)[0] = followed(config, i).weight;
  return weight;
}

CompressorWeights aligned_index_compressor(const SharedStateConfig& config, const CompressorWeights& main) {
  const std::vector<Index> places = in_every_half(aligned_channels(config), config.head_dim, config.overlap ? 2 : 1);
  CompressorWeights index;
  index.kv = take_rows(main.kv, places);
  if (config.pooling == Pooling::gated) index.gate = take_rows(main.gate, places);
  if (config.compressor().uses_position_bias()) index.ape = take_columns(main.ape, places);
  for (const Index c : aligned_channels(config)) index.gamma.push_back(main.gamma[c]);
  return index;
}

Matrix aligned_index_key(const SharedStateConfig& config) {
  const std::vector<Index> channels = aligned_channels(config);
  Matrix key(config.d_index, config.head_dim);
  for (Index c = 0; c < config.d_index; ++c) key.row(c)[channels[c]] = 1;
  return key;
}

Matrix mix_by_quality(double rho, const Matrix& aligned, const Matrix& random) {
  LACUNA_ASSERT(aligned.rows() == random.rows() && aligned.columns() == random.columns());
  const double rest = std::sqrt(1 - rho * rho);
  Matrix mixed(aligned.rows(), aligned.columns());
  for (Index i = 0; i < mixed.rows(); ++i)
    std::ranges::transform(aligned.row(i), random.row(i), mixed.row(i).begin(),
                           [&](double a, double r) { return rho * a + rest * r; });
  return mixed;
}

}  // namespace lacuna
