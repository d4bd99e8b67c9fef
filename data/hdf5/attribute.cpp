#include "data/hdf5/attribute.hpp"

#include <algorithm>

#include "data/hdf5/api.hpp"
#include "data/hdf5/error.hpp"
#include "data/hdf5/utf8.hpp"

namespace lacuna::hdf5 {
namespace {

void write_raw(const Handle& object, const std::string& name, const Handle& space, hid_t type, const void* value) {
  if (has_attribute(object, name)) {
    Handle present(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), "open attribute", name);
    const Handle present_type(H5Aget_type(present.id()), "describe attribute", name);
    const Handle present_space(H5Aget_space(present.id()), "describe attribute", name);
    if (H5Tequal(present_type.id(), type) > 0 && H5Sextent_equal(present_space.id(), space.id()) > 0) {
      checked(H5Awrite(present.id(), type, value), "write attribute", name);
      return present.close(name);
    }
    present.close(name);
    checked(H5Adelete(object.id(), name.c_str()), "replace attribute", name);
  }
  Handle attribute(H5Acreate2(object.id(), name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                   "create attribute", name);
  checked(H5Awrite(attribute.id(), type, value), "write attribute", name);
  attribute.close(name);
}

void write_scalar(const Handle& object, const std::string& name, hid_t type, const void* value) {
  write_raw(object, name, Handle(H5Screate(H5S_SCALAR), "describe attribute", name), type, value);
}

template <class T>
void write_vector(const Handle& object, const std::string& name, hid_t type, std::span<const T> values) {
  const hsize_t size = values.size();
  const T none{};  // the library wants an address even for no values
  write_raw(object, name, Handle(H5Screate_simple(1, &size, nullptr), "describe attribute", name), type,
            values.empty() ? &none : values.data());
}

/// A UTF-8 string type of `size` bytes, or of any length (H5T_VARIABLE).
Handle text_type(std::size_t size, const std::string& name) {
  Handle type(H5Tcopy(H5T_C_S1), "describe attribute", name);
  checked(H5Tset_size(type.id(), size), "describe attribute", name);
  checked(H5Tset_cset(type.id(), H5T_CSET_UTF8), "describe attribute", name);
  if (size != H5T_VARIABLE) checked(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "describe attribute", name);
  return type;
}

/// A text of fixed length as read.
std::string without_padding(std::string text, const Handle& type) {
  if (H5Tget_strpad(type.id()) == H5T_STR_SPACEPAD) text.erase(text.find_last_not_of(' ') + 1);
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

Handle open_single_value(const Handle& object, const std::string& name) {
  Handle attribute(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), "open attribute", name);
  const Handle space(H5Aget_space(attribute.id()), "describe attribute", name);
  if (H5Sget_simple_extent_npoints(space.id()) != 1)
    throw InputError(fmt::format("attribute '{}' is not a single value", name));
  return attribute;
}

}  // namespace

void write_attribute(const Handle& object, const std::string& name, std::string_view text) {
  std::string value = printable_utf8(text);
  if (value.empty()) value.push_back('\0');  // HDF5 has no strings of length 0
  write_scalar(object, name, text_type(value.size(), name).id(), value.data());
}

void write_attribute(const Handle& object, const std::string& name, std::int64_t value) {
  write_scalar(object, name, H5T_STD_I64LE, &value);
}

void write_attribute(const Handle& object, const std::string& name, double value) {
  write_scalar(object, name, H5T_IEEE_F64LE, &value);
}

void write_attribute(const Handle& object, const std::string& name, std::span<const std::int64_t> values) {
  write_vector(object, name, H5T_STD_I64LE, values);
}

void write_attribute(const Handle& object, const std::string& name, std::span<const double> values) {
  write_vector(object, name, H5T_IEEE_F64LE, values);
}

void write_attribute(const Handle& object, const std::string& name, std::span<const std::uint8_t> values) {
  write_vector(object, name, H5T_STD_U8LE, values);
}

void write_attribute(const Handle& object, const std::string& name, std::span<const std::string> values) {
  std::vector<std::string> texts;
  std::vector<const char*> pointers;
  for (const std::string& value : values) texts.push_back(printable_utf8(value));
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const Handle type = text_type(H5T_VARIABLE, name);
  write_vector(object, name, type.id(), std::span<const char* const>(pointers));
}

bool has_attribute(const Handle& object, const std::string& name) {
  return checked(H5Aexists(object.id(), name.c_str()), "look up attribute", name) > 0;
}

std::vector<std::string> attribute_names(const Handle& object) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* attribute, const H5A_info_t*, void* result) -> herr_t {
    try {
      static_cast<std::vector<std::string>*>(result)->emplace_back(attribute);
      return 0;
    } catch (...) {
      return -1;  // an exception must not pass through the library
    }
  };
  checked(H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), "list the attributes of",
          "an object");
  std::sort(names.begin(), names.end());
  return names;
}

bool is_text_attribute(const Handle& object, const std::string& name) {
  if (!has_attribute(object, name)) return false;
  const Handle attribute(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), "open attribute", name);
  const Handle type(H5Aget_type(attribute.id()), "describe attribute", name);
  return H5Tget_class(type.id()) == H5T_STRING;
}

std::optional<std::string> read_text_attribute(const Handle& object, const std::string& name, std::size_t max_bytes) {
  if (!has_attribute(object, name)) return std::nullopt;
  const Handle attribute = open_single_value(object, name);
  const Handle type(H5Aget_type(attribute.id()), "describe attribute", name);
  if (H5Tget_class(type.id()) != H5T_STRING) throw InputError(fmt::format("attribute '{}' is not a text", name));
  const auto check_length = [&](std::size_t bytes) {
    if (bytes > max_bytes)
      throw InputError(fmt::format("attribute '{}' has {} bytes, more than {}", name, bytes, max_bytes));
  };

  if (H5Tis_variable_str(type.id()) > 0) {
    char* text = nullptr;
    checked(H5Aread(attribute.id(), type.id(), static_cast<void*>(&text)), "read attribute", name);
    const std::string_view view(text != nullptr ? text : "");
    const std::string copy(view.substr(0, max_bytes + 1));
    const std::size_t bytes = view.size();
    H5free_memory(text);
    check_length(bytes);
    return copy;
  }
  const std::size_t bytes = H5Tget_size(type.id());
  check_length(bytes);
  std::string text(bytes, '\0');
  checked(H5Aread(attribute.id(), type.id(), text.data()), "read attribute", name);
  return without_padding(text, type);
}

std::optional<double> read_number_attribute(const Handle& object, const std::string& name) {
  if (!has_attribute(object, name)) return std::nullopt;
  const Handle attribute = open_single_value(object, name);
  const Handle type(H5Aget_type(attribute.id()), "describe attribute", name);
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) throw InputError(fmt::format("attribute '{}' is not a number", name));
  double value = 0;
  checked(H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, &value), "read attribute", name);
  return value;
}

std::optional<std::vector<double>> read_number_list_attribute(const Handle& object, const std::string& name) {
  if (!has_attribute(object, name)) return std::nullopt;
  const Handle attribute(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), "open attribute", name);
  const Handle type(H5Aget_type(attribute.id()), "describe attribute", name);
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) return std::nullopt;
  const Handle space(H5Aget_space(attribute.id()), "describe attribute", name);
  std::vector<double> values(checked(H5Sget_simple_extent_npoints(space.id()), "describe attribute", name));
  if (!values.empty()) checked(H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, values.data()), "read attribute", name);
  return values;
}

std::optional<std::vector<std::string>> read_text_list_attribute(const Handle& object, const std::string& name) {
  if (!has_attribute(object, name)) return std::nullopt;
  const Handle attribute(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), "open attribute", name);
  const Handle type(H5Aget_type(attribute.id()), "describe attribute", name);
  const Handle space(H5Aget_space(attribute.id()), "describe attribute", name);
  if (H5Tget_class(type.id()) != H5T_STRING || H5Sget_simple_extent_type(space.id()) == H5S_SCALAR) return std::nullopt;
  const auto size =
      static_cast<std::size_t>(checked(H5Sget_simple_extent_npoints(space.id()), "describe attribute", name));
  std::vector<std::string> values;
  if (size == 0) return values;
  if (H5Tis_variable_str(type.id()) > 0) {
    std::vector<char*> texts(size);
    checked(H5Aread(attribute.id(), type.id(), static_cast<void*>(texts.data())), "read attribute", name);
    for (const char* text : texts) values.emplace_back(text == nullptr ? "" : text);
    checked(H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, static_cast<void*>(texts.data())), "read attribute",
            name);
    return values;
  }
  const std::size_t bytes = H5Tget_size(type.id());
  std::string all(size * bytes, '\0');
  checked(H5Aread(attribute.id(), type.id(), all.data()), "read attribute", name);
  for (std::size_t i = 0; i < size; ++i) values.push_back(without_padding(all.substr(i * bytes, bytes), type));
  return values;
}

std::vector<std::int64_t> attribute_extents(const Handle& object, const std::string& name) {
  const Handle attribute(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), "open attribute", name);
  const Handle space(H5Aget_space(attribute.id()), "describe attribute", name);
  std::vector<hsize_t> extents(
      static_cast<std::size_t>(checked(H5Sget_simple_extent_ndims(space.id()), "describe attribute", name)));
  if (!extents.empty())
    checked(H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr), "describe attribute", name);
  return {extents.begin(), extents.end()};
}

}  // namespace lacuna::hdf5
