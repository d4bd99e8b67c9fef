#include "analysis/results_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/base/file_identity.hpp"
#include "data/hdf5/attribute.hpp"
#include "data/hdf5/dataset.hpp"
#include "data/hdf5/dimension_scale.hpp"
#include "data/hdf5/error.hpp"
#include "data/hdf5/file.hpp"
#include "data/hdf5/scale_names.hpp"

namespace lacuna {
namespace {

constexpr std::size_t kLongestText = 1 << 16;  // bytes: what an attribute can hold

std::string parent_of(const std::string& name) { return name.substr(0, name.rfind('/') + 1); }

template <class T>
std::vector<T> read_as(const hdf5::Handle& dataset, const std::string& name, hdf5::NumberType type,
                       const std::vector<std::int64_t>& start, const std::vector<std::int64_t>& count) {
  std::int64_t size = 1;
  for (const std::int64_t extent : count) size *= extent;
  std::vector<T> values(static_cast<std::size_t>(size));
  hdf5::read_slab(dataset, name, type, start, count, values.data());
  return values;
}

/// Labels of a dimension scale as text.
std::vector<std::string> read_labels(const hdf5::Handle& scale, const std::string& name) {
  const std::vector<std::int64_t> extents = hdf5::extents_of(scale, name);
  if (extents.size() != 1) throw InputError(fmt::format("{} is no dimension scale", name));
  std::vector<std::string> labels(static_cast<std::size_t>(extents.front()));
  switch (hdf5::result_type_of(scale, name)) {
    case hdf5::ResultType::text:
      hdf5::read_texts(scale, name, 0, labels);
      break;
    case hdf5::ResultType::i64: {
      const auto values = read_as<std::int64_t>(scale, name, hdf5::NumberType::i64, {0}, extents);
      std::transform(values.begin(), values.end(), labels.begin(), [](auto x) { return fmt::format("{}", x); });
      break;
    }
    default: {
      const auto values = read_as<double>(scale, name, hdf5::NumberType::f64, {0}, extents);
      std::transform(values.begin(), values.end(), labels.begin(), [](auto x) { return fmt::format("{}", x); });
    }
  }
  return labels;
}

}  // namespace

struct ResultsReader::State {
  hdf5::Handle file;
};

hdf5::Handle open_results(const std::filesystem::path& file) {
  std::error_code none;
  if (!std::filesystem::exists(file, none))
    throw EnvironmentError(fmt::format("{}: there is no such file", file.string()));
  identify(file);  // a regular file
  hdf5::Handle handle;
  try {
    handle = hdf5::open_file(file.string(), hdf5::OpenMode::read, "it as HDF5");
    const auto complete = hdf5::read_number_attribute(handle, "complete");
    if (complete && *complete == 1) return handle;
  } catch (const hdf5::Hdf5Error& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  }
  throw InputError(fmt::format("{} is not a complete results file", file.string()));
}

std::vector<ReadDimension> read_dimensions(const hdf5::Handle& file, const std::string& variable) {
  const hdf5::Handle dataset = hdf5::open_dataset(file, variable);
  std::vector<ReadDimension> result;
  for (const std::string& name : hdf5::scale_names(dataset, variable)) {
    if (name.empty()) throw InputError(fmt::format("{} has a dimension without a name", variable));
    const std::string scale = parent_of(variable) + name;
    result.push_back({name, read_labels(hdf5::open_dataset(file, scale), scale)});
  }
  return result;
}

ResultsReader::ResultsReader(const std::filesystem::path& file) : state_(std::make_unique<State>()) {
  state_->file = open_results(file);
}

ResultsReader::~ResultsReader() = default;

std::vector<std::string> ResultsReader::names(const std::string& group) const {
  return hdf5::link_names_as_made(hdf5::open_group(state_->file, group), group);
}

bool ResultsReader::has(const std::string& name) const {
  return hdf5::link_kind(state_->file, name) != hdf5::LinkKind::none;
}

std::vector<ReadDimension> ResultsReader::dimensions(const std::string& variable) const {
  return read_dimensions(state_->file, variable);
}

std::vector<std::string> ResultsReader::dimension_names(const std::string& variable) const {
  const hdf5::Handle dataset = hdf5::open_dataset(state_->file, variable);
  return hdf5::is_scale(state_->file, variable) ? std::vector<std::string>() : hdf5::scale_names(dataset, variable);
}

std::vector<std::string> ResultsReader::labels(const std::string& variable) const {
  return read_labels(hdf5::open_dataset(state_->file, variable), variable);
}

std::vector<std::int64_t> ResultsReader::extents(const std::string& variable) const {
  return hdf5::extents_of(hdf5::open_dataset(state_->file, variable), variable);
}

std::vector<double> ResultsReader::read(const std::string& variable, const std::vector<std::int64_t>& start,
                                        const std::vector<std::int64_t>& count) const {
  const hdf5::Handle dataset = hdf5::open_dataset(state_->file, variable);
  return read_as<double>(dataset, variable, hdf5::NumberType::f64, start, count);
}

std::int64_t ResultsReader::integer_attribute(const std::string& object, const std::string& name) const {
  const hdf5::Handle group = hdf5::open_group(state_->file, object);
  const auto value = hdf5::read_number_attribute(group, name);
  if (!value) throw InputError(fmt::format("{} has no attribute '{}'", object, name));
  return static_cast<std::int64_t>(*value);
}

std::vector<std::pair<std::string, std::string>> ResultsReader::attributes(const std::string& group) const {
  const hdf5::Handle object = hdf5::open_group(state_->file, group);
  std::vector<std::pair<std::string, std::string>> result;
  for (const std::string& name : hdf5::attribute_names(object)) {
    std::string value;
    try {
      value = hdf5::read_text_attribute(object, name, kLongestText).value_or("");
    } catch (const InputError&) {  // no text
      try {
        const auto number = hdf5::read_number_attribute(object, name);
        if (number) value = fmt::format("{}", *number);
      } catch (const InputError&) {  // an array
      }
    }
    result.emplace_back(name, value);
  }
  return result;
}

std::string ResultsReader::text_attribute(const std::string& group, const std::string& name) const {
  const hdf5::Handle object = hdf5::open_group(state_->file, group);
  return hdf5::has_attribute(object, name) ? hdf5::read_text_attribute(object, name, kLongestText).value_or("") : "";
}

std::string ResultsReader::text(const std::string& dataset) const {
  const hdf5::Handle object = hdf5::open_dataset(state_->file, dataset);
  std::vector<std::string> texts(1);
  hdf5::read_texts(object, dataset, 0, texts);
  return texts.front();
}

}  // namespace lacuna
