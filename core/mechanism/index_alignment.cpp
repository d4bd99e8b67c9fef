#include "core/mechanism/index_alignment.hpp"

#include <algorithm>

#include "core/mechanism/index_heads.hpp"

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
    const FollowedHead main = followed_head(config.index_heads, config.heads, i);
    for (Index c = 0; c < config.d_index; ++c)
      std::ranges::transform(query_up.row(main.main_head * config.head_dim + channels[c]),
                             query.row(i * config.d_index + c).begin(), [&](double w) { return main.sign * w; });
  }
  return query;
}

Matrix aligned_index_weight(const SharedStateConfig& config) {
  Matrix weight(config.index_heads, config.d_model);
  for (Index i = 0; i < config.index_heads; ++i)
    weight.row(i)[0] = followed_head(config.index_heads, config.heads, i).weight;
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

}  // namespace lacuna
