// JSON of files that others wrote, without what a JSON parser lets pass: keys that occur twice, and deep nesting.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace lacuna {

/// InputError "<what>: ..." for what is not JSON, for a key that occurs twice in one object and for objects and lists
/// more than `max_nesting` deep.
nlohmann::json parse_strict_json(const std::string& text, const std::string& what, std::size_t max_nesting);

}  // namespace lacuna
