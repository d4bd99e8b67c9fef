#include "data/trace/trace_file.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <string_view>
#include <utility>

#include "data/base/guarded_child.hpp"
#include "data/base/sha256.hpp"
#include "data/hdf5/error.hpp"
#include "data/hdf5/signature.hpp"
#include "data/trace/trace_format.hpp"

namespace lacuna {
namespace {

constexpr Index block_bytes = Index{1} << 20;  // of stored elements, received at a time
constexpr Index gibibyte = Index{1} << 30;

/// Opens the file and runs `use` on it, in the child. What the library cannot read is the file's fault here.
template <class Use>
void with_format(const std::string& file, bool is_hdf5, const Use& use) {
  try {
    const auto format = is_hdf5 ? open_hdf5_trace(file) : open_safetensors_trace(file);
    use(*format);
  } catch (const hdf5::Hdf5Error& error) {
    throw InputError(error.what());
  }
}

void send_tensors(ChildOutput& output, const StoredTensors& tensors) {
  for (const std::string_view name : kTensorNames) {
    const auto found = tensors.find(name);
    output.write_integer(found != tensors.end() ? 1 : 0);
    if (found == tensors.end()) continue;
    output.write_integer(static_cast<Index>(found->second.element));
    output.write_integers(found->second.extents);
  }
}

StoredTensors receive_tensors(GuardedChild& child) {
  constexpr std::size_t max_rank = 64;
  StoredTensors tensors;
  for (const std::string_view name : kTensorNames) {
    if (child.read_integer() == 0) continue;
    const Index element = std::clamp<Index>(child.read_integer(), 0, static_cast<Index>(ElementType::f64));
    tensors.emplace(name, StoredTensor{static_cast<ElementType>(element), child.read_integers(max_rank)});
  }
  return tensors;
}

void send_labels(ChildOutput& output, const StoredLabels& labels) {
  for (const std::string_view name : kListNames) {
    const auto list = labels.lists.find(name);
    output.write_integer(list != labels.lists.end() ? 1 : 0);
    if (list != labels.lists.end()) output.write_integers(list->second);
  }
  for (const std::string_view name : kNumberNames) {
    const auto number = labels.numbers.find(name);
    output.write_integer(number != labels.numbers.end() ? 1 : 0);
    if (number != labels.numbers.end()) output.write_real(number->second);
  }
  output.write_reals(labels.sink_logit);
}

StoredLabels receive_labels(GuardedChild& child, const TraceSizes& sizes) {
  StoredLabels labels;
  for (const std::string_view name : kListNames)
    if (child.read_integer() != 0)
      labels.lists.emplace(name, child.read_integers(static_cast<std::size_t>(sizes.length_of(name))));
  for (const std::string_view name : kNumberNames)
    if (child.read_integer() != 0) labels.numbers.emplace(name, child.read_real());
  labels.sink_logit = child.read_reals(static_cast<std::size_t>(sizes.layers * sizes.heads));
  return labels;
}

void send_notes(ChildOutput& output, const std::vector<std::string>& notes) {
  output.write_integer(static_cast<Index>(notes.size()));
  for (const std::string& note : notes) output.write_text(note);
}

std::vector<std::string> receive_notes(GuardedChild& child, const std::string& file) {
  constexpr std::size_t longest = 1024;
  std::vector<std::string> notes(std::min(static_cast<std::size_t>(child.read_integer()), kMostNotes));
  for (std::string& note : notes) note = fmt::format("{}: {}", file, child.read_text(longest));
  return notes;
}

struct Opening {
  TraceHeader header;
  std::vector<std::string> notes;
};

Opening read_opening(const std::string& file, bool is_hdf5, Index file_bytes) {
  const ChildLimits limits{.memory_bytes = gibibyte + 4 * std::min(file_bytes, 1024 * gibibyte), .cpu_seconds = 30};
  GuardedChild child(file, limits, [&](ChildOutput& output) {
    with_format(file, is_hdf5, [&](TraceFormat& format) {
      const StoredTensors tensors = format.tensors();
      const StoredLabels labels = format.labels(checked_sizes(tensors));
      send_tensors(output, tensors);
      send_labels(output, labels);
      send_notes(output, unread_notes(format.names()));
    });
  });
  const StoredTensors tensors = receive_tensors(child);
  try {
    const TraceSizes sizes = checked_sizes(tensors);
    const StoredLabels labels = receive_labels(child, sizes);
    const std::vector<std::string> notes = receive_notes(child, file);
    child.finish();
    return {checked_header(sizes, labels), notes};
  } catch (const InputError& error) {
    const std::string message = error.what();
    if (message.starts_with(file + ": ")) throw;
    throw InputError(fmt::format("{}: {}", file, message));
  }
}

template <class T>
std::vector<T> receive(GuardedChild& child, const LayerTensor& tensor) {
  std::vector<T> values(tensor.heads * tensor.rows * tensor.width);
  const Index element_bytes = bytes_of(tensor.element);
  std::vector<std::byte> block(block_bytes);
  for (std::size_t done = 0; done < values.size();) {
    const std::size_t count = std::min(values.size() - done, static_cast<std::size_t>(block_bytes / element_bytes));
    child.read(block.data(), count * static_cast<std::size_t>(element_bytes));
    widen(tensor.element, block.data(), std::span<T>(values).subspan(done, count));
    done += count;
  }
  return values;
}

/// "head 7, query 1, channel 3": where element i of a layer's tensor stands.
std::string place_of(const LayerTensor& tensor, const TraceHeader& header, Index i) {
  const Index channel = i % tensor.width;
  const Index row = i / tensor.width % tensor.rows;
  const Index head = i / tensor.width / tensor.rows;
  if (tensor.name == "q") return fmt::format("head {}, query {}, channel {}", header.head[head], row, channel);
  if (tensor.name == "index_q") return fmt::format("index head {}, query {}, channel {}", head, row, channel);
  if (tensor.name == "index_k") return fmt::format("key {}, channel {}", row, channel);
  if (tensor.name == "index_weights") return fmt::format("query {}, index head {}", row, channel);
  const bool is_local = tensor.name == "k_local" || tensor.name == "v_local";
  return fmt::format("KV head {}, {} {}, channel {}", head, is_local ? "token" : "key", row, channel);
}

template <class T>
Tensor receive_tensor_of(GuardedChild& child, const LayerTensor& tensor, const TraceHeader& header, Index layer) {
  std::vector<T> values = receive<T>(child, tensor);
  if (const Index bad = first_beyond(values, kLargestElement); bad >= 0)
    throw InputError(fmt::format("dataset '{}' holds {} at layer {}, {}{}", tensor.name, values[bad],
                                 header.layer[layer], place_of(tensor, header, bad),
                                 std::isfinite(values[bad]) ? ", too large: its products overflow double" : ""));
  return Tensor(tensor.heads, tensor.rows, tensor.width, std::move(values));
}

/// Where a tensor of a trace stands in the problem.
Tensor& place_in(AttentionProblem& problem, std::string_view name) {
  if (name == "q") return problem.q;
  if (name == "k") return problem.k;
  if (name == "v") return problem.v;
  if (name == "k_local") return problem.local.k;
  if (name == "v_local") return problem.local.v;
  if (!problem.index) problem.index.emplace();
  if (name == "index_q") return problem.index->q;
  if (name == "index_k") return problem.index->k;
  LACUNA_ASSERT(name == "index_weights");
  return problem.index->weight;
}

}  // namespace

TraceFile::TraceFile(std::filesystem::path file)
    : file_(std::move(file)), identity_(identify(file_)), is_hdf5_(hdf5::has_signature(file_.string())) {
  Opening opening = read_opening(file_.string(), is_hdf5_, identity_.bytes);
  header_ = std::move(opening.header);
  notes_ = std::move(opening.notes);
}

AttentionProblem TraceFile::load(Index layer) const {
  const TraceSizes& sizes = header_.sizes;
  LACUNA_ASSERT(layer >= 0 && layer < sizes.layers);
  check_unchanged(file_, identity_);
  const std::string name = file_.string();
  const Index stored = sizes.stored_bytes();
  const ChildLimits limits{.memory_bytes = gibibyte + 4 * std::min(stored, 1024 * gibibyte),
                           .cpu_seconds = 30 + stored / 20'000'000};
  GuardedChild child(name, limits, [&](ChildOutput& output) {
    with_format(name, is_hdf5_, [&](TraceFormat& format) {
      if (!(checked_sizes(format.tensors()) == sizes)) throw InputError("changed since it was opened");
      for (const LayerTensor& tensor : sizes.tensors) format.send(tensor.name, layer, output);
    });
  });

  AttentionProblem problem;
  try {
    for (const LayerTensor& tensor : sizes.tensors)
      place_in(problem, tensor.name) = sizes.is_double() ? receive_tensor_of<double>(child, tensor, header_, layer)
                                                         : receive_tensor_of<float>(child, tensor, header_, layer);
    child.finish();
  } catch (const std::bad_alloc&) {
    throw EnvironmentError(fmt::format("{}: layer {} does not fit into memory", name, header_.layer[layer]));
  } catch (const InputError& error) {
    const std::string message = error.what();
    if (message.starts_with(name + ": ")) throw;
    throw InputError(fmt::format("{}: {}", name, message));
  }
  problem.query_position = header_.query_position;
  problem.key_position = header_.key_position;
  if (sizes.has_sink) {
    const auto first = header_.sink_logit.begin() + layer * sizes.heads;
    problem.sink_logit.assign(first, first + sizes.heads);
  }
  problem.sm_scale = header_.sm_scale;
  const auto k = std::find_if(sizes.tensors.begin(), sizes.tensors.end(), [](const auto& t) { return t.name == "k"; });
  problem.stored_element_bytes = bytes_of(k->element);
  problem.local.window = header_.local_window;
  problem.value_channels = header_.value_channels;
  return problem;
}

std::string TraceFile::sha256() const {
  check_unchanged(file_, identity_);
  std::string digest = file_sha256(file_);
  check_unchanged(file_, identity_);
  return digest;
}

}  // namespace lacuna
