// Traces in safetensors: tensors of the same names, the scale as a text in __metadata__.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "data/trace/safetensors_header.hpp"
#include "data/trace/trace_format.hpp"

namespace lacuna {
namespace {

constexpr Index block_bytes = Index{1} << 20;  // read at a time

ElementType element_type(const std::string& name, const std::string& dtype) {
  if (dtype == "F16") return ElementType::f16;
  if (dtype == "BF16") return ElementType::bf16;
  if (dtype == "F32") return ElementType::f32;
  if (dtype == "F64") return ElementType::f64;
  throw InputError(fmt::format("dataset '{}' has elements of type {}; expected F16, BF16, F32 or F64", name, dtype));
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

/// Runs in a child that ends with the reading: the descriptor is not closed.
class SafetensorsTrace final : public TraceFormat {
 public:
  explicit SafetensorsTrace(const std::string& file) : fd_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (fd_ < 0 || ::fstat(fd_, &status) != 0)
      throw EnvironmentError(fmt::format("cannot be opened: {}", std::strerror(errno)));
    std::array<unsigned char, 8> length{};
    if (status.st_size >= 8) read_at(0, length.data(), 8);
    const std::int64_t size = safetensors_header_bytes(length.data(), status.st_size);
    if (size < 0) throw InputError("neither HDF5 nor safetensors, or truncated");
    std::string text(static_cast<std::size_t>(size), '\0');
    read_at(8, text.data(), size);
    header_ = parse_safetensors_header(text, status.st_size);
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
    widen(element_type("sink_logit", sink.dtype), whole(sink).data(), labels.sink_logit);
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
      read_at(entry.begin + layer * layer_bytes + done, block.data(), size);
      output.write(block.data(), static_cast<std::size_t>(size));
      done += size;
    }
  }

 private:
  std::optional<StoredTensor> tensor(const std::string& name) const {
    const auto it = header_.tensors.find(name);
    if (it == header_.tensors.end()) return std::nullopt;
    return StoredTensor{element_type(name, it->second.dtype), it->second.extents};
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
    read_at(entry.begin, bytes.data(), static_cast<Index>(bytes.size()));
    return bytes;
  }

  void read_at(Index offset, void* data, Index bytes) const {
    char* at = static_cast<char*>(data);
    while (bytes > 0) {
      const ssize_t count = ::pread(fd_, at, static_cast<std::size_t>(bytes), offset);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw EnvironmentError(fmt::format("cannot be read: {}", std::strerror(errno)));
      if (count == 0) throw InputError("truncated while it was read");
      at += count;
      offset += count;
      bytes -= count;
    }
  }

  int fd_;
  SafetensorsHeader header_;
};

}  // namespace

std::unique_ptr<TraceFormat> open_safetensors_trace(const std::string& file) {
  return std::make_unique<SafetensorsTrace>(file);
}

}  // namespace lacuna
