#include "analysis/compare/results_contents.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "data/hdf5/attribute.hpp"
#include "data/hdf5/dimension_scale.hpp"
#include "data/hdf5/file.hpp"
#include "data/hdf5/scale_names.hpp"

namespace lacuna {
namespace {

constexpr int kDeepest = 32;  // groups in groups: more is a damaged file, or a cycle
constexpr std::size_t kLongestText = 65536;

/// References between datasets and scales, which differ from file to file.
bool keeps_dimensions(const std::string& name) {
  for (const char* kept : {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST"})
    if (name == kept) return true;
  return name.starts_with("_Netcdf4") || name == "_NCProperties";
}

template <class T>
std::string bracketed(const std::vector<T>& numbers) {
  std::string text = "[";
  for (const T& x : numbers) text += fmt::format("{}{}", text.size() > 1 ? ", " : "", x);
  return text + "]";
}

class Reader {
 public:
  explicit Reader(ResultsContents& contents) : contents_(contents) {}

  void read_group(const hdf5::Handle& group, const std::string& path, int depth) {
    if (depth > kDeepest) throw InputError(fmt::format("{} is nested too deeply", path));
    read_attributes(group, path.empty() ? "/" : path);
    for (const std::string& name : hdf5::link_names(group, path)) {
      const std::string inner = fmt::format("{}/{}", path, name);
      const hdf5::LinkKind kind = hdf5::link_kind(group, name);
      if (kind == hdf5::LinkKind::group)
        read_group(hdf5::open_group(group, name), inner, depth + 1);
      else if (kind == hdf5::LinkKind::dataset)
        read_dataset(hdf5::open_dataset(group, name), inner, hdf5::is_scale(group, name));
      else
        throw InputError(fmt::format("{} is neither a group nor a dataset", inner));
    }
  }

 private:
  void read_dataset(const hdf5::Handle& dataset, const std::string& path, bool is_coordinate) {
    DatasetContent content;
    content.type = hdf5::result_type_of(dataset, path);
    content.extents = hdf5::extents_of(dataset, path);
    content.is_coordinate = is_coordinate;
    if (!content.is_coordinate) content.dimensions = hdf5::scale_names(dataset, path);
    contents_.datasets.emplace(path, std::move(content));
    read_attributes(dataset, path);
  }

  void read_attributes(const hdf5::Handle& object, const std::string& path) {
    std::map<std::string, AttributeContent>& attributes = contents_.attributes[path];
    for (const std::string& name : hdf5::attribute_names(object)) {
      if (keeps_dimensions(name)) continue;
      AttributeContent& content = attributes[name];
      content.extents = hdf5::attribute_extents(object, name);
      if (auto numbers = hdf5::read_number_list_attribute(object, name))
        content.value = std::move(*numbers);
      else if (auto texts = hdf5::read_text_list_attribute(object, name))
        content.value = std::move(*texts);
      else if (hdf5::is_text_attribute(object, name))
        content.value = hdf5::read_text_attribute(object, name, kLongestText).value_or("");
    }
  }

  ResultsContents& contents_;
};

}  // namespace

std::string attribute_text(const AttributeContent& attribute) {
  const std::string shape = attribute.extents.size() > 1 ? bracketed(attribute.extents) + " " : "";
  if (const auto* text = std::get_if<std::string>(&attribute.value)) return fmt::format("'{}'", *text);
  if (const auto* numbers = std::get_if<std::vector<double>>(&attribute.value))
    return numbers->size() == 1 ? fmt::format("{}", numbers->front()) : shape + bracketed(*numbers);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&attribute.value)) return shape + bracketed(*texts);
  return "a type that results files do not hold";
}

std::string list_text(const std::vector<std::int64_t>& numbers) { return bracketed(numbers); }

std::string list_text(const std::vector<std::string>& names) { return bracketed(names); }

ResultsContents read_contents(const hdf5::Handle& file) {
  ResultsContents contents;
  Reader(contents).read_group(hdf5::open_group(file, "/"), "", 0);
  return contents;
}

}  // namespace lacuna
