#include "experiments/harness/powers_of_2.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <optional>

namespace lacuna {
namespace {

/// A power of two as a double, which holds every one of them exactly.
std::optional<double> power_of_2(const TomlNode& node) {
  if (const auto* integer = std::get_if<std::int64_t>(&node.value)) {
    if (*integer < 1 || !std::has_single_bit(static_cast<std::uint64_t>(*integer))) return std::nullopt;
    return static_cast<double>(*integer);
  }
  if (const auto* real = std::get_if<double>(&node.value)) {
    int exponent = 0;
    if (!std::isfinite(*real) || std::frexp(*real, &exponent) != 0.5) return std::nullopt;
    return *real;
  }
  return std::nullopt;
}

}  // namespace

TomlNode::Array powers_of_2(const TomlNode& ends, std::string& fault) {
  const TomlNode::Array* pair = ends.array();
  if (pair == nullptr || pair->size() != 2) {
    fault = "must be [first, last]";
    return {};
  }
  const auto first = power_of_2(pair->front());
  const auto last = power_of_2(pair->back());
  if (!first || !last) {
    fault = fmt::format("must be two powers of two, not [{}, {}]", describe(pair->front()), describe(pair->back()));
    return {};
  }
  if (*first > *last) {
    fault = fmt::format("ends before it begins: [{}, {}]", describe(pair->front()), describe(pair->back()));
    return {};
  }
  const bool integers = std::holds_alternative<std::int64_t>(pair->front().value) &&
                        std::holds_alternative<std::int64_t>(pair->back().value);
  TomlNode::Array values;
  for (double value = *first; value <= *last; value *= 2) {
    values.emplace_back().at = ends.at;
    if (integers)
      values.back().value = static_cast<std::int64_t>(value);
    else
      values.back().value = value;
  }
  return values;
}

}  // namespace lacuna
