#include "data/hdf5/dataset.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "data/hdf5/api.hpp"
#include "data/hdf5/error.hpp"
#include "data/hdf5/utf8.hpp"

namespace lacuna::hdf5 {
namespace {

constexpr std::size_t default_chunk_cache = std::size_t{1} << 20;  // bytes, per dataset

hid_t stored_type(NumberType type) {
  if (type == NumberType::f64) return H5T_IEEE_F64LE;
  return type == NumberType::i64 ? H5T_STD_I64LE : H5T_STD_U8LE;
}

hid_t memory_type(NumberType type) {
  if (type == NumberType::f64) return H5T_NATIVE_DOUBLE;
  return type == NumberType::i64 ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT8;
}

std::vector<hsize_t> sizes(std::span<const std::int64_t> extents) { return {extents.begin(), extents.end()}; }

Handle simple_space(std::span<const std::int64_t> extents, std::string_view name) {
  if (extents.empty()) return Handle(H5Screate(H5S_SCALAR), "describe", name);
  const std::vector<hsize_t> dims = sizes(extents);
  return Handle(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr), "describe", name);
}

Handle text_type(std::string_view name) {
  Handle type(H5Tcopy(H5T_C_S1), "describe", name);
  checked(H5Tset_size(type.id(), H5T_VARIABLE), "describe", name);
  checked(H5Tset_cset(type.id(), H5T_CSET_UTF8), "describe", name);
  return type;
}

Handle creation_list(std::string_view name) {
  Handle creation(H5Pcreate(H5P_DATASET_CREATE), "prepare", name);
  checked(H5Pset_obj_track_times(creation.id(), false), "prepare", name);
  return creation;
}

/// The hyperslab of the file and the dense block of memory that holds it.
struct Selection {
  Handle file;
  Handle memory;
  Selection(const Handle& dataset, std::string_view name, std::span<const std::int64_t> start,
            std::span<const std::int64_t> count)
      : file(H5Dget_space(dataset.id()), "describe", name), memory(simple_space(count, name)) {
    if (count.empty()) return;
    const std::vector<hsize_t> from = sizes(start);
    const std::vector<hsize_t> size = sizes(count);
    checked(H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, from.data(), nullptr, size.data(), nullptr), "select in",
            name);
  }
};

}  // namespace

std::int64_t bytes_of(NumberType type) { return type == NumberType::u8 ? 1 : 8; }

Handle create_dataset(const Handle& parent, const std::string& name, const DatasetSpec& spec) {
  const Handle creation = creation_list(name);
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS), "prepare", name);
  if (!spec.chunk.empty() && !spec.extents.empty()) {
    const std::vector<hsize_t> chunk = sizes(spec.chunk);
    checked(H5Pset_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data()), "chunk", name);
    if (spec.deflate) {
      checked(H5Pset_shuffle(creation.id()), "compress", name);
      checked(H5Pset_deflate(creation.id(), 1), "compress", name);
    }
    checked(H5Pset_fletcher32(creation.id()), "checksum", name);
    // A chunk that does not fit the cache would be read, completed and written again by every partial write.
    const std::size_t bytes = std::accumulate(chunk.begin(), chunk.end(), hsize_t{1}, std::multiplies<>()) *
                              static_cast<std::size_t>(bytes_of(spec.type));
    constexpr std::size_t slots = 521;
    checked(H5Pset_chunk_cache(access.id(), slots, std::max(bytes, default_chunk_cache), 1.0), "prepare", name);
  }
  if (spec.type == NumberType::f64) {
    const double fill = std::numeric_limits<double>::quiet_NaN();
    checked(H5Pset_fill_value(creation.id(), H5T_NATIVE_DOUBLE, &fill), "prepare", name);
  }
  const Handle space = simple_space(spec.extents, name);
  return Handle(H5Dcreate2(parent.id(), name.c_str(), stored_type(spec.type), space.id(), H5P_DEFAULT, creation.id(),
                           access.id()),
                "create", name);
}

Handle create_texts(const Handle& parent, const std::string& name, std::span<const std::int64_t> extents,
                    std::span<const std::string> values) {
  const Handle creation = creation_list(name);
  const Handle space = simple_space(extents, name);
  const Handle type = text_type(name);
  Handle dataset(H5Dcreate2(parent.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                 "create", name);
  std::vector<std::string> texts;
  std::vector<const char*> pointers;
  for (const std::string& value : values) texts.push_back(printable_utf8(value));
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  if (!pointers.empty())
    checked(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()), "write", name);
  return dataset;
}

void write_slab(const Handle& dataset, std::string_view name, NumberType type, std::span<const std::int64_t> start,
                std::span<const std::int64_t> count, const void* values) {
  const Selection selection(dataset, name, start, count);
  checked(H5Dwrite(dataset.id(), memory_type(type), selection.memory.id(), selection.file.id(), H5P_DEFAULT, values),
          "write", name);
}

void write_all(const Handle& dataset, std::string_view name, NumberType type, const void* values) {
  checked(H5Dwrite(dataset.id(), memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "write", name);
}

void read_slab(const Handle& dataset, std::string_view name, NumberType type, std::span<const std::int64_t> start,
               std::span<const std::int64_t> count, void* values) {
  const Selection selection(dataset, name, start, count);
  checked(H5Dread(dataset.id(), memory_type(type), selection.memory.id(), selection.file.id(), H5P_DEFAULT, values),
          "read", name);
}

void read_texts(const Handle& dataset, std::string_view name, std::int64_t start, std::span<std::string> values) {
  const std::vector<std::int64_t> extents = extents_of(dataset, name);
  const std::vector<std::int64_t> from(extents.size(), start);
  const std::vector<std::int64_t> count(extents.size(), static_cast<std::int64_t>(values.size()));
  const Selection selection(dataset, name, from, count);
  const Handle type = text_type(name);
  std::vector<char*> texts(values.size(), nullptr);
  checked(H5Dread(dataset.id(), type.id(), selection.memory.id(), selection.file.id(), H5P_DEFAULT, texts.data()),
          "read", name);
  for (std::size_t i = 0; i < texts.size(); ++i) values[i] = texts[i] != nullptr ? texts[i] : "";
  H5Dvlen_reclaim(type.id(), selection.memory.id(), H5P_DEFAULT, texts.data());
}

std::vector<std::int64_t> extents_of(const Handle& dataset, std::string_view name) {
  const Handle space(H5Dget_space(dataset.id()), "describe", name);
  if (H5Sget_simple_extent_type(space.id()) == H5S_NULL) throw InputError(fmt::format("dataset '{}' is empty", name));
  const auto rank = checked(H5Sget_simple_extent_ndims(space.id()), "describe", name);
  std::vector<hsize_t> extents(rank);
  checked(H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr), "describe", name);
  for (const hsize_t extent : extents)
    if (extent > static_cast<hsize_t>(std::numeric_limits<std::int64_t>::max()))
      throw InputError(fmt::format("dataset '{}' is too large", name));
  return {extents.begin(), extents.end()};
}

ResultType result_type_of(const Handle& dataset, std::string_view name) {
  const Handle type(H5Dget_type(dataset.id()), "describe", name);
  if (H5Tequal(type.id(), H5T_IEEE_F64LE) > 0) return ResultType::f64;
  if (H5Tequal(type.id(), H5T_STD_I64LE) > 0) return ResultType::i64;
  if (H5Tequal(type.id(), H5T_STD_U8LE) > 0) return ResultType::u8;
  const bool is_text = H5Tget_class(type.id()) == H5T_STRING && H5Tis_variable_str(type.id()) > 0;
  return is_text ? ResultType::text : ResultType::other;
}

}  // namespace lacuna::hdf5
