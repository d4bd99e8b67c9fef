#include "core/base/parameter.hpp"

#include <fmt/ranges.h>

namespace lacuna {

std::string to_string(const ParameterValue& value) {
  struct Visitor {
    std::string operator()(std::int64_t x) const { return fmt::format("{}", x); }
    std::string operator()(double x) const {
      std::string text = fmt::format("{}", x);
      return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
    }
    std::string operator()(bool x) const { return x ? "true" : "false"; }
    std::string operator()(const std::string& x) const { return x; }
    std::string operator()(const std::vector<std::int64_t>& x) const { return fmt::format("[{}]", fmt::join(x, ", ")); }
    std::string operator()(const std::vector<std::string>& x) const {
      return x.size() == 1 ? x.front() : fmt::format("[{}]", fmt::join(x, ", "));
    }
  };
  return std::visit(Visitor{}, value);
}

}  // namespace lacuna
