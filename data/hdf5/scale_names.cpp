#include "data/hdf5/scale_names.hpp"

#include <algorithm>

#include "data/hdf5/api.hpp"
#include "data/hdf5/dataset.hpp"
#include "data/hdf5/error.hpp"

namespace lacuna::hdf5 {
namespace {

/// The scale's name as H5DSset_scale wrote it. The library finds the path of an object that it reached by a reference
/// only by a search through the whole file.
std::string written_name(hid_t scale) {
  const ssize_t length = H5DSget_scale_name(scale, nullptr, 0);
  if (length <= 0) return "";
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  if (H5DSget_scale_name(scale, name.data(), name.size()) < 0) return "";
  name.resize(std::min(name.find('\0'), name.size()));
  return name.starts_with("This is a netCDF dimension") ? "" : name;  // what netCDF-C writes there instead of a name
}

std::string link_name(hid_t scale) {
  const ssize_t length = H5Iget_name(scale, nullptr, 0);
  if (length <= 0) return "";
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  if (H5Iget_name(scale, name.data(), name.size()) < 0) return "";
  name.resize(static_cast<std::size_t>(length));
  return name.substr(name.rfind('/') + 1);
}

/// Visitor of H5DSiterate_scales: takes the first scale's name and stops.
herr_t take_name(hid_t /*dataset*/, unsigned /*axis*/, hid_t scale, void* out) {
  std::string& name = *static_cast<std::string*>(out);
  name = written_name(scale);
  if (name.empty()) name = link_name(scale);
  return name.empty() ? -1 : 1;
}

}  // namespace

std::vector<std::string> scale_names(const Handle& dataset, std::string_view name) {
  std::vector<std::string> names(extents_of(dataset, name).size());
  for (std::size_t axis = 0; axis < names.size(); ++axis)
    checked(H5DSiterate_scales(dataset.id(), static_cast<unsigned>(axis), nullptr, take_name, &names[axis]),
            "read the dimensions of", name);
  return names;
}

}  // namespace lacuna::hdf5
