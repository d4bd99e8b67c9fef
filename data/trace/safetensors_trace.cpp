// Traces in safetensors: tensors of the same names, the scale as a text in __metadata__.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "data/trace/safetensors_header.hpp"
#include "data/trace/trace_format.hpp"

namespace lacuna {
namespace {

constexpr Index block_bytes = Index{1} << 20;  // read at a time

ElementType element_type(const std::string& name, const SafetensorsEntry& entry) {
  const std::optional<ElementType> element = element_of(entry);
  if (!element)
    throw InputError(
        fmt::format("dataset '{}' has elements of type {}; expected F16, BF16, F32 or F64", name, entry.dtype));
  return *element;
}

template <class T>
std::vector<Index> integers_from(const std::vector<std::byte>& bytes) {
  std::vector<Index> values(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    values[i] = value;
  }
  return values;
}

double number(const std::string& key, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw InputError(fmt::format("'{}' in __metadata__ is \"{}\"; expected a number", key, text.substr(0, 64)));
  return value;
}

class SafetensorsTrace final : public TraceFormat {
 public:
  explicit SafetensorsTrace(const std::string& file) : file_(file) {
    std::optional<SafetensorsHeader> header = read_safetensors_header(file_);
    if (!header) throw InputError("neither HDF5 nor safetensors, or truncated");
    header_ = std::move(*header);
  }

  StoredTensors tensors() override {
    StoredTensors found;
    for (const std::string_view name : kTensorNames)
      if (auto stored = tensor(std::string(name))) found.emplace(name, std::move(*stored));
    return found;
  }

  StoredLabels labels(const TraceSizes& sizes) override {
    StoredLabels labels;
    for (const std::string_view name : kListNames)
      if (auto list = integers(std::string(name), sizes.length_of(name))) labels.lists.emplace(name, std::move(*list));
    for (const std::string_view name : kNumberNames)
      if (const auto text = header_.metadata.find(std::string(name)); text != header_.metadata.end())
        labels.numbers.emplace(name, number(text->first, text->second));
    if (!sizes.has_sink) return labels;

    const SafetensorsEntry& sink = header_.tensors.at("sink_logit");
    labels.sink_logit.resize(sizes.layers * sizes.heads);
    widen(element_type("sink_logit", sink), whole(sink).data(), labels.sink_logit);
    return labels;
  }

  NamesInFile names() override {
    NamesInFile names;
    for (const auto& [name, entry] : header_.tensors) names.datasets.push_back(name);
    for (const auto& [name, text] : header_.metadata) names.attributes.push_back(name);
    return names;
  }

  void send(std::string_view tensor, Index layer, ChildOutput& output) override {
    const auto it = header_.tensors.find(std::string(tensor));
    if (it == header_.tensors.end() || it->second.extents.empty())
      throw InputError(fmt::format("dataset '{}' has changed", tensor));
    const SafetensorsEntry& entry = it->second;
    const Index layer_bytes = (entry.end - entry.begin) / entry.extents[0];
    std::vector<std::byte> block(block_bytes);
    for (Index done = 0; done < layer_bytes;) {
      const Index size = std::min(block_bytes, layer_bytes - done);
      file_.read_at(entry.begin + layer * layer_bytes + done, block.data(), size);
      output.write(block.data(), static_cast<std::size_t>(size));
      done += size;
    }
  }

 private:
  std::optional<StoredTensor> tensor(const std::string& name) const {
    const auto it = header_.tensors.find(name);
    if (it == header_.tensors.end()) return std::nullopt;
    return StoredTensor{element_type(name, it->second), it->second.extents};
  }

  std::optional<std::vector<Index>> integers(const std::string& name, Index size) const {
    const auto it = header_.tensors.find(name);
    if (it == header_.tensors.end()) return std::nullopt;
    const SafetensorsEntry& entry = it->second;
    if (entry.dtype != "I64" && entry.dtype != "I32")
      throw InputError(fmt::format("dataset '{}' has elements of type {}; expected I64 or I32", name, entry.dtype));
    if (entry.extents != std::vector<Index>{size})
      throw InputError(fmt::format("dataset '{}' has shape {}; expected [{}]", name, shape_text(entry.extents), size));
    const std::vector<std::byte> bytes = whole(entry);
    return entry.dtype == "I64" ? integers_from<std::int64_t>(bytes) : integers_from<std::int32_t>(bytes);
  }

  std::vector<std::byte> whole(const SafetensorsEntry& entry) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(entry.end - entry.begin));
    file_.read_at(entry.begin, bytes.data(), static_cast<Index>(bytes.size()));
    return bytes;
  }

  ReadableFile file_;
  SafetensorsHeader header_;
};

}  // namespace

std::unique_ptr<TraceFormat> open_safetensors_trace(const std::string& file) {
  return std::make_unique<SafetensorsTrace>(file);
}

}  // namespace lacuna
