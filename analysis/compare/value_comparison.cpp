#include "analysis/compare/value_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"

namespace lacuna {

template <class T>
void ValueComparison::note_difference(std::int64_t place, T a, T b, double size) {
  if (!(size > worst_size_)) return;
  worst_size_ = size;
  worst_ = place;
  worst_values_ = fmt::format("{} against {}", a, b);
}

void ValueComparison::add(std::span<const double> a, std::span<const double> b) {
  LACUNA_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int64_t place = values_ + static_cast<std::int64_t>(i);
    if (std::isfinite(a[i]) && std::isfinite(b[i])) {
      const double larger = std::max(std::abs(a[i]), std::abs(b[i]));
      const double difference = std::abs(a[i] - b[i]);
      if (difference <= tolerance_.absolute + tolerance_.relative * larger) continue;
      ++differing_;
      if (not_finite_ == 0) note_difference(place, a[i], b[i], difference / larger);
    } else if (!(a[i] == b[i]) && !(std::isnan(a[i]) && std::isnan(b[i]))) {
      ++not_finite_;
      note_difference(place, a[i], b[i], std::numeric_limits<double>::infinity());
    }
  }
  values_ += static_cast<std::int64_t>(a.size());
}

void ValueComparison::add(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  LACUNA_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    ++differing_;
    const double first = static_cast<double>(a[i]);
    const double second = static_cast<double>(b[i]);
    note_difference(values_ + static_cast<std::int64_t>(i), a[i], b[i],
                    std::abs(first - second) / std::max(std::abs(first), std::abs(second)));
  }
  values_ += static_cast<std::int64_t>(a.size());
}

}  // namespace lacuna
