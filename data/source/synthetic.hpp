// What the synthetic sources have in common: their extent, where the queries stand, and f32 rows filled one at a time
// from counter-based random numbers, so that a million keys need no second copy.
#pragma once

#include <memory>
#include <vector>

#include "core/base/rng.hpp"
#include "data/problem_source.hpp"

namespace lacuna {

/// "n", "queries", "sequences", "layers", "heads", "kv_heads", "d_qk", "d_v", "shared_kv", "sink_logit", "score_std".
std::vector<ParameterSpec> synthetic_parameters();

/// Which of them do not go together.
std::vector<ParameterFault> check_synthetic(const Parameters& source);

/// The sequence, layer and (KV) head that a row belongs to.
struct SyntheticPlace {
  std::uint64_t seed = 0;
  Index sequence = 0;
  Index layer = 0;
  Index head = 0;

  /// Numbers of this place for one purpose.
  CounterRng rng(std::string_view purpose) const;
};

/// Queries stand at ((i + 1) n / queries) - 1, the last one at n - 1. `score_std` is the standard deviation of the
/// scores of N(0, I) queries and keys: sm_scale = score_std / sqrt(d_qk).
class SyntheticSource : public ProblemSource {
 public:
  /// ParameterError where parameters do not go together.
  SyntheticSource(const Parameters& parameters, std::uint64_t seed);
  const SourceShape& shape() const final { return shape_; }
  AttentionProblem load(Index sequence, Index layer) const final;

 protected:
  /// Fills one row, [d_qk] or [d_v]. `place.head` is the KV head; `head` the query head of a query row.
  virtual void fill_query(const SyntheticPlace& place, Index head, Index query, float* row) const;
  virtual void fill_key(const SyntheticPlace& place, Index key, float* row) const;
  virtual void fill_value(const SyntheticPlace& place, Index key, float* row) const;

  double sm_scale() const { return sm_scale_; }
  Index keys() const { return shape_.keys; }
  Index d_qk() const { return shape_.d_qk; }
  Index d_v() const { return shape_.d_v; }

 private:
  std::uint64_t seed_;
  SourceShape shape_;
  Index kv_heads_;
  bool shared_kv_;
  std::vector<double> sink_logit_;
  double sm_scale_;
};

/// row[c] = independent N(0, 1), the same numbers for the same (rng, index)
void fill_normal(const CounterRng& rng, Index index, Index width, float* row);

/// The factory that a source kind registers.
template <class Source>
std::function<std::unique_ptr<ProblemSource>(const Parameters&, std::uint64_t)> opens() {
  return [](const Parameters& parameters, std::uint64_t seed) { return std::make_unique<Source>(parameters, seed); };
}

}  // namespace lacuna
