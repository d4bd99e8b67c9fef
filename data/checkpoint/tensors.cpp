#include "data/checkpoint/tensors.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <new>
#include <utility>

#include "data/base/available_memory.hpp"
#include "data/base/guarded_child.hpp"
#include "data/trace/element.hpp"
#include "data/trace/trace_facts.hpp"

namespace lacuna {
namespace {

constexpr Index kBlockBytes = Index{1} << 20;  // of stored elements, read at a time
constexpr std::size_t kMostTensors = std::size_t{1} << 20;
constexpr std::size_t kLongestText = std::size_t{1} << 16;
constexpr std::size_t kMostRank = 64;
constexpr std::size_t kMostNotes = 9;
constexpr double kGigabyte = 1e9;

void send_header(const std::string& file, ChildOutput& output) {
  const auto header = read_safetensors_header(ReadableFile(file));
  if (!header) throw InputError("not safetensors, or truncated");
  output.write_integer(static_cast<Index>(header->tensors.size()));
  for (const auto& [name, entry] : header->tensors) {
    output.write_text(name);
    output.write_text(entry.dtype);
    output.write_integers(entry.extents);
    output.write_integer(entry.begin);
    output.write_integer(entry.end);
  }
}

std::map<std::string, SafetensorsEntry> receive_header(const std::string& file, Index file_bytes) {
  const ChildLimits limits{.memory_bytes = (Index{1} << 30) + 32 * std::min<Index>(file_bytes, 100'000'000),
                           .cpu_seconds = 30};
  GuardedChild child(file, limits, [&](ChildOutput& output) { send_header(file, output); });
  std::map<std::string, SafetensorsEntry> tensors;
  const auto size = static_cast<std::size_t>(child.read_integer());
  if (size > kMostTensors)
    throw InputError(fmt::format("{}: {} tensors; at most {} are read", file, size, kMostTensors));
  for (std::size_t i = 0; i < size; ++i) {
    const std::string name = child.read_text(kLongestText);
    SafetensorsEntry& entry = tensors[name];
    entry.dtype = child.read_text(kLongestText);
    entry.extents = child.read_integers(kMostRank);
    entry.begin = child.read_integer();
    entry.end = child.read_integer();
  }
  child.finish();
  return tensors;
}

std::string shape_of(const std::vector<Index>& extents) { return fmt::format("[{}]", fmt::join(extents, ", ")); }

}  // namespace

CheckpointTensors::CheckpointTensors(const CheckpointFiles& files)
    : checkpoint_(files.index.empty() ? files.shards.front() : files.index) {
  for (const std::string& file : files.shards) add_shard(file);
  check_index(files);
  check_memory();
}

void CheckpointTensors::add_shard(const std::string& file) try {
  const Shard& shard = *shards_.emplace_back(std::make_unique<Shard>(file));
  for (auto& [name, entry] : receive_header(file, shard.identity.bytes)) {
    const auto [place, is_new] = tensors_.try_emplace(name);
    if (!is_new)
      throw InputError(fmt::format("{}: tensor '{}' is in {} too", file, name, shards_[place->second.shard]->file));
    place->second.shard = shards_.size() - 1;
    place->second.entry = std::move(entry);
  }
} catch (const EnvironmentError& error) {
  const std::string message = error.what();
  throw EnvironmentError(message.starts_with(file) ? message : fmt::format("{}: {}", file, message));
}

void CheckpointTensors::check_index(const CheckpointFiles& files) const {
  for (const auto& [name, shard] : files.place) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end() || shards_[found->second.shard]->file != shard)
      throw InputError(fmt::format("{}: tensor '{}' is missing; {} says that it is there", shard, name, files.index));
  }
}

void CheckpointTensors::check_memory() const {
  double bytes = 0;
  for (const auto& [name, place] : tensors_) {
    const std::optional<ElementType> element = element_of(place.entry);
    if (!element || place.entry.extents.size() > 2) continue;  // masks and the like: no weights
    bytes += static_cast<double>(place.entry.end - place.entry.begin) / static_cast<double>(bytes_of(*element)) * 8;
  }
  const auto available = available_memory();
  if (available && bytes > static_cast<double>(*available))
    throw EnvironmentError(fmt::format("{}: its weights take {:.1f} GB in double; {:.1f} GB of memory are available",
                                       checkpoint_, bytes / kGigabyte, static_cast<double>(*available) / kGigabyte));
}

std::vector<double> CheckpointTensors::read(const std::string& name, const std::vector<Index>& extents) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw InputError(fmt::format("{}: tensor '{}' is missing", checkpoint_, name));
  Place& place = found->second;
  place.was_read = true;
  const Shard& shard = *shards_[place.shard];
  const std::string what = fmt::format("{}: tensor '{}'", shard.file, name);
  const std::optional<ElementType> element = element_of(place.entry);
  if (!element)
    throw InputError(
        fmt::format("{} has elements of type {}; expected F64, F32, F16 or BF16", what, place.entry.dtype));
  if (place.entry.extents != extents)
    throw InputError(fmt::format("{} has shape {}; the configuration needs {}", what, shape_of(place.entry.extents),
                                 shape_of(extents)));

  const Index element_bytes = bytes_of(*element);
  std::vector<double> values;
  try {
    values.resize(static_cast<std::size_t>((place.entry.end - place.entry.begin) / element_bytes));
  } catch (const std::bad_alloc&) {
    throw EnvironmentError(fmt::format("{} does not fit into memory", what));
  }
  std::vector<std::byte> block(kBlockBytes);
  for (std::size_t done = 0; done < values.size();) {
    const std::size_t count = std::min(values.size() - done, static_cast<std::size_t>(kBlockBytes / element_bytes));
    try {
      shard.content.read_at(place.entry.begin + static_cast<Index>(done) * element_bytes, block.data(),
                            static_cast<Index>(count) * element_bytes);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", what, error.what()));
    } catch (const EnvironmentError& error) {
      throw EnvironmentError(fmt::format("{}: {}", what, error.what()));
    }
    widen(*element, block.data(), std::span(values).subspan(done, count));
    done += count;
  }
  if (const Index bad = first_beyond(values, kLargestElement); bad >= 0) {
    const Index columns = extents.size() == 2 ? extents[1] : 1;
    throw InputError(fmt::format("{} holds {} at row {}{}", what, values[bad], bad / columns,
                                 extents.size() == 2 ? fmt::format(", column {}", bad % columns) : ""));
  }
  return values;
}

Matrix CheckpointTensors::matrix(const std::string& name, Index rows, Index columns) {
  return {rows, columns, read(name, {rows, columns})};
}

Matrix CheckpointTensors::transposed(const std::string& name, Index rows, Index columns) {
  const std::vector<double> stored = read(name, {columns, rows});
  Matrix matrix(rows, columns);
  for (Index i = 0; i < rows; ++i)
    for (Index c = 0; c < columns; ++c) matrix.row(i)[c] = stored[c * rows + i];
  return matrix;
}

std::vector<double> CheckpointTensors::vector(const std::string& name, Index size) { return read(name, {size}); }

std::vector<std::string> CheckpointTensors::notes() const {
  std::vector<std::string> notes;
  std::size_t count = 0;
  for (const auto& [name, place] : tensors_)
    if (!place.was_read && ++count < kMostNotes)
      notes.push_back(fmt::format("{}: tensor '{}' is not read", shards_[place.shard]->file, name));
  if (count >= kMostNotes)
    notes.push_back(fmt::format("{}: {} more tensors are not read", checkpoint_, count - kMostNotes + 1));
  return notes;
}

void CheckpointTensors::check_unchanged() const {
  for (const auto& shard : shards_) lacuna::check_unchanged(shard->file, shard->identity);
}

}  // namespace lacuna
