// Rows of paths that open blocks of keys, over which certificates are tested: small ones, checked in wide arithmetic.
#pragma once

#include "core/certificates/certificate.hpp"
#include "support/judged_row.hpp"
#include "support/random_shapes.hpp"

namespace lacuna::testing_core {

/// A row of which whole blocks, a window and sink tokens are attended, with what its certificates are computed from.
struct BlockRow {
  RandomRow row;
  Index block_size = 1;
  bool scores_candidates = false;

  CertifiedPath path() const { return {block_size, scores_candidates, true}; }
};

class CertifiedRow {
 public:
  /// The output is off by `arithmetic` in every channel.
  explicit CertifiedRow(const BlockRow& row, double arithmetic = 0)
      : judged_(row.row.problem, 0, 0, answer_off(row, arithmetic), {.has_pool = row.row.has_pool}),
        profile_(row.row.problem, 0, 0, judged_.exact()),
        summaries_(row.row.problem.keys(0), row.row.problem.values(0), row.block_size),
        read_(read_row(profile_, *judged_, row.path(), &summaries_)) {}
  CertifiedRow(const CertifiedRow&) = delete;
  CertifiedRow& operator=(const CertifiedRow&) = delete;

  double value(const std::string& name) const { return CertificateRegistry::instance().at(name).evaluate(read_); }
  const ReadRow& read() const { return read_; }
  const PathJudgement& judged() const { return *judged_; }

 private:
  static PathRow answer_off(const BlockRow& row, double arithmetic) {
    PathRow answer = answer_over(row.row.wide, row.row.kept, row.row.reachable);
    for (double& x : answer.o) x += arithmetic;
    return answer;
  }

  JudgedRow judged_;
  ExactProfile profile_;
  BlockSummaries summaries_;
  ReadRow read_;
};

/// Opens a share of the blocks, in any order or by their best key, within a pool on a third of the rows.
inline void open_blocks(BlockRow& row, Random& random) {
  RandomRow& r = row.row;
  const Index n = r.wide.visible();
  const Index blocks = block_count(n, row.block_size);
  const KeySet always = set_union(key_range(0, std::min<Index>(n, random.one_of<Index>({0, 0, 1, 2}))),
                                  key_range(std::max<Index>(n - random.one_of<Index>({0, 0, 1, 3}), 0), n));
  const auto any_blocks = [&](Index size) {
    const double share = random.one_of<double>({0, 0.2, 0.5, 0.9});
    KeySet keys;
    for (Index b = 0; b < block_count(n, size); ++b)
      if (random.chance(share)) keys = set_union(keys, key_range(b * size, std::min(n, (b + 1) * size)));
    return keys;
  };
  r.has_pool = random.chance(0.33);
  // the pool's blocks may be others than those that are summarised
  const KeySet pool = r.has_pool ? any_blocks(random.chance(0.5) ? row.block_size : 3) : r.wide.all();
  row.scores_candidates = random.chance(0.3);
  KeySet opened;
  if (random.chance(0.5)) {
    opened = any_blocks(row.block_size);
  } else {
    std::vector<std::pair<Wide, Index>> order;
    for (Index b = 0; b < blocks; ++b) {
      Wide best = r.wide.s[b * row.block_size];
      for (Index j = b * row.block_size; j < std::min(n, (b + 1) * row.block_size); ++j)
        best = std::max(best, r.wide.s[j]);
      order.emplace_back(-best, b);
    }
    std::sort(order.begin(), order.end());
    order.resize(static_cast<std::size_t>(random.integer(0, blocks)));
    for (const auto& [best, b] : order)
      opened = set_union(opened, key_range(b * row.block_size, std::min(n, (b + 1) * row.block_size)));
  }
  r.reachable = set_union(pool, always);
  r.kept = set_union(set_intersection(opened, pool), always);
}

/// Keys of a block lie around a centre of their own, `spread` of it apart; so do values.
inline void cluster(RawProblem& raw, Index block_size, double spread) {
  for (Index j = 0; j < raw.n; ++j) {
    const Index first = j / block_size * block_size;
    if (j == first) continue;
    for (Index c = 0; c < raw.d_qk; ++c) raw.key(0, j, c) = raw.key(0, first, c) + spread * raw.key(0, j, c);
    for (Index c = 0; c < raw.d_v && !raw.v.empty(); ++c)
      raw.value(0, j, c) = raw.value(0, first, c) + spread * raw.value(0, j, c);
  }
}

/// Sinks, ties, shared K = V, cancellation, clusters, an outlier in a block, scores and numbers of any size,
/// products that cancel.
inline BlockRow block_row(std::uint64_t seed) {
  Random random(seed * 0x9E3779B97F4A7C15ULL + 5);
  ProblemShape shape = random_shape(seed, 40, 6);
  if (random.chance(0.1)) shape.score_spread = random.one_of<double>({1e-3, 300, 1e4});
  RawProblem raw = random_problem(shape);
  BlockRow row;
  row.block_size = random.one_of<Index>({1, 2, 3, 4, 4, 8, 64});
  const double kind = random.uniform();
  if (kind < 0.3) {
    cluster(raw, row.block_size, random.one_of<double>({0, 1e-9, 0.01, 0.2}));
  } else if (kind < 0.5) {  // one key of a block lies far from the others
    const Index j = random.integer(0, raw.n - 1);
    const double far = random.one_of<double>({10, -10, 1e3});
    for (Index c = 0; c < raw.d_qk; ++c) raw.key(0, j, c) *= far;
  } else if (kind < 0.6) {  // the sizes of q and of K cancel
    const double size = random.one_of<double>({1e-12, 1e9});
    for (double& x : raw.q) x /= size;
    for (double& x : raw.k) x *= size;
  } else if (kind < 0.75 && raw.d_qk > 1) {  // products that cancel: plain sums lose their digits
    cluster(raw, row.block_size, random.one_of<double>({0, 0.01}));
    const double large = random.one_of<double>({1e3, 1e6, 3e9});
    raw.query(0, 0, 1) = raw.query(0, 0, 0);
    for (Index j = 0; j < raw.n; ++j) {
      const double of_block = large * static_cast<double>(1 + j / row.block_size);
      raw.key(0, j, 0) += of_block;
      raw.key(0, j, 1) -= of_block;
    }
  }
  row.row.problem = raw.build();
  row.row.wide = wide_row(row.row.problem, 0, 0);
  open_blocks(row, random);
  return row;
}

/// Exact mass and truncation error of the row.
inline Wide wide_omitted(const BlockRow& row) {
  return row.row.wide.mass(set_difference(row.row.wide.all(), row.row.kept));
}
inline Wide wide_truncation(const BlockRow& row) { return row.row.wide.move(row.row.wide.all(), row.row.kept); }

/// Whether the value contradicts the exact row: no room but what 113 bits do not resolve.
inline bool is_false(const BlockRow& row, Claim claim, double value) {
  Wide largest = 0;
  for (const WideVector& v : row.row.wide.v) largest = std::max(largest, wide_norm(v));
  const Wide claimed(value);
  switch (claim) {
    case Claim::omitted_mass_at_most:
      return !(wide_omitted(row) <= claimed);
    case Claim::omitted_mass_at_least:
      return !(claimed <= wide_omitted(row));
    case Claim::output_error_at_most:
      return !(wide_truncation(row) <= claimed + Wide(1e-32) * largest);
  }
  return true;
}

}  // namespace lacuna::testing_core
