// A judged row with everything that a PathJudgement points at.
#pragma once

#include <memory>
#include <string>

#include "core/bounds/bound.hpp"
#include "core/metrics/metric.hpp"
#include "support/problem_builder.hpp"
#include "support/wide_attention.hpp"

namespace lacuna::testing_core {

inline ExactRow exact_of(const AttentionProblem& problem, Index head, Index query) {
  const Index kv_head = problem.kv_head_of(head);
  return exact_row(problem.queries(head), query, problem.keys(kv_head), problem.values(kv_head),
                   problem.visible_keys(problem.query_position[query]), problem.sm_scale, problem.sink(head));
}

/// An answer written by the test: the keys, and the output over them as wide arithmetic has it, rounded once.
inline PathRow answer_over(const WideRow& wide, const KeySet& kept, const KeySet& reachable) {
  PathRow answer;
  answer.kept = kept;
  answer.reachable = reachable;
  answer.o = to_double(wide.output(kept));
  return answer;
}

class JudgedRow {
 public:
  JudgedRow(const AttentionProblem& problem, Index head, Index query, PathRow answer, PathTraits traits = {})
      : problem_(problem), traits_(traits), answer_(std::move(answer)), exact_(exact_of(problem, head, query)) {
    order_ = ExactProfile(problem_, head, query, exact_).order;
    const Rows values = problem_.values(problem_.kv_head_of(head));
    balls_ = ValueBalls(values);
    judgement_ =
        std::make_unique<PathJudgement>(judge_path(problem_, traits_, exact_, order_, answer_, values, balls_));
  }
  JudgedRow(const JudgedRow&) = delete;
  JudgedRow& operator=(const JudgedRow&) = delete;

  const PathJudgement& operator*() const { return *judgement_; }
  const PathJudgement* operator->() const { return judgement_.get(); }
  const ExactRow& exact() const { return exact_; }
  double metric(const std::string& name) const { return PathMetricRegistry::instance().at(name).evaluate(*judgement_); }
  double bound(const std::string& name) const { return BoundRegistry::instance().at(name).evaluate(*judgement_); }
  double smallest_bound() const {
    double smallest = std::numeric_limits<double>::infinity();
    for (const BoundKind* kind : bounds_of(traits_)) smallest = std::min(smallest, kind->evaluate(*judgement_));
    return smallest;
  }

 private:
  const AttentionProblem& problem_;
  PathTraits traits_;
  PathRow answer_;
  ExactRow exact_;
  std::vector<RowIndex> order_;
  ValueBalls balls_;
  std::unique_ptr<PathJudgement> judgement_;
};

/// A row of random shape with random kept keys.
struct RandomRow {
  AttentionProblem problem;
  WideRow wide;
  KeySet kept;
  KeySet reachable;
  bool has_pool = false;
};

inline KeySet random_subset(Random& random, const KeySet& keys, double share) {
  KeySet result;
  for (const RowIndex j : keys)
    if (random.chance(share)) result.push_back(j);
  return result;
}

/// Keeps nothing, everything, the best, the worst, or any keys; with a pool on a third of the rows.
inline void choose_keys(RandomRow& row, std::uint64_t seed) {
  Random random(seed ^ 0xABCDEF);
  const KeySet all = row.wide.all();
  row.has_pool = random.chance(0.33);
  row.reachable = row.has_pool ? random_subset(random, all, random.uniform()) : all;
  const double choice = random.uniform();
  if (choice < 0.05) {
    row.kept = {};
  } else if (choice < 0.1) {
    row.kept = row.reachable;
  } else if (choice < 0.5) {
    row.kept = random_subset(random, row.reachable, random.uniform());
  } else {
    KeySet order = row.reachable;
    const bool best = choice < 0.85;
    std::stable_sort(order.begin(), order.end(), [&](RowIndex a, RowIndex b) {
      return best ? row.wide.s[a] > row.wide.s[b] : row.wide.s[a] < row.wide.s[b];
    });
    order.resize(static_cast<std::size_t>(random.integer(0, static_cast<Index>(order.size()))));
    row.kept = order;
    std::sort(row.kept.begin(), row.kept.end());
  }
}

inline RandomRow random_row(const ProblemShape& shape) {
  RandomRow row{random_problem(shape).build(), {}, {}, {}};
  row.wide = wide_row(row.problem, 0, 0);
  choose_keys(row, shape.seed);
  return row;
}

}  // namespace lacuna::testing_core
