// Exact fractions of 64-bit integers. A result that does not fit is an InternalError, never a wrapped number.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>

#include "core/base/error.hpp"

namespace lacuna {

/// Always in lowest terms with a positive denominator, so that equal numbers are equal member by member.
class Rational {
 public:
  using Integer = std::int64_t;

  constexpr Rational(Integer whole = 0) : numerator_(whole) {}
  Rational(Integer numerator, Integer denominator) : numerator_(numerator), denominator_(denominator) {
    LACUNA_ASSERT(denominator > 0);
    const Integer common = std::gcd(numerator_, denominator_);
    numerator_ /= common;
    denominator_ /= common;
  }

  Integer numerator() const { return numerator_; }
  Integer denominator() const { return denominator_; }
  bool is_whole() const { return denominator_ == 1; }
  double value() const { return static_cast<double>(numerator_) / static_cast<double>(denominator_); }
  bool operator==(const Rational&) const = default;

  friend Rational operator+(const Rational& a, const Rational& b) {
    return {add(multiply(a.numerator_, b.denominator_), multiply(b.numerator_, a.denominator_)),
            multiply(a.denominator_, b.denominator_)};
  }
  /// Reduced across before it is multiplied, so that only a product that does not fit overflows.
  friend Rational operator*(const Rational& a, const Rational& b) {
    const Rational left(a.numerator_, b.denominator_);
    const Rational right(b.numerator_, a.denominator_);
    return {multiply(left.numerator_, right.numerator_), multiply(left.denominator_, right.denominator_)};
  }
  Rational& operator+=(const Rational& other) { return *this = *this + other; }

 private:
  static Integer multiply(Integer a, Integer b) {
    Integer product = 0;
    LACUNA_ASSERT(!__builtin_mul_overflow(a, b, &product));
    return product;
  }
  static Integer add(Integer a, Integer b) {
    Integer sum = 0;
    LACUNA_ASSERT(!__builtin_add_overflow(a, b, &sum));
    return sum;
  }

  Integer numerator_ = 0;
  Integer denominator_ = 1;
};

/// "14057/4", "890".
inline std::string to_string(const Rational& number) {
  return number.is_whole() ? fmt::format("{}", number.numerator())
                           : fmt::format("{}/{}", number.numerator(), number.denominator());
}

}  // namespace lacuna
