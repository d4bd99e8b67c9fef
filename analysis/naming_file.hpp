// What is thrown while a results file is read names that file.
#pragma once

#include <fmt/format.h>

#include <filesystem>

#include "core/base/error.hpp"
#include "data/hdf5/error.hpp"

namespace lacuna {

/// read(), whose UsageError and InputError get the file's name in front. What the HDF5 library refuses is an InputError
/// as well: something that results files hold is missing or damaged.
template <class Read>
auto naming_file(const std::filesystem::path& file, const Read& read) {
  try {
    return read();
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", file.string(), error.what()));
  } catch (const hdf5::Hdf5Error& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace lacuna
