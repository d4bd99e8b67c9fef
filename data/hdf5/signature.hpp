// Files are told apart by content.
#pragma once

#include <string>

namespace lacuna::hdf5 {

/// Whether the file begins with the HDF5 signature, or has it after a user block of 512, 1024, ... bytes.
/// EnvironmentError naming the file where it cannot be opened.
bool has_signature(const std::string& file);

}  // namespace lacuna::hdf5
