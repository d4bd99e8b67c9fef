#include "experiments/harness/sweep_dimensions.hpp"

#include <algorithm>

namespace lacuna {
namespace {

template <class T>
bool all_hold(const std::vector<ParameterValue>& values) {
  return std::all_of(values.begin(), values.end(), [](const auto& v) { return std::holds_alternative<T>(v); });
}

/// Whole numbers, real numbers, or text: also for booleans, and where counts and fractions stand in one list.
Dimension::Coordinate coordinate(const std::vector<ParameterValue>& values) {
  if (all_hold<std::int64_t>(values)) {
    std::vector<std::int64_t> result;
    for (const auto& value : values) result.push_back(std::get<std::int64_t>(value));
    return result;
  }
  if (all_hold<double>(values)) {
    std::vector<double> result;
    for (const auto& value : values) result.push_back(std::get<double>(value));
    return result;
  }
  std::vector<std::string> result;
  for (const auto& value : values) result.push_back(to_string(value));
  return result;
}

}  // namespace

std::vector<Dimension> sweep_dimensions(const Sweep& sweep) {
  std::vector<Dimension> dimensions;
  for (const Axis& axis : sweep.axes) {
    const Axis::Coordinate& first = axis.coordinates.front();
    dimensions.push_back({first.name, coordinate(first.values), first.unit, first.sentence});
  }
  return dimensions;
}

void write_zipped_coordinates(ResultsGroup& group, const Axis& axis) {
  for (std::size_t i = 1; i < axis.coordinates.size(); ++i) {
    const Axis::Coordinate& zipped = axis.coordinates[i];
    VariableSpec spec{zipped.name, VariableType::f64, {axis.name()}, zipped.unit, zipped.sentence, {}};
    std::visit(
        [&]<class T>(const std::vector<T>& values) {
          if constexpr (std::is_same_v<T, std::int64_t>) spec.type = VariableType::i64;
          group.label(spec, std::span<const T>(values));
        },
        coordinate(zipped.values));
  }
}

}  // namespace lacuna
