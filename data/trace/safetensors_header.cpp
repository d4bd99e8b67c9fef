#include "data/trace/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "data/base/strict_json.hpp"

namespace lacuna {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t max_header_bytes = 100'000'000;  // as in the format's reference implementation
constexpr std::size_t max_nesting = 4;                  // object, tensor, list, and one to spare

[[noreturn]] void refuse(const std::string& why) { throw InputError("safetensors header: " + why); }

std::vector<std::int64_t> sizes(const std::string& tensor, const Json& entry, const std::string& key) {
  const auto list = entry.find(key);
  if (list == entry.end() || !list->is_array()) refuse(fmt::format("tensor '{}' has no list '{}'", tensor, key));
  std::vector<std::int64_t> values;
  for (const Json& value : *list) {
    const bool fits =
        value.is_number_unsigned() &&
        value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!fits) refuse(fmt::format("tensor '{}' has a '{}' that is not a list of sizes", tensor, key));
    values.push_back(value.get<std::int64_t>());
  }
  return values;
}

std::int64_t element_bytes(const std::string& dtype) {
  static const std::map<std::string, std::int64_t> known{
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E4M3", 1}, {"U16", 2}, {"I16", 2}, {"F16", 2}, {"F8_E5M2", 1},
      {"BF16", 2}, {"U32", 4}, {"I32", 4}, {"F32", 4},     {"U64", 8}, {"I64", 8}, {"F64", 8}};
  const auto it = known.find(dtype);
  return it == known.end() ? -1 : it->second;
}

SafetensorsEntry read_entry(const std::string& name, const Json& json, std::int64_t data_begin,
                            std::int64_t file_bytes) {
  if (!json.is_object()) refuse(fmt::format("'{}' does not describe a tensor", name));
  SafetensorsEntry entry;
  const auto dtype = json.find("dtype");
  if (dtype == json.end() || !dtype->is_string()) refuse(fmt::format("tensor '{}' has no dtype", name));
  entry.dtype = dtype->get<std::string>();
  entry.extents = sizes(name, json, "shape");
  const std::vector<std::int64_t> offsets = sizes(name, json, "data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    refuse(fmt::format("tensor '{}' has data_offsets that are not begin and end", name));
  if (offsets[1] > file_bytes - data_begin)
    refuse(fmt::format("tensor '{}' ends at byte {} of {} bytes of data", name, offsets[1], file_bytes - data_begin));
  entry.begin = data_begin + offsets[0];
  entry.end = data_begin + offsets[1];

  std::int64_t bytes = element_bytes(entry.dtype);
  if (bytes < 0) return entry;  // a type that no trace uses: the tensor is ignored, or refused by its name
  for (const std::int64_t extent : entry.extents)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      refuse(fmt::format("tensor '{}' has more elements than can be counted", name));
  if (bytes != entry.end - entry.begin)
    refuse(fmt::format("tensor '{}' takes {} bytes by its shape and {} by its data_offsets", name, bytes,
                       entry.end - entry.begin));
  return entry;
}

/// Tensors fill the data one behind the other, as the format asks: none overlaps another, no byte is left over.
void check_layout(const SafetensorsHeader& header, std::int64_t data_begin, std::int64_t file_bytes) {
  std::vector<std::pair<const SafetensorsEntry*, std::string>> in_order;
  for (const auto& [name, entry] : header.tensors) in_order.emplace_back(&entry, name);
  std::ranges::sort(in_order, {}, [](const auto& item) { return std::pair(item.first->begin, item.first->end); });
  std::int64_t end = data_begin;
  for (const auto& [entry, name] : in_order) {
    if (entry->begin != end)
      refuse(fmt::format("tensor '{}' begins at byte {} of the data; the one before ends at {}", name,
                         entry->begin - data_begin, end - data_begin));
    end = entry->end;
  }
  if (end != file_bytes) refuse(fmt::format("{} bytes of data belong to no tensor", file_bytes - end));
}

}  // namespace

std::optional<ElementType> element_of(const SafetensorsEntry& entry) {
  if (entry.dtype == "F16") return ElementType::f16;
  if (entry.dtype == "BF16") return ElementType::bf16;
  if (entry.dtype == "F32") return ElementType::f32;
  if (entry.dtype == "F64") return ElementType::f64;
  return std::nullopt;
}

std::int64_t safetensors_header_bytes(const unsigned char* first_8_bytes, std::int64_t file_bytes) {
  std::uint64_t size = 0;
  for (int i = 7; i >= 0; --i) size = (size << 8) | first_8_bytes[i];
  const bool fits = size >= 2 && file_bytes >= 8 && size <= static_cast<std::uint64_t>(file_bytes - 8) &&
                    size <= static_cast<std::uint64_t>(max_header_bytes);
  return fits ? static_cast<std::int64_t>(size) : -1;
}

SafetensorsHeader parse_safetensors_header(const std::string& text, std::int64_t file_bytes) {
  const Json json = parse_strict_json(text, "safetensors header", max_nesting);
  if (!json.is_object()) refuse("not a JSON object");
  const std::int64_t data_begin = 8 + static_cast<std::int64_t>(text.size());
  SafetensorsHeader header;
  for (const auto& [name, value] : json.items()) {
    if (name != "__metadata__") {
      header.tensors.emplace(name, read_entry(name, value, data_begin, file_bytes));
      continue;
    }
    if (!value.is_object()) refuse("'__metadata__' is not an object");
    for (const auto& [key, item] : value.items()) {
      if (!item.is_string()) refuse(fmt::format("'__metadata__' holds '{}', which is not a text", key));
      header.metadata.emplace(key, item.get<std::string>());
    }
  }
  check_layout(header, data_begin, file_bytes);
  return header;
}

std::optional<SafetensorsHeader> read_safetensors_header(const ReadableFile& file) {
  std::array<unsigned char, 8> length{};
  if (file.bytes() >= 8) file.read_at(0, length.data(), 8);
  const std::int64_t size = safetensors_header_bytes(length.data(), file.bytes());
  if (size < 0) return std::nullopt;
  std::string text(static_cast<std::size_t>(size), '\0');
  file.read_at(8, text.data(), size);
  return parse_safetensors_header(text, file.bytes());
}

}  // namespace lacuna
