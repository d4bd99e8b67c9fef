// What a results file holds, read with the HDF5 library alone.
#pragma once

#include <gtest/gtest.h>

#include <hdf5.h>

#include <filesystem>
#include <string>
#include <vector>

namespace lacuna::testing_study {

/// All numbers of a dataset, row-major; `shape`, where given, takes its extents.
inline std::vector<double> numbers(const std::filesystem::path& file, const std::string& path,
                                   std::vector<hsize_t>* shape = nullptr) {
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(id, path.c_str(), H5P_DEFAULT);
  EXPECT_GE(set, 0) << path;
  const hid_t space = H5Dget_space(set);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  if (shape != nullptr) {
    shape->resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, shape->data(), nullptr);
  }
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(id);
  return values;
}

}  // namespace lacuna::testing_study
