#include "core/base/parameter.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace lacuna {
namespace {

std::string messages(const std::vector<ParameterFault>& faults) {
  std::string text;
  for (const ParameterFault& fault : faults) text += (text.empty() ? "" : "\n") + fault.message;
  return text;
}

ExitCode least_code(const std::vector<ParameterFault>& faults) {
  LACUNA_ASSERT(!faults.empty());
  return std::ranges::min_element(faults, {}, &ParameterFault::code)->code;
}

}  // namespace

ParameterError::ParameterError(std::vector<ParameterFault> faults)
    : Error(least_code(faults), messages(faults)), faults_(std::move(faults)) {}

void require_no_faults(std::vector<ParameterFault> faults) {
  if (!faults.empty()) throw ParameterError(std::move(faults));
}

std::vector<ParameterFault> faults_of(const Error& error, const std::string& key) {
  if (const auto* known = dynamic_cast<const ParameterError*>(&error)) return known->faults();
  return {{key, error.what(), error.code()}};
}

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
