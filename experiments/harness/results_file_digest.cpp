// content_sha256: the same for files that hold the same results, however they are chunked, compressed or ordered.
//
// Datasets in the order of their paths' bytes, each as: path, NUL, type ("f64", "i64", "u8", "text"), NUL, rank and
// extents as u64, then the values in row-major order, little-endian, every NaN as the same NaN; a text as its length in
// bytes (u64) and its bytes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/error.hpp"
#include "data/base/guarded_child.hpp"
#include "data/base/sha256.hpp"
#include "data/hdf5/dataset.hpp"
#include "data/hdf5/error.hpp"
#include "data/hdf5/file.hpp"
#include "data/hdf5/slab_blocks.hpp"
#include "experiments/harness/results_file.hpp"

namespace lacuna {
namespace {

static_assert(std::endian::native == std::endian::little, "values are hashed as they stand in memory");

constexpr int max_depth = 32;  // of groups: more is a damaged file, or a cycle

void make_nans_equal(std::span<std::uint64_t> bits) {
  constexpr std::uint64_t infinity = 0x7FF0000000000000ULL;
  constexpr std::uint64_t nan = 0x7FF8000000000000ULL;
  for (std::uint64_t& value : bits) value = (value & ~(std::uint64_t{1} << 63)) > infinity ? nan : value;
}

std::int64_t checked_cells(std::span<const std::int64_t> count) {
  std::int64_t cells = 1;
  for (const std::int64_t extent : count)
    if (__builtin_mul_overflow(cells, extent, &cells)) throw InputError("a dataset is too large");
  return cells;
}

void send_numbers(ChildOutput& form, const hdf5::Handle& dataset, const std::string& path, hdf5::NumberType type,
                  const std::vector<std::int64_t>& extents) {
  const std::int64_t element_bytes = hdf5::bytes_of(type);
  std::vector<std::uint64_t> buffer;
  for (hdf5::SlabBlocks blocks(extents, element_bytes); !blocks.done(); blocks.next()) {
    const std::vector<std::int64_t> count = blocks.count();
    const std::int64_t cells = checked_cells(count);
    buffer.resize(static_cast<std::size_t>(cells * element_bytes) / sizeof(std::uint64_t) + 1);
    hdf5::read_slab(dataset, path, type, blocks.start(), count, buffer.data());
    if (type == hdf5::NumberType::f64) make_nans_equal(std::span(buffer).first(cells));
    form.write(buffer.data(), static_cast<std::size_t>(cells * element_bytes));
  }
}

void send_texts(ChildOutput& form, const hdf5::Handle& dataset, const std::string& path,
                const std::vector<std::int64_t>& extents) {
  if (extents.size() > 1) throw InputError(fmt::format("{} holds texts in more than one dimension", path));
  const std::int64_t cells = checked_cells(extents);
  constexpr std::int64_t texts_at_a_time = 1024;
  for (std::int64_t start = 0; start < cells; start += texts_at_a_time) {
    std::vector<std::string> texts(std::min(texts_at_a_time, cells - start));
    hdf5::read_texts(dataset, path, start, texts);
    for (const std::string& text : texts) form.write_text(text);
  }
}

void send_dataset(ChildOutput& form, const hdf5::Handle& root, const std::string& path) {
  const hdf5::Handle dataset = hdf5::open_dataset(root, path);
  const hdf5::ResultType type = hdf5::result_type_of(dataset, path);
  const std::vector<std::int64_t> extents = hdf5::extents_of(dataset, path);
  const auto begin = [&](std::string_view type_name) {
    form.write(path.c_str(), path.size() + 1);
    form.write(type_name.data(), type_name.size());
    form.write("", 1);
    form.write_integer(static_cast<std::int64_t>(extents.size()));
    for (const std::int64_t extent : extents) form.write_integer(extent);
  };
  switch (type) {
    case hdf5::ResultType::f64:
      begin("f64");
      return send_numbers(form, dataset, path, hdf5::NumberType::f64, extents);
    case hdf5::ResultType::i64:
      begin("i64");
      return send_numbers(form, dataset, path, hdf5::NumberType::i64, extents);
    case hdf5::ResultType::u8:
      begin("u8");
      return send_numbers(form, dataset, path, hdf5::NumberType::u8, extents);
    case hdf5::ResultType::text:
      begin("text");
      return send_texts(form, dataset, path, extents);
    case hdf5::ResultType::other:
      break;
  }
  throw InputError(fmt::format("{} has a type that results files do not hold", path));
}

/// Paths of all datasets below a group, in no particular order.
void collect(const hdf5::Handle& group, const std::string& path, int depth, std::vector<std::string>& datasets) {
  if (depth > max_depth) throw InputError(fmt::format("{} is nested too deeply", path));
  for (const std::string& name : hdf5::link_names(group, path)) {
    const std::string inner = fmt::format("{}/{}", path, name);
    const hdf5::LinkKind kind = hdf5::link_kind(group, name);
    if (kind == hdf5::LinkKind::dataset)
      datasets.push_back(inner);
    else if (kind == hdf5::LinkKind::group)
      collect(hdf5::open_group(group, name), inner, depth + 1, datasets);
    else
      throw InputError(fmt::format("{} is neither a group nor a dataset", inner));
  }
}

bool is_provenance(const std::string& path) { return path.starts_with("/provenance/"); }

void send_canonical_form(ChildOutput& form, const hdf5::Handle& root) {
  std::vector<std::string> datasets;
  collect(root, "", 0, datasets);
  std::sort(datasets.begin(), datasets.end());
  for (const std::string& path : datasets)
    if (!is_provenance(path)) send_dataset(form, root, path);
}

}  // namespace

std::string content_sha256(const std::filesystem::path& file) {
  const std::string name = file.string();
  std::error_code error;
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file, error));
  if (error) throw InputError(fmt::format("{}: {}", name, error.message()));
  const ChildLimits limits{.memory_bytes = (std::int64_t{1} << 30) + bytes, .cpu_seconds = 60 + bytes / 10'000'000};
  // The child reads and checks while this process hashes.
  GuardedChild child(name, limits, [&](ChildOutput& output) {
    try {
      send_canonical_form(output, hdf5::open_file(name, hdf5::OpenMode::read, "it as HDF5"));
    } catch (const hdf5::Hdf5Error& reason) {
      throw InputError(reason.what());
    }
  });
  Sha256 digest;
  std::vector<char> buffer(std::size_t{1} << 20);
  while (const std::size_t size = child.read_some(buffer.data(), buffer.size())) digest.update(buffer.data(), size);
  return digest.hex();
}

}  // namespace lacuna
