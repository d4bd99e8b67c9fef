// file: a selection that somebody else made, read from HDF5: an integer dataset
//   selected [sequence, layer, head, query, slot]
// of row indices into the cache, -1 for none, in the order of the source's sequences, layers, heads and queries. An
// index given twice counts once; a key that the query cannot see is an error, named by its row.
#include "data/hdf5/file.hpp"

#include <fmt/ranges.h>

#include "core/approx/selector.hpp"
#include "data/base/file_identity.hpp"
#include "data/base/guarded_child.hpp"
#include "data/hdf5/error.hpp"
#include "data/hdf5/foreign_dataset.hpp"

namespace lacuna {
namespace {

/// The selections of one sequence and layer.
struct FileSelection final : StageInput {
  Index queries = 0;
  Index slots = 0;
  std::vector<std::int64_t> rows;  ///< [head, query, slot]

  std::span<const std::int64_t> at(Index head, Index query) const {
    return std::span<const std::int64_t>(rows).subspan((head * queries + query) * slots, slots);
  }
};

/// Sends the number of slots, then the rows of one sequence and layer. Runs in the guarded child.
void send_rows(const std::string& file, Index file_bytes, const StageContext& context, ChildOutput& output) {
  hdf5::prepare();
  const hdf5::Handle handle = hdf5::open_file(file, hdf5::OpenMode::read, "it as HDF5");
  const auto dataset = hdf5::open_foreign_dataset(handle, "selected", file_bytes);
  if (!dataset) throw InputError("dataset 'selected' is missing");
  const std::vector<Index> expected = {context.sequences, static_cast<Index>(context.layer_label->size()),
                                       context.problem->h_q(), context.problem->s_q()};
  const std::vector<Index>& extents = dataset->extents;
  if (extents.size() != 5 || !std::equal(expected.begin(), expected.end(), extents.begin()))
    throw InputError(
        fmt::format("dataset 'selected' has shape [{}]; expected [{}, slot] for [sequence, layer, head, query, slot]",
                    fmt::join(extents, ", "), fmt::join(expected, ", ")));
  const hdf5::ElementLayout& element = dataset->element;
  if (element.kind != hdf5::ElementLayout::Kind::integer || !element.is_signed || element.big_endian ||
      (element.bytes != 4 && element.bytes != 8))
    throw InputError(fmt::format("dataset 'selected' has elements of type {}; expected int32 or int64", element.text));

  output.write_integer(extents[4]);
  for (Index head = 0; head < extents[2]; ++head) {
    const std::vector<Index> start = {context.sequence, context.layer, head, 0, 0};
    const std::vector<Index> count = {1, 1, 1, extents[3], extents[4]};
    std::vector<std::int64_t> rows(extents[3] * extents[4]);
    if (element.bytes == 8) {
      hdf5::read_stored_slab(*dataset, start, count, rows.data());
    } else {
      std::vector<std::int32_t> narrow(rows.size());
      hdf5::read_stored_slab(*dataset, start, count, narrow.data());
      std::copy(narrow.begin(), narrow.end(), rows.begin());
    }
    output.write(rows.data(), rows.size() * sizeof(std::int64_t));
  }
}

/// Every index must be -1 or a key that its query sees.
void check_rows(const FileSelection& selection, const std::string& file, const StageContext& context) {
  const LayerView& layer = *context.problem;
  for (Index head = 0; head < layer.h_q(); ++head)
    for (Index query = 0; query < layer.s_q(); ++query) {
      const Index visible = layer.visible_keys(layer.query_position[query]);
      for (const std::int64_t row : selection.at(head, query))
        if (row < -1 || row >= visible)
          throw InputError(fmt::format(
              "{}: dataset 'selected' holds row {} at sequence {}, layer {}, head {}, query position {}, which sees "
              "rows 0 to {}; -1 means none",
              file, row, context.sequence, (*context.layer_label)[context.layer], (*context.head_label)[head],
              layer.query_position[query], visible - 1));
    }
}

std::shared_ptr<const StageInput> load(const Parameters& path, const StageContext& context) {
  const std::string& file = path.text("select.file");
  const std::int64_t bytes = identify(file).bytes;
  GuardedChild child(file,
                     {.memory_bytes = (std::int64_t{1} << 30) + 4 * bytes, .cpu_seconds = 60 + bytes / 20'000'000},
                     [&](ChildOutput& output) {
                       try {
                         send_rows(file, bytes, context, output);
                       } catch (const hdf5::Hdf5Error& error) {
                         throw InputError(error.what());  // what the library cannot read is the file's fault here
                       }
                     });
  auto selection = std::make_shared<FileSelection>();
  selection->queries = context.problem->s_q();
  selection->slots = child.read_integer();
  selection->rows.resize(context.problem->h_q() * selection->queries * selection->slots);
  child.read(selection->rows.data(), selection->rows.size() * sizeof(std::int64_t));
  child.finish();
  check_rows(*selection, file, context);
  return selection;
}

class FileSelector final : public Selector {
 public:
  explicit FileSelector(std::shared_ptr<const StageInput> input)
      : input_(std::move(input)), selection_(dynamic_cast<const FileSelection&>(*input_)) {}

  std::optional<KeySet> answer(GroupQuery& query, const KeySet& candidates) override {
    KeySet chosen;
    for (const Index head : query.heads)
      for (const std::int64_t row : selection_.at(head, query.view.query()))
        if (row >= 0) chosen.push_back(static_cast<RowIndex>(row));
    make_set(chosen);
    KeySet result;
    std::set_intersection(chosen.begin(), chosen.end(), candidates.begin(), candidates.end(),
                          std::back_inserter(result));
    return result;
  }

 private:
  std::shared_ptr<const StageInput> input_;
  const FileSelection& selection_;
};

const bool registered = SelectorRegistry::instance().add(
    {.name = "file",
     .sentence = "A selection read from an HDF5 file: selected [sequence, layer, head, query, slot], -1 for none.",
     .parameters = {{.key = "file",
                     .type = ParameterType::text,
                     .required = true,
                     .sweepable = false,
                     .is_path = true,
                     .sentence = "The HDF5 file with the dataset `selected`."}},
     .check =
         [](const Parameters& path) {
           std::vector<ParameterFault> faults;
           collect_faults(faults, "select.file", [&] { identify(path.text("select.file")); });
           return faults;
         },
     .load = load,
     .open = [](const Parameters&,
                const StageContext& context) { return std::make_unique<FileSelector>(context.input); }});

}  // namespace
}  // namespace lacuna
