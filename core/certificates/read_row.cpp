#include "core/certificates/read_row.hpp"

#include "core/approx/block_ranker.hpp"
#include "core/certificates/unread_sum.hpp"

namespace lacuna {
namespace {

constexpr double u = kUnitRoundoff;

/// Scores that were read, each within its radius.
struct Scores {
  std::vector<double> s;
  double radius = 0;

  /// rho_j of exact_row.hpp is more than the radius of s_j.
  void add(const ExactRow& exact, Index j) {
    s.push_back(exact.s[j]);
    radius = std::max(radius, exact.rho[j]);
  }
  LogSum sum() const {
    const LogSum computed = log_sum_exp(s);
    if (std::isinf(computed.lower)) return computed;
    return {computed.lower - radius, computed.upper + radius};
  }
};

LogSum attended_sum(const PathJudgement& row) {
  Scores scores;
  for (const RowIndex j : row.answer->kept) scores.add(*row.exact, j);
  if (row.exact->has_sink) scores.s.push_back(row.exact->sink_logit);
  return scores.sum();
}

LogSum sum_of(const LogSum& a, const LogSum& b) {
  const double lower[] = {a.lower, b.lower};
  const double upper[] = {a.upper, b.upper};
  return {log_sum_exp(lower).lower, log_sum_exp(upper).upper};
}

/// What became of the keys of one row.
class Reading {
 public:
  Reading(const PathJudgement& row, bool scores_candidates) : row_(row), was_scored_(row.split.is_kept) {
    if (!scores_candidates) return;
    for (const RowIndex j : row.answer->reachable) was_scored_[j] = true;
  }
  bool attended(Index j) const { return row_.split.is_kept[j]; }
  bool scored(Index j) const { return was_scored_[j]; }

 private:
  const PathJudgement& row_;
  std::vector<bool> was_scored_;
};

std::vector<UnreadBlock> unread_blocks(const ExactProfile& profile, const PathJudgement& row,
                                       const BlockSummaries& summaries, const Reading& reading) {
  const ExactRow& exact = *row.exact;
  const Rows queries = profile.problem->queries(profile.head);
  std::vector<double> q(queries.width());
  for (Index c = 0; c < queries.width(); ++c) q[c] = profile.problem->sm_scale * queries.at(profile.query, c);

  std::vector<UnreadBlock> blocks;
  summaries.for_each_block(exact.cached(), [&](Index begin, Index end, const BlockSummary& summary) {
    const Index count = end - begin;
    Index attended = 0;
    ReadKeys read;
    Scores left_out;  // scored, and not attended
    for (Index j = begin; j < end; ++j) {
      if (!reading.scored(j)) continue;
      attended += reading.attended(j) ? 1 : 0;
      ++read.count;
      read.sum += exact.s[j];
      read.magnitude += std::abs(exact.s[j]);
      read.radius += exact.rho[j];
      if (!reading.attended(j)) left_out.add(exact, j);
    }
    if (attended == count) return;
    LogSum z = left_out.sum();
    if (read.count < count) z = sum_of(z, unread_sum(block_scores(q, summary, count), count, read));
    const double d_v = static_cast<double>(row.answer->o.size());
    const double reach = distance(summary.values.centre, row.answer->o) + summary.values.radius;
    blocks.push_back({z, reach * (1 + 2 * (d_v + 8) * u) + std::sqrt(d_v) * 0x1p-500 + row.arithmetic_upper()});
  });
  return blocks;
}

std::optional<NextScore> next_score(const ExactProfile& profile, const PathJudgement& row) {
  const ExactRow& exact = *row.exact;
  NextScore next;
  next.left_out = row.tail.count;
  if (next.left_out == 0) return std::nullopt;
  while (row.split.is_kept[profile.order[next.better]]) ++next.better;
  const RowIndex first_out = profile.order[next.better];
  next.score_upper = exact.s[first_out] + exact.rho[first_out];  // rho_j holds u |s_j| too
  if (next.better == 0) return next;
  const RowIndex last_in = profile.order[next.better - 1];
  next.gap_lower = -difference_upper(next.score_upper, exact.s[last_in] - exact.rho[last_in]);
  return next;
}

}  // namespace

CertifiedPath CertifiedPath::of(const Parameters& path) {
  CertifiedPath certified;
  const PathTraits traits = PathTraits::of(path);
  if (traits.stores || traits.other_support || traits.replays) return certified;
  if (traits.has_pool && BlockRankerRegistry::instance().at(path.text("pool.rank_by")).reads_summaries)
    certified.block_size = path.integer("pool.block_size");
  if (!traits.selects) return certified;
  const SelectorKind& selector = SelectorRegistry::instance().at(path.text("select.by"));
  if (selector.reads_summaries && path.has("select.block_size"))
    certified.block_size = path.integer("select.block_size");
  certified.scores_candidates = selector.is_oracle;
  certified.takes_best_scores = selector.name == "main" && !traits.has_pool;
  return certified;
}

ReadRow read_row(const ExactProfile& profile, const PathJudgement& row, const CertifiedPath& path,
                 const BlockSummaries* summaries) {
  for (Index j = row.exact->cached(); j < row.exact->visible; ++j)
    LACUNA_ASSERT(row.split.is_kept[j]);  // no summary knows a local row
  ReadRow read{attended_sum(row), {}};
  if (summaries != nullptr) {
    read.unread = unread_blocks(profile, row, *summaries, Reading(row, path.scores_candidates));
    if (!read.unread.empty())
      read.summary_bytes = summary_bytes(*profile.problem, *path.block_size, row.exact->cached());
  }
  if (path.takes_best_scores) read.next = next_score(profile, row);
  return read;
}

}  // namespace lacuna
