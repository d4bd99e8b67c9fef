// The header of a safetensors file: 8 bytes of length (little-endian), then a JSON object
//
//   {"__metadata__": {"sm_scale": "0.125"}, "q": {"dtype": "F16", "shape": [6, 3, 256, 64], "data_offsets": [0,
//   589824]}}
//
// then the tensors' bytes, row-major and little-endian; offsets count from the end of the header.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/base/readable_file.hpp"
#include "data/trace/element.hpp"

namespace lacuna {

struct SafetensorsEntry {
  std::string dtype;                  ///< "F16", "BF16", "F32", "F64", "I32", "I64", ...
  std::vector<std::int64_t> extents;  ///< outermost first; empty = a scalar
  std::int64_t begin = 0;             ///< offset in the file, bytes
  std::int64_t end = 0;
};

/// What the elements are among the floating types, if they are.
std::optional<ElementType> element_of(const SafetensorsEntry& entry);

struct SafetensorsHeader {
  std::map<std::string, SafetensorsEntry> tensors;
  std::map<std::string, std::string> metadata;
};

/// The size of the header that the first 8 bytes of a file announce, -1 when a file of `file_bytes` cannot hold it.
std::int64_t safetensors_header_bytes(const unsigned char* first_8_bytes, std::int64_t file_bytes);

/// `text` is the JSON object. Throws InputError naming the tensor: syntax, a key that occurs twice, a shape whose
/// product overflows, bytes beyond the end of the file.
SafetensorsHeader parse_safetensors_header(const std::string& text, std::int64_t file_bytes);

/// Of a file; nothing where the file cannot hold what its first 8 bytes announce: it is truncated, or something else.
/// Messages do not name the file.
std::optional<SafetensorsHeader> read_safetensors_header(const ReadableFile& file);

}  // namespace lacuna
