// The inner loops that approximate paths use, declared once. Each backend (plain, cpu, cuda) implements the same
// signatures in a file of the same name: score, index_score, attend, top_k, block_max.
//
// plain  loops one can read; what the faster twins are compared with
// cuda   the same on a device (compiled where nvcc is present)
// The reference that judges all of them is core/reference, which shares no code with any.
#pragma once

#include <string>
#include <string_view>

#include "kernels/params.hpp"

namespace lacuna::kernels {

/// One implementation of every inner loop. A backend holds no state: any number of threads may call it.
/// score, index_score, top_k and block_max give the same bits in every backend; attend agrees up to rounding (exp and
/// the shape of its sums differ) and repeats its own bits.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;

  virtual void score(const ScoreParams<float>& params) const = 0;
  virtual void score(const ScoreParams<double>& params) const = 0;
  virtual void index_score(const IndexScoreParams<float>& params) const = 0;
  virtual void index_score(const IndexScoreParams<double>& params) const = 0;
  virtual void attend(const AttendParams<float>& params, PartialSoftmax& partial) const = 0;
  virtual void attend(const AttendParams<double>& params, PartialSoftmax& partial) const = 0;
  virtual TopKResult top_k(const TopKParams& params) const = 0;
  virtual void block_max(const BlockMaxParams& params) const = 0;
};

/// Raises the running max to m >= partial.m: l and o shrink by exp(partial.m - m). The same m changes no bit.
void rescale(PartialSoftmax& partial, double m);

/// into = into merged with from, both of one d_v. Associative up to rounding, commutative to the bit; an empty part
/// changes nothing, not even a bit.
void merge(PartialSoftmax& into, const PartialSoftmax& from);

/// Adds a sink logit: a key with value 0. A logit of -inf is no sink.
void merge_sink(PartialSoftmax& into, double sink_logit);

/// o /= l, in place; an empty partial softmax gives 0. Returns log-sum-exp = m + log l (-inf when empty).
/// What is left is the same softmax relative to its log-sum-exp (m = log-sum-exp, l = 1), so it can still be merged.
double normalize(PartialSoftmax& partial);

/// The loops one can read. Always there.
const Backend& plain_backend();

/// The CUDA twin, or nullptr with the reason in `why_not` (not built, no driver, no device). Its loops throw
/// std::runtime_error with CUDA's own words when the device fails or runs out of memory.
const Backend* cuda_backend(std::string& why_not);

}  // namespace lacuna::kernels
