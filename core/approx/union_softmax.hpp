// One softmax over a union of rows that lie in several places, the sink in its denominator.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "core/approx/key_set.hpp"
#include "core/attention/rows.hpp"
#include "kernels/kernels.hpp"

namespace lacuna {

class UnionSoftmax {
 public:
  /// Sums into `o`, which becomes [d_v] zeros and lives as long.
  UnionSoftmax(const kernels::Backend& backend, Index d_v, std::vector<double>& o) : backend_(backend) {
    o.assign(d_v, 0.0);
    partial_ = {-std::numeric_limits<double>::infinity(), 0.0, o.data(), d_v};
  }

  /// Adds the listed rows, numbered from row `first` of `values`, with their scores s[row].
  void add(const Rows& values, Index first, const std::vector<double>& s, const KeySet& listed) {
    values.visit([&]<class T>(const TypedRows<T>& v) {
      kernels::AttendParams<T> params;
      params.s = s.data();
      params.index = listed.data();
      params.v = v.row(first);
      params.n = static_cast<Index>(listed.size());
      params.d_v = partial_.d_v;
      params.v_stride = v.stride;
      backend_.attend(params, partial_);
    });
  }

  /// Divides o by the sum of the weights and returns its log-sum-exp.
  double normalize(std::optional<double> sink_logit) {
    if (sink_logit) kernels::merge_sink(partial_, *sink_logit);
    return kernels::normalize(partial_);
  }

 private:
  const kernels::Backend& backend_;
  kernels::PartialSoftmax partial_;
};

}  // namespace lacuna
