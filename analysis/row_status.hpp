// Codes of the variable `status`, as read from a file.
#pragma once

namespace lacuna::row_status {

inline constexpr double ok = 0;
inline constexpr double not_run = 1;
inline constexpr double failed = 2;
inline constexpr double bound_violated = 3;
inline constexpr double no_visible_key = 4;
inline constexpr double below_error_radius = 5;

inline bool is_measured(double code) { return code == ok || code == bound_violated || code == below_error_radius; }

}  // namespace lacuna::row_status
