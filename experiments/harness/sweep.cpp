#include "experiments/harness/sweep.hpp"

#include <algorithm>
#include <limits>

namespace lacuna {
namespace {

/// The parameters that walk along one axis; the first names it.
using AxisParameters = std::vector<const ReadParameter*>;

std::vector<AxisParameters> own_axes(const OwnerDraft& owner) {
  std::vector<AxisParameters> axes;
  for (const ReadParameter& parameter : owner.set.parameters) {
    if (!parameter.swept) continue;
    const auto zip = std::find_if(owner.zips.begin(), owner.zips.end(), [&](const Zip& keys) {
      return std::find(keys.begin(), keys.end(), parameter.spec.key) != keys.end();
    });
    if (zip == owner.zips.end()) {
      axes.push_back({&parameter});
    } else if (zip->front() == parameter.spec.key) {
      axes.emplace_back();
      for (const std::string& key : *zip) axes.back().push_back(owner.set.find(key));
    }
  }
  return axes;
}

ParameterValue resolve_files(const ParameterSpec& spec, const ParameterValue& value,
                             const std::filesystem::path& folder) {
  if (!spec.is_path) return value;
  const auto resolve = [&](const std::string& file) { return (folder / file).lexically_normal().string(); };
  if (const auto* file = std::get_if<std::string>(&value)) return resolve(*file);
  if (const auto* files = std::get_if<std::vector<std::string>>(&value)) {
    std::vector<std::string> resolved;
    for (const std::string& file : *files) resolved.push_back(resolve(file));
    return resolved;
  }
  return value;
}

Axis make_axis(const AxisParameters& parameters, const std::string& prefix) {
  Axis axis;
  for (const ReadParameter* parameter : parameters)
    axis.coordinates.push_back({.name = prefix + dimension_name(parameter->spec.key),
                                .unit = parameter->spec.unit,
                                .sentence = parameter->spec.sentence,
                                .values = parameter->values});
  return axis;
}

std::vector<Axis> inherited_axes(const ReferencedSweep& referenced) {
  if (referenced.sweep == nullptr) return {};
  std::vector<Axis> axes = referenced.sweep->axes;
  for (Axis& axis : axes)
    for (Axis::Coordinate& coordinate : axis.coordinates) coordinate.name = referenced.name + "_" + coordinate.name;
  return axes;
}

}  // namespace

std::vector<std::int64_t> axis_sizes(const OwnerDraft& owner) {
  std::vector<std::int64_t> sizes;
  for (const AxisParameters& axis : own_axes(owner))
    sizes.push_back(static_cast<std::int64_t>(axis.front()->values.size()));
  return sizes;
}

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  std::int64_t result = 1;
  for (const std::int64_t size : sizes) {
    if (size > 0 && result > kLargest / size) return kLargest;
    result *= size;
  }
  return result;
}

Sweep make_sweep(const OwnerDraft& owner, const std::string& prefix, const std::filesystem::path& folder,
                 const ReferencedSweep& referenced) {
  Sweep sweep;
  sweep.axes = inherited_axes(referenced);
  const std::vector<AxisParameters> axes = own_axes(owner);
  for (const AxisParameters& axis : axes) sweep.axes.push_back(make_axis(axis, prefix));

  const bool is_path = !owner.name.empty();
  for (const ReadParameter& parameter : owner.set.parameters) {
    const bool names_the_path = is_path && parameter.spec.key == "name";
    if (!parameter.swept && !parameter.values.empty() && !names_the_path)
      sweep.fixed.set(parameter.spec.key, resolve_files(parameter.spec, parameter.values.front(), folder));
  }

  const std::int64_t own_cells = product(axis_sizes(owner));
  const std::int64_t outer_cells =
      referenced.sweep == nullptr ? 1 : static_cast<std::int64_t>(referenced.sweep->cells.size());
  sweep.cells.reserve(static_cast<std::size_t>(own_cells * outer_cells));
  for (std::int64_t outer = 0; outer < outer_cells; ++outer) {
    for (std::int64_t own = 0; own < own_cells; ++own) {
      Parameters cell = sweep.fixed;
      if (referenced.sweep != nullptr) cell.set("select.path_cell", outer);
      std::int64_t rest = own;
      for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        const auto size = static_cast<std::int64_t>(axis->front()->values.size());
        const auto place = static_cast<std::size_t>(rest % size);
        rest /= size;
        for (const ReadParameter* parameter : *axis)
          cell.set(parameter->spec.key, resolve_files(parameter->spec, parameter->values[place], folder));
      }
      sweep.cells.push_back(std::move(cell));
    }
  }
  return sweep;
}

}  // namespace lacuna
