// Twelve pairs whose statistics were computed by scipy 1.17.1.
#pragma once

#include <vector>

namespace lacuna {

inline const std::vector<double> kSampleX = {2.1, -0.4, 0.9, 3.7, 1.2, 0.3, -1.5, 2.8, 0.6, 1.1, 5.9, 0.2};
inline const std::vector<double> kSampleY = {1.0, 0.5, 0.5, 3.0, 2.0, -1.0, 0.0, 2.5, 0.5, 1.5, 2.5, 0.1};

}  // namespace lacuna
