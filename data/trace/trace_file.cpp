#include "data/trace/trace_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "data/base/guarded_child.hpp"
#include "data/base/sha256.hpp"
#include "data/hdf5/error.hpp"
#include "data/trace/trace_format.hpp"

namespace lacuna {
namespace {

constexpr Index block_bytes = Index{1} << 20;  // of stored elements, received at a time
constexpr Index gibibyte = Index{1} << 30;

/// Whether the file begins with the HDF5 signature, or has it after a user block of 512, 1024, ... bytes.
bool has_hdf5_signature(const std::string& file) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) throw EnvironmentError(fmt::format("{}: cannot be opened: {}", file, std::strerror(errno)));
  bool found = false;
  for (off_t offset = 0; !found && offset <= 1 << 20; offset = offset == 0 ? 512 : 2 * offset) {
    std::array<char, 8> bytes{};
    if (::pread(fd, bytes.data(), bytes.size(), offset) != static_cast<ssize_t>(bytes.size())) break;
    found = std::string_view(bytes.data(), bytes.size()) == signature;
  }
  ::close(fd);
  return found;
}

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

void send_tensor(ChildOutput& output, const std::optional<StoredTensor>& tensor) {
  output.write_integer(tensor.has_value() ? 1 : 0);
  if (!tensor) return;
  output.write_integer(static_cast<Index>(tensor->element));
  output.write_integers(tensor->extents);
}

std::optional<StoredTensor> receive_tensor(GuardedChild& child) {
  constexpr std::size_t max_rank = 64;
  if (child.read_integer() == 0) return std::nullopt;
  const Index element = std::clamp<Index>(child.read_integer(), 0, static_cast<Index>(ElementType::f64));
  return StoredTensor{static_cast<ElementType>(element), child.read_integers(max_rank)};
}

void send_list(ChildOutput& output, const std::optional<std::vector<Index>>& list) {
  output.write_integer(list.has_value() ? 1 : 0);
  if (list) output.write_integers(*list);
}

std::optional<std::vector<Index>> receive_list(GuardedChild& child, Index size) {
  if (child.read_integer() == 0) return std::nullopt;
  return child.read_integers(static_cast<std::size_t>(size));
}

TraceHeader read_header(const std::string& file, bool is_hdf5, Index file_bytes) {
  const ChildLimits limits{.memory_bytes = gibibyte + 4 * std::min(file_bytes, 1024 * gibibyte), .cpu_seconds = 30};
  GuardedChild child(file, limits, [&](ChildOutput& output) {
    with_format(file, is_hdf5, [&](TraceFormat& format) {
      const StoredTensors tensors = format.tensors();
      const StoredLabels labels = format.labels(checked_sizes(tensors));
      for (const auto* tensor : {&tensors.q, &tensors.k, &tensors.v, &tensors.sink_logit}) send_tensor(output, *tensor);
      for (const auto* list : {&labels.layer, &labels.head, &labels.query_position, &labels.key_position})
        send_list(output, *list);
      output.write_reals(labels.sink_logit);
      output.write_integer(labels.sm_scale.has_value() ? 1 : 0);
      output.write_real(labels.sm_scale.value_or(0));
    });
  });
  StoredTensors tensors;
  for (auto* tensor : {&tensors.q, &tensors.k, &tensors.v, &tensors.sink_logit}) *tensor = receive_tensor(child);
  try {
    const TraceSizes sizes = checked_sizes(tensors);
    StoredLabels labels;
    labels.layer = receive_list(child, sizes.layers);
    labels.head = receive_list(child, sizes.heads);
    labels.query_position = receive_list(child, sizes.queries);
    labels.key_position = receive_list(child, sizes.keys);
    labels.sink_logit = child.read_reals(static_cast<std::size_t>(sizes.layers * sizes.heads));
    const bool has_scale = child.read_integer() != 0;
    const double scale = child.read_real();
    if (has_scale) labels.sm_scale = scale;
    child.finish();
    return checked_header(sizes, labels);
  } catch (const InputError& error) {
    const std::string message = error.what();
    if (message.starts_with(file + ": ")) throw;
    throw InputError(fmt::format("{}: {}", file, message));
  }
}

/// One tensor of one layer on its way from the child.
struct Arrival {
  std::string_view name;  // "q", "k", "v"
  ElementType element;
  Index heads, rows, width;
};

template <class T>
std::vector<T> receive(GuardedChild& child, const Arrival& arrival) {
  std::vector<T> values(arrival.heads * arrival.rows * arrival.width);
  const Index element_bytes = bytes_of(arrival.element);
  std::vector<std::byte> block(block_bytes);
  for (std::size_t done = 0; done < values.size();) {
    const std::size_t count = std::min(values.size() - done, static_cast<std::size_t>(block_bytes / element_bytes));
    child.read(block.data(), count * static_cast<std::size_t>(element_bytes));
    widen(arrival.element, block.data(), std::span<T>(values).subspan(done, count));
    done += count;
  }
  return values;
}

template <class T>
void check_finite(const std::vector<T>& values, const Arrival& arrival, const TraceHeader& header, Index layer) {
  const Index bad = first_not_finite(values);
  if (bad < 0) return;
  const Index row = bad / arrival.width;
  const Index head = row / arrival.rows;
  const bool is_query = arrival.name == "q";
  throw InputError(fmt::format("dataset '{}' holds {} at layer {}, {} {}, {} {}, channel {}", arrival.name, values[bad],
                               header.layer[layer], is_query ? "head" : "KV head", is_query ? header.head[head] : head,
                               is_query ? "query" : "key", row % arrival.rows, bad % arrival.width));
}

template <class T>
Tensor receive_tensor_of(GuardedChild& child, const Arrival& arrival, const TraceHeader& header, Index layer) {
  std::vector<T> values = receive<T>(child, arrival);
  check_finite(values, arrival, header, layer);
  return Tensor(arrival.heads, arrival.rows, arrival.width, std::move(values));
}

}  // namespace

TraceFile::TraceFile(std::filesystem::path file)
    : file_(std::move(file)),
      identity_(identify(file_)),
      is_hdf5_(has_hdf5_signature(file_.string())),
      header_(read_header(file_.string(), is_hdf5_, identity_.bytes)) {}

AttentionProblem TraceFile::load(Index layer) const {
  const TraceSizes& sizes = header_.sizes;
  LACUNA_ASSERT(layer >= 0 && layer < sizes.layers);
  check_unchanged();
  const std::string name = file_.string();
  const Index stored = sizes.stored_bytes();
  const ChildLimits limits{.memory_bytes = gibibyte + 4 * std::min(stored, 1024 * gibibyte),
                           .cpu_seconds = 30 + stored / 20'000'000};
  GuardedChild child(name, limits, [&](ChildOutput& output) {
    with_format(name, is_hdf5_, [&](TraceFormat& format) {
      if (!(checked_sizes(format.tensors()) == sizes)) throw InputError("changed since it was opened");
      format.send("q", layer, output);
      format.send("k", layer, output);
      if (!sizes.shared_kv) format.send("v", layer, output);
    });
  });

  const auto tensor = [&](const Arrival& arrival) {
    return sizes.is_double() ? receive_tensor_of<double>(child, arrival, header_, layer)
                             : receive_tensor_of<float>(child, arrival, header_, layer);
  };
  AttentionProblem problem;
  try {
    problem.q = tensor({"q", sizes.q, sizes.heads, sizes.queries, sizes.d_qk});
    problem.k = tensor({"k", sizes.k, sizes.kv_heads, sizes.keys, sizes.d_qk});
    if (!sizes.shared_kv) problem.v = tensor({"v", sizes.v, sizes.kv_heads, sizes.keys, sizes.d_v});
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
  problem.stored_element_bytes = bytes_of(sizes.k);
  return problem;
}

std::string TraceFile::sha256() const {
  check_unchanged();
  std::string digest = file_sha256(file_);
  check_unchanged();
  return digest;
}

TraceFile::Identity TraceFile::identify(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    const int error = errno;
    const std::string message = fmt::format("{}: {}", file.string(), std::strerror(error));
    if (error == ENOENT || error == ENOTDIR) throw InputError(message);
    throw EnvironmentError(message);
  }
  if (!S_ISREG(status.st_mode)) throw InputError(fmt::format("{}: not a regular file", file.string()));
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .bytes = status.st_size,
          .modified_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
}

void TraceFile::check_unchanged() const {
  if (!(identify(file_) == identity_)) throw InputError(fmt::format("{}: changed since it was opened", file_.string()));
}

}  // namespace lacuna
