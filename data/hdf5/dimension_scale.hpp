// Dimension scales: coordinate datasets that name the dimensions of others (HDF5 dimension scale specification 1.0,
// which netCDF-4 is built on).
#pragma once

#include <string>

#include "data/hdf5/handle.hpp"

namespace lacuna::hdf5 {

/// Whether the link is a dataset that is a dimension scale.
bool is_scale(const Handle& parent, const std::string& name);
/// Makes a one-dimensional dataset a dimension scale of its own name.
void make_scale(const Handle& dataset, const std::string& name);
/// Attaches a scale to one dimension of a dataset. A scale takes 4,085 attachments, a limit of the format.
void attach_scale(const Handle& dataset, const Handle& scale, unsigned axis, const std::string& name);

}  // namespace lacuna::hdf5
