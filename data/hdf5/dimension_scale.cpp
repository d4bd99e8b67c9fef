#include "data/hdf5/dimension_scale.hpp"

#include "data/hdf5/api.hpp"
#include "data/hdf5/error.hpp"
#include "data/hdf5/file.hpp"

namespace lacuna::hdf5 {

bool is_scale(const Handle& parent, const std::string& name) {
  if (link_kind(parent, name) != LinkKind::dataset) return false;
  try {
    const Handle dataset = open_dataset(parent, name);
    return H5DSis_scale(dataset.id()) > 0;
  } catch (const Hdf5Error&) {
    return false;  // what cannot be opened names no dimension
  }
}

void make_scale(const Handle& dataset, const std::string& name) {
  checked(H5DSset_scale(dataset.id(), name.c_str()), "make a dimension scale of", name);
}

void attach_scale(const Handle& dataset, const Handle& scale, unsigned axis, const std::string& name) {
  checked(H5DSattach_scale(dataset.id(), scale.id(), axis), "attach a dimension scale to", name);
}

}  // namespace lacuna::hdf5
