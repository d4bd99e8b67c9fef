// Groups of a results file: dimension scales, labels, texts and attributes.
#include <algorithm>
#include <limits>

#include "core/base/error.hpp"
#include "data/hdf5/attribute.hpp"
#include "data/hdf5/dimension_scale.hpp"
#include "experiments/harness/results_file_state.hpp"

namespace lacuna {
namespace {

bool is_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

void write_attribute(const hdf5::Handle& object, const std::string& name, const AttributeValue& value) {
  struct Visitor {
    const hdf5::Handle& object;
    const std::string& name;
    void operator()(const std::string& text) const { hdf5::write_attribute(object, name, std::string_view(text)); }
    void operator()(std::int64_t number) const { hdf5::write_attribute(object, name, number); }
    void operator()(double number) const { hdf5::write_attribute(object, name, number); }
    void operator()(const std::vector<std::int64_t>& list) const {
      hdf5::write_attribute(object, name, std::span<const std::int64_t>(list));
    }
    void operator()(const std::vector<double>& list) const {
      hdf5::write_attribute(object, name, std::span<const double>(list));
    }
    void operator()(const std::vector<std::string>& list) const {
      hdf5::write_attribute(object, name, std::span<const std::string>(list));
    }
  };
  std::visit(Visitor{object, name}, value);
}

/// Flags must have their variable's own type (CF conventions, 3.5).
bool is_list_of_flags(const std::string& name) { return name == "flag_values" || name == "flag_masks"; }

void write_flags(const hdf5::Handle& object, const std::string& name, const AttributeValue& value) {
  std::vector<std::uint8_t> flags;
  for (const std::int64_t flag : std::get<std::vector<std::int64_t>>(value)) {
    LACUNA_ASSERT(flag >= 0 && flag <= std::numeric_limits<std::uint8_t>::max());
    flags.push_back(static_cast<std::uint8_t>(flag));
  }
  hdf5::write_attribute(object, name, std::span<const std::uint8_t>(flags));
}

}  // namespace

std::int64_t Dimension::size() const {
  return std::visit([](const auto& list) { return static_cast<std::int64_t>(list.size()); }, values);
}

std::string ResultsGroup::State::path_of(std::string_view name) const {
  return path == "/" ? fmt::format("/{}", name) : fmt::format("{}/{}", path, name);
}

std::vector<std::int64_t> ResultsGroup::State::extents_of(const VariableSpec& spec) const {
  std::vector<std::int64_t> extents;
  for (const std::string& dimension : spec.dimensions) {
    const auto scale = scales.find(dimension);
    LACUNA_ASSERT(scale != scales.end());
    extents.push_back(scale->second.size);
  }
  return extents;
}

void ResultsGroup::State::describe(const hdf5::Handle& dataset, const VariableSpec& spec) const {
  for (std::size_t axis = 0; axis < spec.dimensions.size(); ++axis)
    hdf5::attach_scale(dataset, scales.find(spec.dimensions[axis])->second.dataset, static_cast<unsigned>(axis),
                       path_of(spec.name));
  hdf5::write_attribute(dataset, "long_name", std::string_view(spec.long_name));
  hdf5::write_attribute(dataset, "units", std::string_view(spec.units));
  for (const auto& [name, value] : spec.attributes) {
    if (spec.type == VariableType::u8 && is_list_of_flags(name))
      write_flags(dataset, name, value);
    else
      write_attribute(dataset, name, value);
  }
}

hdf5::Handle ResultsGroup::State::create(const VariableSpec& spec, const std::vector<std::int64_t>& chunk,
                                         bool deflate) {
  // netCDF takes a variable named like a dimension for that dimension's coordinate
  LACUNA_ASSERT(is_name(spec.name) && !scales.contains(spec.name));
  hdf5::Handle dataset = hdf5::create_dataset(
      group, spec.name,
      {.type = number_type(spec.type), .extents = extents_of(spec), .chunk = chunk, .deflate = deflate});
  if (spec.type == VariableType::f64)
    hdf5::write_attribute(dataset, "_FillValue", std::numeric_limits<double>::quiet_NaN());
  describe(dataset, spec);
  return dataset;
}

void ResultsGroup::State::write_scale(const Dimension& dimension) {
  const std::string& name = dimension.name;
  const std::int64_t size = dimension.size();
  hdf5::Handle dataset;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&dimension.values)) {
    dataset = hdf5::create_texts(group, name, std::span(&size, 1), *texts);
  } else {
    const auto* integers = std::get_if<std::vector<std::int64_t>>(&dimension.values);
    const hdf5::NumberType type = integers != nullptr ? hdf5::NumberType::i64 : hdf5::NumberType::f64;
    dataset = hdf5::create_dataset(group, name, {.type = type, .extents = {size}, .chunk = {}});
    const void* values = integers != nullptr ? static_cast<const void*>(integers->data())
                                             : std::get<std::vector<double>>(dimension.values).data();
    if (size > 0) hdf5::write_all(dataset, path_of(name), type, values);
  }
  hdf5::make_scale(dataset, name);
  hdf5::write_attribute(dataset, "long_name", std::string_view(dimension.long_name));
  hdf5::write_attribute(dataset, "units", std::string_view(dimension.units));
  scales.emplace(name, Scale{std::move(dataset), size});
}

void ResultsGroup::State::write_label(const VariableSpec& spec, hdf5::NumberType type, const void* values,
                                      std::size_t size) {
  const std::vector<std::int64_t> extents = extents_of(spec);
  LACUNA_ASSERT(group.is_open() && number_type(spec.type) == type);
  LACUNA_ASSERT(cells_of(extents) == static_cast<std::int64_t>(size));
  file->attempt([&] {
    hdf5::Handle dataset = create(spec, fitted_chunk(extents, extents, hdf5::bytes_of(type)), false);
    if (size > 0) hdf5::write_all(dataset, path_of(spec.name), type, values);
    dataset.close(path_of(spec.name));
  });
}

void ResultsGroup::dimension(const Dimension& dimension) {
  LACUNA_ASSERT(state_->group.is_open() && is_name(dimension.name) && !state_->scales.contains(dimension.name));
  state_->file->attempt([&] { state_->write_scale(dimension); });
}

ResultsVariable ResultsGroup::variable(const VariableSpec& spec, std::span<const std::int64_t> chunk) {
  LACUNA_ASSERT(state_->group.is_open());
  ResultsVariable variable;
  variable.state_ = std::make_shared<ResultsVariable::State>();
  ResultsVariable::State& state = *variable.state_;
  state.file = state_->file;
  state.path = state_->path_of(spec.name);
  state.type = number_type(spec.type);
  state.extents = state_->extents_of(spec);
  state.chunk = fitted_chunk(chunk, state.extents, hdf5::bytes_of(state.type));
  state.deflate = state_->file->compression == Compression::deflate;
  state.dataset = state_->file->attempt([&] { return state_->create(spec, state.chunk, state.deflate); });
  state_->file->variables.push_back(variable.state_);
  return variable;
}

void ResultsGroup::label(const VariableSpec& spec, std::span<const std::int64_t> values) {
  state_->write_label(spec, hdf5::NumberType::i64, values.data(), values.size());
}

void ResultsGroup::label(const VariableSpec& spec, std::span<const double> values) {
  state_->write_label(spec, hdf5::NumberType::f64, values.data(), values.size());
}

void ResultsGroup::label(const VariableSpec& spec, std::span<const std::string> values) {
  LACUNA_ASSERT(state_->group.is_open() && is_name(spec.name) && !state_->scales.contains(spec.name));
  const std::vector<std::int64_t> extents = state_->extents_of(spec);
  LACUNA_ASSERT(cells_of(extents) == static_cast<std::int64_t>(values.size()));
  state_->file->attempt([&] {
    hdf5::Handle dataset = hdf5::create_texts(state_->group, spec.name, extents, values);
    state_->describe(dataset, spec);
    dataset.close(state_->path_of(spec.name));
  });
}

void ResultsGroup::text(std::string_view name, std::string_view value) {
  LACUNA_ASSERT(state_->group.is_open() && is_name(name));
  const std::string text(value);
  state_->file->attempt([&] {
    hdf5::Handle dataset = hdf5::create_texts(state_->group, std::string(name), {}, std::span(&text, 1));
    dataset.close(state_->path_of(name));
  });
}

void ResultsGroup::attribute(std::string_view name, const AttributeValue& value) {
  LACUNA_ASSERT(state_->group.is_open());
  state_->file->attempt([&] { write_attribute(state_->group, std::string(name), value); });
}

}  // namespace lacuna
