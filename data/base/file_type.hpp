// What stands where a regular file was expected, in words.
#pragma once

#include <sys/stat.h>

#include <string>

namespace lacuna {

/// "a directory", "a pipe", "a device", "a socket".
std::string file_type_name(mode_t mode);

}  // namespace lacuna
