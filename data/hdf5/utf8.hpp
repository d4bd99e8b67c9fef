// Text that HDF5 strings can hold: valid UTF-8 without NUL.
#pragma once

#include <string>
#include <string_view>

namespace lacuna::hdf5 {

/// `text` with every byte that is not part of valid UTF-8, and every NUL, replaced by U+FFFD: names of files and hosts
/// are bytes, and a string that is not UTF-8 makes readers in Python fail.
std::string printable_utf8(std::string_view text);

}  // namespace lacuna::hdf5
