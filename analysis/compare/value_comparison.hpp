// The same quantity in two files, value by value. A block at a time, so that a dataset need not fit into memory.
//
//   both NaN, or the same infinity                      equal
//   one NaN, or one infinite, or opposite infinities    differ, whatever the tolerances; such places come first
//   otherwise                                           equal iff |a - b| <= atol + rtol max(|a|, |b|)              (1)
//
// (1) is relative at any size: 1e-20 and 2e-20 differ at rtol = 1e-6 and atol = 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lacuna {

struct Tolerance {
  double relative = 1e-6;
  double absolute = 0;
};

class ValueComparison {
 public:
  explicit ValueComparison(const Tolerance& tolerance) : tolerance_(tolerance) {}

  /// The next values of both, as many as each other.
  void add(std::span<const double> a, std::span<const double> b);
  /// The same for integers, which must be equal.
  void add(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

  bool equal() const { return not_finite_ + differing_ == 0; }
  std::int64_t values() const { return values_; }
  /// Places where only one is NaN, or an infinity is not matched.
  std::int64_t not_finite() const { return not_finite_; }
  /// Other places that differ.
  std::int64_t differing() const { return differing_; }

  /// The place to show: the first that is not finite, else the one with the largest |a - b| / max(|a|, |b|); a
  /// row-major number among all values. -1 while all are equal.
  std::int64_t worst() const { return worst_; }
  /// "1e-20 against 2e-20"
  std::string worst_values() const { return worst_values_; }

 private:
  template <class T>
  void note_difference(std::int64_t place, T a, T b, double size);

  Tolerance tolerance_;
  std::int64_t values_ = 0;
  std::int64_t not_finite_ = 0;
  std::int64_t differing_ = 0;
  std::int64_t worst_ = -1;
  double worst_size_ = -1;
  std::string worst_values_;
};

}  // namespace lacuna
