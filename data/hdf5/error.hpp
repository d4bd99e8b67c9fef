// Calls of the HDF5 library, checked: a failure becomes an exception that holds the library's own words.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/error.hpp"

namespace lacuna::hdf5 {

/// A call of the HDF5 library failed. "cannot write /path/top_k/bound: file write failed: ... No space left on device"
struct Hdf5Error : EnvironmentError {
  using EnvironmentError::EnvironmentError;
};

/// Prepares the library for the calling thread: its own printing of errors off, no clean-up at exit.
///
/// The clean-up would flush again what could not be written (to a full disk, past a file size limit), and crash. Files
/// are closed, and the closing checked, by whoever opened them.
void prepare();

/// `code` when it is not negative; otherwise throws Hdf5Error "cannot <verb> <name>: <the library's words>".
std::int64_t checked(std::int64_t code, std::string_view verb, std::string_view name);

}  // namespace lacuna::hdf5
