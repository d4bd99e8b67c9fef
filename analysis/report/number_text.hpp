// Numbers as people read them. What a figure's data holds is exact; these are for labels and sentences.
#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// Three significant digits: 0.0437, 1.29e-05, 1,293, "none" for NaN.
std::string brief_number(double x);
/// Binary units: 323 KiB.
std::string brief_bytes(double count);
/// A count in binary units: 512, 128 Ki, 1 Mi.
std::string brief_binary(double count);
/// Up to two decimals, with commas: 3,514.25.
std::string long_number(double x);
/// "12.3 %"
std::string percent(double share);
/// A power of ten as people write it: 0.01, 1, 1,000, 10⁻⁶.
std::string power_of_ten(int exponent);
/// & < > " as entities.
std::string escape_markup(std::string_view text);
/// A coordinate of a drawing: one decimal, no trailing zero.
std::string coordinate(double x);
/// "1 row", "2 rows"
std::string counted(long long count, std::string_view one);

}  // namespace lacuna
