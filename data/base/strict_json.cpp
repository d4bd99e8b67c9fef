#include "data/base/strict_json.hpp"

#include <set>
#include <vector>

#include "core/base/error.hpp"

namespace lacuna {

nlohmann::json parse_strict_json(const std::string& text, const std::string& what, std::size_t max_nesting) {
  using Json = nlohmann::json;
  const auto refuse = [&](const std::string& why) { return InputError(fmt::format("{}: {}", what, why)); };
  std::vector<std::set<std::string>> keys;
  const Json::parser_callback_t watch = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > static_cast<int>(max_nesting)) throw refuse("nested too deeply");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      throw refuse(fmt::format("'{}' occurs twice", value.get<std::string>()));
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {
    throw refuse(error.what());
  }
}

}  // namespace lacuna
