#include "data/tokens/token_file.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/base/error.hpp"
#include "data/base/file_identity.hpp"
#include "data/base/guarded_child.hpp"
#include "data/base/readable_file.hpp"
#include "data/hdf5/error.hpp"
#include "data/hdf5/file.hpp"
#include "data/hdf5/foreign_dataset.hpp"
#include "data/hdf5/signature.hpp"

namespace lacuna {
namespace {

using Rows = std::vector<std::vector<Index>>;

constexpr std::int64_t kMostTextBytes = std::int64_t{256} << 20;
constexpr std::string_view kBlank = " \t\r";

/// The ids of one line; `place` is "FILE:3".
std::vector<Index> ids_of(std::string_view line, const std::string& place) {
  std::vector<Index> ids;
  line = line.substr(0, line.find('#'));
  while (true) {
    const std::size_t begin = line.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return ids;
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(kBlank));
    Index id = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || end != word.data() + word.size() || id < 0)
      throw InputError(fmt::format("{}: '{}' is not a token id", place, word.substr(0, 32)));
    ids.push_back(id);
    line.remove_prefix(word.size());
  }
}

Rows read_text(const std::string& file, Index most) {
  const std::string text = read_whole(file, kMostTextBytes);
  if (text.find('\0') != std::string::npos)
    throw InputError(fmt::format("{}: neither HDF5 nor a text of token ids: it holds a byte 0", file));
  Rows rows;
  Index first_line = 0, number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string place = fmt::format("{}:{}", file, ++number);
    std::vector<Index> ids = ids_of(rest.substr(0, end), place);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (ids.empty()) continue;
    ids.resize(std::min<std::size_t>(ids.size(), static_cast<std::size_t>(most)));
    if (rows.empty()) first_line = number;
    if (!rows.empty() && ids.size() != rows.front().size())
      throw InputError(
          fmt::format("{}: {} tokens, of at most {} that are read; line {} has {}: give a smaller source.n", place,
                      ids.size(), most, first_line, rows.front().size()));
    rows.push_back(std::move(ids));
  }
  if (rows.empty()) throw InputError(fmt::format("{}: no token ids are in it", file));
  return rows;
}

/// Sends the number of sequences and of positions, then the ids. Runs in the guarded child.
void send_rows(const std::string& file, Index file_bytes, Index most, ChildOutput& output) {
  hdf5::prepare();
  const hdf5::Handle handle = hdf5::open_file(file, hdf5::OpenMode::read, "it as HDF5");
  const auto dataset = hdf5::open_foreign_dataset(handle, "tokens", file_bytes);
  if (!dataset) throw InputError("dataset 'tokens' is missing");
  if (dataset->element.kind != hdf5::ElementLayout::Kind::integer)
    throw InputError(
        fmt::format("dataset 'tokens' has elements of type {}; expected an integer", dataset->element.text));
  const std::vector<Index>& extents = dataset->extents;
  if (extents.size() != 2 || extents[0] < 1 || extents[1] < 1)
    throw InputError(
        fmt::format("dataset 'tokens' has shape [{}]; expected [sequence, position]", fmt::join(extents, ", ")));
  const std::vector<Index> ids = hdf5::read_integers(*dataset);
  const Index kept = std::min(most, extents[1]);
  output.write_integer(extents[0]);
  output.write_integer(kept);
  for (Index sequence = 0; sequence < extents[0]; ++sequence)
    output.write(ids.data() + sequence * extents[1], static_cast<std::size_t>(kept) * sizeof(Index));
}

Rows read_hdf5(const std::string& file, Index most) {
  const std::int64_t bytes = identify(file).bytes;
  const ChildLimits limits{.memory_bytes = (std::int64_t{1} << 30) + 16 * bytes, .cpu_seconds = 60};
  GuardedChild child(file, limits, [&](ChildOutput& output) {
    try {
      send_rows(file, bytes, most, output);
    } catch (const hdf5::Hdf5Error& error) {
      throw InputError(error.what());  // what the library cannot read is the file's fault here
    }
  });
  const Index sequences = child.read_integer();
  const Index positions = child.read_integer();
  Rows rows(static_cast<std::size_t>(sequences), std::vector<Index>(static_cast<std::size_t>(positions)));
  for (Index sequence = 0; sequence < sequences; ++sequence) {
    std::vector<Index>& row = rows[sequence];
    child.read(row.data(), row.size() * sizeof(Index));
    const auto bad = std::ranges::find_if(row, [](Index id) { return id < 0; });
    if (bad != row.end())
      throw InputError(fmt::format("{}: dataset 'tokens' holds {} at sequence {}, position {}", file, *bad, sequence,
                                   bad - row.begin()));
  }
  child.finish();
  return rows;
}

}  // namespace

std::vector<std::vector<Index>> read_token_file(const std::string& file, Index most) {
  identify(file);
  return hdf5::has_signature(file) ? read_hdf5(file, most) : read_text(file, most);
}

}  // namespace lacuna
