// A backend that checks what it is given against the contract in kernels/params.hpp, then passes it on.
#pragma once

#include <cmath>
#include <set>
#include <string>

#include "kernels/kernels.hpp"

namespace lacuna::testing_core {

class CheckingBackend final : public kernels::Backend {
 public:
  std::string_view name() const override { return "checking"; }
  /// Each breach once.
  const std::set<std::string>& breaches() const { return breaches_; }

  void score(const kernels::ScoreParams<float>& params) const override { kernels::plain_backend().score(params); }
  void score(const kernels::ScoreParams<double>& params) const override { kernels::plain_backend().score(params); }
  void index_score(const kernels::IndexScoreParams<float>& params) const override {
    kernels::plain_backend().index_score(params);
  }
  void index_score(const kernels::IndexScoreParams<double>& params) const override {
    kernels::plain_backend().index_score(params);
  }
  void attend(const kernels::AttendParams<float>& params, kernels::PartialSoftmax& partial) const override {
    check_list(params);
    kernels::plain_backend().attend(params, partial);
  }
  void attend(const kernels::AttendParams<double>& params, kernels::PartialSoftmax& partial) const override {
    check_list(params);
    kernels::plain_backend().attend(params, partial);
  }
  kernels::TopKResult top_k(const kernels::TopKParams& params) const override {
    for (kernels::Index i = 0; i < params.n; ++i) check_score(params.s[i], "top_k");
    if (params.k < 0) breaches_.insert("top_k: negative k");
    return kernels::plain_backend().top_k(params);
  }
  void block_max(const kernels::BlockMaxParams& params) const override {
    for (kernels::Index i = 0; i < params.n; ++i) check_score(params.s[i], "block_max");
    if (params.block_size < 1) breaches_.insert("block_max: block size below 1");
    kernels::plain_backend().block_max(params);
  }

 private:
  /// "A score is a number or -inf, never NaN or +inf."
  void check_score(double s, const std::string& where) const {
    if (std::isnan(s)) breaches_.insert(where + ": a score is NaN");
    if (s == std::numeric_limits<double>::infinity()) breaches_.insert(where + ": a score is +inf");
  }
  template <class T>
  void check_list(const kernels::AttendParams<T>& params) const {
    std::set<kernels::RowIndex> seen;
    for (kernels::Index i = 0; i < params.n; ++i) {
      if (!seen.insert(params.index[i]).second) breaches_.insert("attend: a row is listed twice");
      check_score(params.s[params.index[i]], "attend");
    }
  }

  mutable std::set<std::string> breaches_;
};

}  // namespace lacuna::testing_core
