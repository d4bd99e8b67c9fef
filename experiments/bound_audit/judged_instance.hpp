// An instance answered and judged, as attention_error answers and judges a row.
#pragma once

#include <memory>
#include <optional>

#include "core/certificates/read_row.hpp"
#include "core/metrics/metric.hpp"
#include "experiments/bound_audit/instance.hpp"

namespace lacuna {

class JudgedInstance {
 public:
  explicit JudgedInstance(const AuditInstance& instance);
  JudgedInstance(const JudgedInstance&) = delete;
  JudgedInstance& operator=(const JudgedInstance&) = delete;

  const PathJudgement& judgement() const { return *judgement_; }
  /// What the path read of the cache, with the summaries of the instance's blocks and the best score left out.
  ReadRow read() const;

 private:
  PathRow answer() const;

  const AuditInstance& instance_;
  AttentionProblem problem_;
  PathTraits traits_;
  std::unique_ptr<StoredCache> stored_;
  ExactRow exact_;
  ExactProfile profile_;
  PathRow answer_;
  ValueBalls balls_;
  std::optional<PathJudgement> judgement_;
};

}  // namespace lacuna
