// Traces in HDF5: one dataset per tensor in the root group, the scale as an attribute of it.
#include <algorithm>
#include <filesystem>

#include "data/hdf5/attribute.hpp"
#include "data/hdf5/dimension_scale.hpp"
#include "data/hdf5/error.hpp"
#include "data/hdf5/file.hpp"
#include "data/hdf5/foreign_dataset.hpp"
#include "data/trace/trace_format.hpp"

namespace lacuna {
namespace {

using hdf5::ElementLayout;
using hdf5::ForeignDataset;

constexpr std::size_t max_encoding_bytes = 64;
constexpr Index block_bytes = Index{4} << 20;  // read at a time

/// HDF5 has no bf16 of its own (before 2.0): uint16 with the attribute encoding = "bfloat16".
ElementType element_type(const ForeignDataset& dataset) {
  const ElementLayout& element = dataset.element;
  if (element.kind == ElementLayout::Kind::ieee_float) {
    if (element.bytes == 8 && element.exponent_bits == 11) return ElementType::f64;
    if (element.bytes == 4 && element.exponent_bits == 8) return ElementType::f32;
    if (element.bytes == 2 && element.exponent_bits == 8) return ElementType::bf16;
    if (element.bytes == 2 && element.exponent_bits == 5) return ElementType::f16;
  }
  const std::string name = fmt::format("dataset '{}'", dataset.name);
  if (element.kind == ElementLayout::Kind::integer && element.bytes == 2 && !element.is_signed) {
    std::optional<std::string> encoding;
    try {
      encoding = hdf5::read_text_attribute(dataset.handle, "encoding", max_encoding_bytes);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", name, error.what()));
    }
    if (encoding == "bfloat16") return ElementType::bf16;
    throw InputError(fmt::format("{} is uint16 with {}; bf16 needs the attribute encoding = \"bfloat16\"", name,
                                 encoding ? "encoding \"" + *encoding + "\"" : "no attribute 'encoding'"));
  }
  throw InputError(fmt::format("{} has elements of type {}; expected float16, float32, float64, or bf16 as uint16",
                               name, element.text));
}

void to_little_endian(std::vector<std::byte>& bytes, Index element_bytes) {
  for (auto at = bytes.begin(); at != bytes.end(); at += element_bytes) std::reverse(at, at + element_bytes);
}

class Hdf5Trace final : public TraceFormat {
 public:
  explicit Hdf5Trace(const std::string& file)
      : file_bytes_(static_cast<Index>(std::filesystem::file_size(file))),
        file_(hdf5::open_file(file, hdf5::OpenMode::read, "it as HDF5")) {}

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
      if (const auto number = hdf5::read_number_attribute(file_, std::string(name)))
        labels.numbers.emplace(name, *number);
    if (!sizes.has_sink) return labels;

    const ForeignDataset sink = *hdf5::open_foreign_dataset(file_, "sink_logit", file_bytes_);
    const std::vector<Index> start(sink.extents.size(), 0);
    labels.sink_logit.resize(sizes.layers * sizes.heads);
    widen(element_type(sink), read_block(sink, start, sink.extents).data(), labels.sink_logit);
    return labels;
  }

  NamesInFile names() override {
    NamesInFile names;
    for (std::string& name : hdf5::link_names(file_, "the root group"))
      if (!hdf5::is_scale(file_, name)) names.datasets.push_back(std::move(name));
    names.attributes = hdf5::attribute_names(file_);
    return names;
  }

  void send(std::string_view tensor, Index layer, ChildOutput& output) override {
    const auto dataset = hdf5::open_foreign_dataset(file_, std::string(tensor), file_bytes_);
    const std::size_t rank = dataset ? dataset->extents.size() : 0;
    if (rank != 3 && rank != 4) throw InputError(fmt::format("dataset '{}' has changed", tensor));
    const Index heads = rank == 4 ? dataset->extents[1] : 1;
    const Index rows = dataset->extents[rank - 2];
    const Index width = dataset->extents[rank - 1];
    const Index block = std::max<Index>(1, block_bytes / (width * dataset->element.bytes));
    for (Index head = 0; head < heads; ++head) {
      for (Index row = 0; row < rows; row += block) {
        std::vector<Index> start{layer, head, row, 0};
        std::vector<Index> count{1, 1, std::min(block, rows - row), width};
        if (rank == 3) {
          start.erase(start.begin() + 1);
          count.erase(count.begin() + 1);
        }
        const std::vector<std::byte> bytes = read_block(*dataset, start, count);
        output.write(bytes.data(), bytes.size());
      }
    }
  }

 private:
  std::optional<StoredTensor> tensor(const std::string& name) const {
    const auto dataset = hdf5::open_foreign_dataset(file_, name, file_bytes_);
    if (!dataset) return std::nullopt;
    return StoredTensor{element_type(*dataset), dataset->extents};
  }

  std::optional<std::vector<Index>> integers(const std::string& name, Index size) const {
    const auto dataset = hdf5::open_foreign_dataset(file_, name, file_bytes_);
    if (!dataset) return std::nullopt;
    if (dataset->element.kind != ElementLayout::Kind::integer)
      throw InputError(
          fmt::format("dataset '{}' has elements of type {}; expected an integer", name, dataset->element.text));
    if (dataset->extents != std::vector<Index>{size})
      throw InputError(
          fmt::format("dataset '{}' has shape {}; expected [{}]", name, shape_text(dataset->extents), size));
    return hdf5::read_integers(*dataset);
  }

  static std::vector<std::byte> read_block(const ForeignDataset& dataset, const std::vector<Index>& start,
                                           const std::vector<Index>& count) {
    Index bytes = dataset.element.bytes;
    for (const Index extent : count) bytes *= extent;
    std::vector<std::byte> values(bytes);
    hdf5::read_stored_slab(dataset, start, count, values.data());
    if (dataset.element.big_endian) to_little_endian(values, dataset.element.bytes);
    return values;
  }

  Index file_bytes_;
  hdf5::Handle file_;
};

}  // namespace

std::unique_ptr<TraceFormat> open_hdf5_trace(const std::string& file) { return std::make_unique<Hdf5Trace>(file); }

}  // namespace lacuna
