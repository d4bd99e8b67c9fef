// The names of a dataset's dimensions, from the scales attached to them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/hdf5/handle.hpp"

namespace lacuna::hdf5 {

/// One name per dimension, without the group's path; empty where no scale is attached.
std::vector<std::string> scale_names(const Handle& dataset, std::string_view name);

}  // namespace lacuna::hdf5
