// Why two runs are not the same one, in words.
#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// Of two texts with a line "key = value" for each fact, the first line that differs:
/// "path.top_k.select.k = 64 there, 32 here".
std::string run_difference(std::string_view there, std::string_view here);

}  // namespace lacuna
