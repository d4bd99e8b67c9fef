#include "data/hdf5/scale_names.hpp"

#include "data/hdf5/api.hpp"
#include "data/hdf5/dataset.hpp"
#include "data/hdf5/error.hpp"

namespace lacuna::hdf5 {
namespace {

/// Visitor of H5DSiterate_scales: takes the first scale's name and stops.
herr_t take_name(hid_t /*dataset*/, unsigned /*axis*/, hid_t scale, void* out) {
  const ssize_t length = H5Iget_name(scale, nullptr, 0);
  if (length <= 0) return -1;
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  if (H5Iget_name(scale, name.data(), name.size()) < 0) return -1;
  name.resize(static_cast<std::size_t>(length));
  *static_cast<std::string*>(out) = name.substr(name.rfind('/') + 1);
  return 1;
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
