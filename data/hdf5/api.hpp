// The one place that includes the HDF5 headers; only the .cpp files of this folder include it.
#pragma once

#include <hdf5.h>
#include <hdf5_hl.h>

#include <cstdint>
#include <type_traits>

static_assert(std::is_same_v<hid_t, std::int64_t>, "HDF5 1.10 or newer: identifiers are 64-bit");
