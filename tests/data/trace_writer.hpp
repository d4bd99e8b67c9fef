// Writes trace files as others would, and as they should not: for the tests of the readers.
#pragma once

#include <fmt/format.h>

#include <hdf5.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace lacuna {

/// Bits of the nearest bf16 (truncated: the test values have short mantissas).
inline std::uint16_t bf16_bits(double x) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(x)) >> 16);
}

/// Bits of an f16 that x equals: 11-bit mantissa, normal range or zero.
inline std::uint16_t f16_bits(double x) {
  if (x == 0) return 0;
  if (std::isnan(x)) return 0x7E00;
  if (std::isinf(x)) return x > 0 ? 0x7C00 : 0xFC00;
  int exponent = 0;
  const double mantissa = std::frexp(std::abs(x), &exponent);  // in [1/2, 1)
  const auto fraction = static_cast<std::uint16_t>(std::lround((2 * mantissa - 1) * 1024));
  return static_cast<std::uint16_t>((x < 0 ? 0x8000 : 0) | ((exponent - 1 + 15) << 10) | fraction);
}

/// What goes into a trace; every value is a small multiple of 1/8, exact in every element type.
struct TraceContent {
  std::int64_t layers = 2, heads = 4, kv_heads = 2, queries = 3, keys = 5, d_qk = 4, d_v = 3;
  std::string element = "f32";  ///< f16, bf16, f32, f64 of q, k and v; "v:f64" alone widens all
  std::string v_element;        ///< empty: as `element`
  bool with_v = true;
  bool with_sink = false;
  bool with_labels = true;
  double sm_scale = 0.5;
  bool with_index = false;
  std::int64_t index_heads = 3, d_index = 2;
  bool with_local = false;
  std::int64_t tokens = 7, local_window = 3;
  std::int64_t value_channels = 0;  ///< 0: not written

  /// The tensors that the file holds, but for the sinks.
  std::vector<std::string> tensors() const {
    std::vector<std::string> names = {"q", "k"};
    if (with_v) names.push_back("v");
    if (with_local) names.push_back("k_local");
    if (with_local && with_v) names.push_back("v_local");
    if (with_index) names.insert(names.end(), {"index_q", "index_k", "index_weights"});
    return names;
  }
  std::string element_of(const std::string& name) const {
    return name == "v" && !v_element.empty() ? v_element : element;
  }
  std::vector<double> tensor(const std::string& name) const {
    std::int64_t size = 1;
    for (const hsize_t extent : extents(name)) size *= static_cast<std::int64_t>(extent);
    std::int64_t offset = name == "q" ? 11 : name == "k" ? 5 : 3;
    if (name.size() > 1)
      for (const char letter : name) offset += letter;
    std::vector<double> values(size);
    for (std::int64_t i = 0; i < size; ++i) values[i] = static_cast<double>((i * 37 + offset) % 61 - 30) / 8;
    return values;
  }
  std::vector<hsize_t> extents(const std::string& name) const {
    const std::map<std::string, std::vector<std::int64_t>> all{
        {"q", {layers, heads, queries, d_qk}},        {"k", {layers, kv_heads, keys, d_qk}},
        {"v", {layers, kv_heads, keys, d_v}},         {"k_local", {layers, kv_heads, tokens, d_qk}},
        {"v_local", {layers, kv_heads, tokens, d_v}}, {"index_q", {layers, index_heads, queries, d_index}},
        {"index_k", {layers, keys, d_index}},         {"index_weights", {layers, queries, index_heads}}};
    return {all.at(name).begin(), all.at(name).end()};
  }
  std::vector<std::int64_t> layer() const { return labels(layers, 10, 5); }
  std::vector<std::int64_t> head() const { return labels(heads, 7, 1); }
  std::vector<std::int64_t> query_position() const { return labels(queries, 1, 2); }
  static std::vector<std::int64_t> labels(std::int64_t n, std::int64_t first, std::int64_t step) {
    std::vector<std::int64_t> values(n);
    for (std::int64_t i = 0; i < n; ++i) values[i] = first + i * step;
    return values;
  }
};

/// Elements as stored, little-endian.
inline std::string stored(const std::vector<double>& values, const std::string& element) {
  std::string bytes;
  const auto append = [&](const auto& x) { bytes.append(reinterpret_cast<const char*>(&x), sizeof x); };
  for (const double x : values) {
    if (element == "f64") append(x);
    if (element == "f32") append(static_cast<float>(x));
    if (element == "f16") append(f16_bits(x));
    if (element == "bf16") append(bf16_bits(x));
  }
  return bytes;
}

/// The HDF5 file type of an element; 0 exponent bits elsewhere.
inline hid_t file_type(const std::string& element) {
  if (element == "f64") return H5Tcopy(H5T_IEEE_F64LE);
  if (element == "f32") return H5Tcopy(H5T_IEEE_F32LE);
  if (element == "bf16") return H5Tcopy(H5T_STD_U16LE);
  const hid_t half = H5Tcopy(H5T_IEEE_F32LE);
  H5Tset_fields(half, 15, 10, 5, 0, 10);
  H5Tset_size(half, 2);
  H5Tset_ebias(half, 15);
  return half;
}

/// An HDF5 file that is open for a test to add to.
class TraceWriter {
 public:
  explicit TraceWriter(const std::string& file)
      : file_(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~TraceWriter() { H5Fclose(file_); }
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  hid_t id() const { return file_; }

  /// `bytes` as stored in `type`, which is closed; chunked (and deflated) when `chunk` is not empty.
  void dataset(const std::string& name, hid_t type, const std::vector<hsize_t>& extents, const std::string& bytes,
               const std::vector<hsize_t>& chunk = {}, const std::string& encoding = {}) {
    const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (!chunk.empty()) {
      H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
      H5Pset_shuffle(creation);
      H5Pset_deflate(creation, 1);
    }
    const hid_t set = H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (!bytes.empty()) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
    if (!encoding.empty()) text_attribute(set, "encoding", encoding);
    H5Dclose(set);
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(type);
  }
  void integers(const std::string& name, const std::vector<std::int64_t>& values) {
    dataset(name, H5Tcopy(H5T_STD_I64LE), {values.size()},
            std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::int64_t)));
  }
  void tensor(const std::string& name, const std::vector<hsize_t>& extents, const std::vector<double>& values,
              const std::string& element, const std::vector<hsize_t>& chunk = {}) {
    dataset(name, file_type(element), extents, stored(values, element), chunk, element == "bf16" ? "bfloat16" : "");
  }
  void number_attribute(const std::string& name, double value) {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(file_, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value);
    H5Aclose(attribute);
    H5Sclose(space);
  }
  void integer_attribute(const std::string& name, std::int64_t value) {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(file_, name.c_str(), H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_INT64, &value);
    H5Aclose(attribute);
    H5Sclose(space);
  }
  static void text_attribute(hid_t object, const std::string& name, const std::string& text) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, text.size());
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, text.data());
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
  }

 private:
  hid_t file_;
};

/// Writes the parts of `content` whose names are not in `leave_out`; the rest is the test's to add.
inline void write_parts(TraceWriter& writer, const TraceContent& content,
                        const std::vector<std::string>& leave_out = {}, bool chunked = false) {
  const auto wanted = [&](const std::string& name) {
    return std::find(leave_out.begin(), leave_out.end(), name) == leave_out.end();
  };
  for (const std::string& name : content.tensors()) {
    if (!wanted(name)) continue;
    std::vector<hsize_t> chunk;
    if (chunked)
      for (const hsize_t extent : content.extents(name)) chunk.push_back(extent / 2 + 1);
    writer.tensor(name, content.extents(name), content.tensor(name), content.element_of(name), chunk);
  }
  if (content.with_labels) {
    if (wanted("layer")) writer.integers("layer", content.layer());
    if (wanted("head")) writer.integers("head", content.head());
    if (wanted("query_position")) writer.integers("query_position", content.query_position());
  }
  if (content.with_sink && wanted("sink_logit")) {
    std::vector<double> sink(content.layers * content.heads);
    for (std::size_t i = 0; i < sink.size(); ++i) sink[i] = static_cast<double>(i) / 4 - 1;
    writer.tensor("sink_logit", {static_cast<hsize_t>(content.layers), static_cast<hsize_t>(content.heads)}, sink,
                  "f32");
  }
  if (wanted("sm_scale")) writer.number_attribute("sm_scale", content.sm_scale);
  if (content.with_local && wanted("local_window"))
    writer.number_attribute("local_window", static_cast<double>(content.local_window));
  if (content.value_channels > 0) writer.integer_attribute("value_channels", content.value_channels);
}

inline void write_hdf5_trace(const std::string& file, const TraceContent& content, bool chunked = false) {
  TraceWriter writer(file);
  write_parts(writer, content, {}, chunked);
}

/// A safetensors file from tensors and metadata.
class SafetensorsWriter {
 public:
  void tensor(const std::string& name, const std::string& dtype, const std::vector<hsize_t>& extents,
              const std::string& bytes) {
    std::string shape;
    for (const hsize_t extent : extents) shape += fmt::format("{}{}", shape.empty() ? "" : ",", extent);
    entry(fmt::format(R"("{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", name, dtype, shape, data_.size(),
                      data_.size() + bytes.size()));
    data_ += bytes;
  }
  void entry(const std::string& json) { header_ += fmt::format("{}{}", header_.empty() ? "{" : ",", json); }
  std::string bytes() const { return file_bytes(header_ + "}", data_); }
  static std::string file_bytes(const std::string& header, const std::string& data) {
    const std::uint64_t size = header.size();
    return std::string(reinterpret_cast<const char*>(&size), sizeof size) + header + data;
  }

 private:
  std::string header_, data_;
};

inline std::string safetensors_trace(const TraceContent& content) {
  const std::map<std::string, std::string> dtypes{{"f16", "F16"}, {"bf16", "BF16"}, {"f32", "F32"}, {"f64", "F64"}};
  SafetensorsWriter writer;
  std::string metadata = fmt::format(R"("sm_scale":"{:f}")", content.sm_scale);
  if (content.with_local) metadata += fmt::format(R"(,"local_window":"{}")", content.local_window);
  if (content.value_channels > 0) metadata += fmt::format(R"(,"value_channels":"{}")", content.value_channels);
  writer.entry(fmt::format(R"("__metadata__":{{{}}})", metadata));
  for (const std::string& name : content.tensors())
    writer.tensor(name, dtypes.at(content.element_of(name)), content.extents(name),
                  stored(content.tensor(name), content.element_of(name)));
  const auto integers = [&](const std::string& name, const std::vector<std::int64_t>& values) {
    writer.tensor(name, "I64", {values.size()},
                  std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::int64_t)));
  };
  if (!content.with_labels) return writer.bytes();
  integers("layer", content.layer());
  integers("head", content.head());
  const std::vector<std::int64_t> positions = content.query_position();
  const std::vector<std::int32_t> narrow(positions.begin(), positions.end());
  writer.tensor("query_position", "I32", {narrow.size()},
                std::string(reinterpret_cast<const char*>(narrow.data()), narrow.size() * sizeof(std::int32_t)));
  return writer.bytes();
}

}  // namespace lacuna
