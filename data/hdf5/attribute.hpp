// Attributes: small values attached to a file's root, a group or a dataset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/hdf5/handle.hpp"

namespace lacuna::hdf5 {

/// Write an attribute, in place of one of the same name (without moving it, when the size is the same). Texts are
/// fixed-length UTF-8 (bytes that are not UTF-8 are replaced). An attribute holds at most 64 KiB, a limit of the
/// format: longer texts are datasets.
void write_attribute(const Handle& object, const std::string& name, std::string_view text);
void write_attribute(const Handle& object, const std::string& name, std::int64_t value);
void write_attribute(const Handle& object, const std::string& name, double value);
void write_attribute(const Handle& object, const std::string& name, std::span<const std::int64_t> values);
void write_attribute(const Handle& object, const std::string& name, std::span<const double> values);
void write_attribute(const Handle& object, const std::string& name, std::span<const std::uint8_t> values);
/// Variable-length UTF-8 (netCDF-C reads no lists of fixed-length texts).
void write_attribute(const Handle& object, const std::string& name, std::span<const std::string> values);

bool has_attribute(const Handle& object, const std::string& name);
/// All names, sorted by bytes.
std::vector<std::string> attribute_names(const Handle& object);
bool is_text_attribute(const Handle& object, const std::string& name);
/// One text of any string type, without its padding. Throws InputError when it is not one text or longer than
/// `max_bytes`.
std::optional<std::string> read_text_attribute(const Handle& object, const std::string& name, std::size_t max_bytes);
/// One number of any integer or floating type. Throws InputError when it is not one number.
std::optional<double> read_number_attribute(const Handle& object, const std::string& name);
/// All numbers of an attribute of any integer or floating type, row-major; nullopt for one of another type, or none.
std::optional<std::vector<double>> read_number_list_attribute(const Handle& object, const std::string& name);
/// All texts of an attribute that holds texts of any string type in one dimension or several, row-major, or none at
/// all; nothing where there is none of that name, a single text or another type.
std::optional<std::vector<std::string>> read_text_list_attribute(const Handle& object, const std::string& name);
/// The extents of an attribute, outermost first; none of a single value.
std::vector<std::int64_t> attribute_extents(const Handle& object, const std::string& name);

}  // namespace lacuna::hdf5
