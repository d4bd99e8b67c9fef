// Problems whose last rows are local ones, beside the same problem with all rows in the cache.
#pragma once

#include <limits>

#include "support/judged_row.hpp"
#include "support/problem_builder.hpp"
#include "support/random_shapes.hpp"

namespace lacuna::testing_core {

inline constexpr Index kOlderTokens = 3;  // tokens before the window, poisoned

/// One query that sees every row of `raw`; the last `local` rows become local ones.
inline AttentionProblem with_local(const RawProblem& raw, Index local) {
  RawProblem cached = raw;
  cached.n = raw.n - local;
  const auto take = [&](const std::vector<double>& rows, Index width, bool of_cache) {
    std::vector<double> result;
    for (Index kv_head = 0; kv_head < raw.h_kv; ++kv_head) {
      const double* first = rows.data() + kv_head * raw.n * width;
      if (!of_cache) result.insert(result.end(), kOlderTokens * width, std::numeric_limits<double>::quiet_NaN());
      if (of_cache)
        result.insert(result.end(), first, first + cached.n * width);
      else
        result.insert(result.end(), first + cached.n * width, first + raw.n * width);
    }
    return result;
  };
  cached.k = take(raw.k, raw.d_qk, true);
  if (!raw.v.empty()) cached.v = take(raw.v, raw.d_v, true);
  const Index tokens = kOlderTokens + local;
  cached.key_position.assign(cached.n, 0);  // entries that are complete at once
  cached.query_position = {tokens - 1};
  AttentionProblem problem = cached.build();
  if (!raw.v.empty() && cached.n == 0)
    problem.v = raw.is_double ? Tensor(raw.h_kv, 0, raw.d_v, std::vector<double>())
                              : Tensor(raw.h_kv, 0, raw.d_v, std::vector<float>());
  const auto tensor = [&](const std::vector<double>& rows, Index width) {
    const std::vector<double> numbers = take(rows, width, false);
    if (raw.is_double) return Tensor(raw.h_kv, tokens, width, numbers);
    return Tensor(raw.h_kv, tokens, width, std::vector<float>(numbers.begin(), numbers.end()));
  };
  problem.local.k = tensor(raw.k, raw.d_qk);
  if (!raw.v.empty()) problem.local.v = tensor(raw.v, raw.d_v);
  problem.local.window = local;
  return problem;
}

inline ProblemShape one_query(std::uint64_t seed) {
  ProblemShape shape = random_shape(seed, 40, 6);
  shape.s_q = 1;
  shape.n += 4;
  return shape;
}

/// f(shape, plain, with local rows, number of local rows) over random problems.
template <class F>
void for_each_pair(F&& f) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const ProblemShape shape = one_query(seed);
    const RawProblem raw = random_problem(shape);
    Random random(seed);
    const Index local = random.integer(1, raw.n);  // all of them at times: an empty cache
    f(shape, raw.build(), with_local(raw, local), local);
  }
}

inline ExactRow exact_with_local(const AttentionProblem& problem, Index head) {
  const Index kv_head = problem.kv_head_of(head);
  const SeenRows seen = problem.seen(problem.query_position[0]);
  return exact_row(problem.queries(head), 0, problem.seen_keys(kv_head, seen), problem.seen_values(kv_head, seen),
                   seen.count(), problem.sm_scale, problem.sink(head), seen.local);
}

}  // namespace lacuna::testing_core
