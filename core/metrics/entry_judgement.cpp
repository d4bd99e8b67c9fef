#include "core/metrics/entry_judgement.hpp"

#include <algorithm>

namespace lacuna {
namespace {

constexpr double u = kUnitRoundoff;

/// Entries and local rows, one after the other, with the channel of the offset.
struct AttendedRows {
  Index count = 0;
  std::vector<double> k;  // [count, d_qk + 1]
  std::vector<double> v;  // [count, d_v]

  void add(const Rows& keys, const Rows& values, Index begin, Index end, double offset_channel) {
    count += end - begin;
    const auto append = [&](const Rows& rows, Index j, std::vector<double>& to) {
      rows.visit([&](const auto& from) { to.insert(to.end(), from.row(j), from.row(j) + from.width); });
    };
    for (Index j = begin; j < end; ++j) {
      append(keys, j, k);
      k.push_back(offset_channel);
      append(values, j, v);
    }
  }
};

AttendedRows attended_rows(const AttentionProblem& problem, const std::vector<RegionCache::Part>& parts, Index kv_head,
                           const SeenRows& seen, double scale) {
  AttendedRows rows;
  for (const RegionCache::Part& part : parts)
    if (part.end > part.begin)
      rows.add(part.layer->keys(kv_head), part.layer->values(kv_head), part.begin, part.end, part.score_offset / scale);
  if (seen.local > 0)
    rows.add(problem.local_keys(kv_head), problem.local_values(kv_head), seen.local_begin,
             seen.local_begin + seen.local, 0);
  return rows;
}

}  // namespace

PathJudgement judge_entries(const AttentionProblem& problem, const PathTraits& traits, const ExactRow& exact,
                            const std::vector<RowIndex>& exact_order, const PathRow& answer, const RegionCache* regions,
                            Index head, Index query) {
  const Index d_qk = problem.d_qk();
  const Index d_v = problem.d_v();
  PathJudgement judgement{&problem,     &traits,       &exact,        &answer,
                          &exact_order, RowSplit(d_v), PartSums(d_v), PartSums(d_v)};
  const auto check_arithmetic = [&](const ExactRow& attended, Index rows) {
    judgement.arithmetic_error = distance(attended.o, answer.o);
    judgement.arithmetic_radius = plain_double_radius(attended, problem.sm_scale, d_qk + 1, rows);
  };
  if (regions == nullptr) {
    check_arithmetic(exact, exact.visible);
    return judgement;
  }

  const SeenRows seen = problem.seen(problem.query_position[query]);
  const std::vector<RegionCache::Part> parts = regions->parts(problem, seen.cached);
  // with a scale of 0 every q.k counts for nothing: a query of 0 says the same under a scale of 1
  const double scale = problem.sm_scale == 0 ? 1 : problem.sm_scale;
  AttendedRows rows = attended_rows(problem, parts, problem.kv_head_of(head), seen, scale);
  std::vector<double> q(d_qk + 1, 1.0);
  for (Index c = 0; c < d_qk; ++c) q[c] = problem.sm_scale == 0 ? 0 : problem.queries(head).at(query, c);
  const ExactRow attended =
      exact_row(Tensor(1, 1, d_qk + 1, std::move(q))[0], 0, Tensor(1, rows.count, d_qk + 1, std::move(rows.k))[0],
                Tensor(1, rows.count, d_v, std::move(rows.v))[0], rows.count, scale, problem.sink(head));

  double offset = 0;
  for (const RegionCache::Part& part : parts) offset = std::max(offset, part.score_offset);
  const double error = distance(exact.o, attended.o);
  const double radius = exact.error_radius + attended.error_radius + 1.01 * 3 * u * offset * attended.centred_radius +
                        (static_cast<double>(d_v) + 2) * u * error;
  judgement.output_error = {error, radius};
  check_arithmetic(attended, rows.count);
  return judgement;
}

}  // namespace lacuna
