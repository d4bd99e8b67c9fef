#include "experiments/harness/parameter_text.hpp"

#include <fmt/format.h>

#include "experiments/harness/toml_document.hpp"

namespace lacuna {

std::string toml_value(const ParameterValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return toml_string(*text);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    std::vector<std::string> quoted;
    for (const std::string& text : *texts) quoted.push_back(toml_string(text));
    return fmt::format("[{}]", joined(quoted, ", "));
  }
  return to_string(value);
}

std::string toml_values(const std::vector<ParameterValue>& values) {
  std::vector<std::string> parts;
  for (const ParameterValue& value : values) parts.push_back(toml_value(value));
  return fmt::format("[{}]", joined(parts, ", "));
}

std::string type_name(ParameterType type) {
  switch (type) {
    case ParameterType::integer:
      return "an integer";
    case ParameterType::real:
      return "a number";
    case ParameterType::boolean:
      return "true or false";
    case ParameterType::text:
      return "a text";
    case ParameterType::count_or_fraction:
      return "a count or a fraction";
    case ParameterType::integer_list:
      return "a list of integers";
    case ParameterType::text_list:
      return "a text or a list of texts";
  }
  return {};
}

std::string range_rule(const ParameterSpec& spec) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (spec.type == ParameterType::count_or_fraction) {
    if (spec.maximum < kInfinity) return fmt::format("a count between 1 and {} or a fraction in (0, 1]", spec.maximum);
    return "a count of at least 1 or a fraction in (0, 1]";
  }
  if (spec.minimum > -kInfinity && spec.maximum < kInfinity)
    return fmt::format("between {} and {}", spec.minimum, spec.maximum);
  if (spec.minimum > -kInfinity) return fmt::format("at least {}", spec.minimum);
  if (spec.maximum < kInfinity) return fmt::format("at most {}", spec.maximum);
  return {};
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) result += separator;
    result += words[i];
  }
  return result;
}

}  // namespace lacuna
