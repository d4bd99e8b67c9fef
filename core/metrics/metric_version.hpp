// The version of what the recorded numbers mean. Raised with any change of a metric's or bound's definition; results of
// different versions are not comparable.
#pragma once

namespace lacuna {

inline constexpr int kMetricVersion = 1;

}  // namespace lacuna
