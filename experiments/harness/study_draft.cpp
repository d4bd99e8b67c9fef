#include "experiments/harness/study_draft.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/suggestion.hpp"
#include "experiments/harness/draft_tables.hpp"
#include "experiments/harness/source_check.hpp"
#include "experiments/harness/zip.hpp"

namespace lacuna {
namespace {

class DraftReader {
 public:
  DraftReader(const TomlNode::Table& root, Diagnostics& diagnostics) : root_(root), diagnostics_(diagnostics) {}

  StudyDraft read(const std::string& source_kind) {
    StudyDraft draft;
    draft.source = read_source(root_, source_kind, diagnostics_);
    const auto table_of = [](const TomlNode::Table& path) { return path_table(text_at(path, "select.by")); };
    for (NamedTable& path : read_named_tables(root_, "path", table_of, diagnostics_))
      draft.paths.push_back({.address = "path." + path.name,
                             .name = path.name,
                             .set = std::move(path.set),
                             .zips = {},
                             .sound = path.sound});
    for (std::size_t i = 0; i < draft.paths.size(); ++i) resolve_reference(draft.paths, i);
    if (const TomlEntry* sweep = find(root_, "sweep")) read_zips(*sweep, draft, diagnostics_);
    return draft;
  }

 private:
  /// Which earlier path's selection a path of select.by = "path" reads.
  void resolve_reference(std::vector<OwnerDraft>& paths, std::size_t number) {
    OwnerDraft& path = paths[number];
    if (path.set.text("select.by") != "path") return;
    const ReadParameter* reference = path.set.find(kReferenceKey);
    if (reference == nullptr || reference->values.empty()) return;
    const std::string name = path.set.text(kReferenceKey);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < number; ++i) names.push_back(paths[i].name);
    const auto earlier = std::find(names.begin(), names.end(), name);
    if (!reference->swept && earlier != names.end()) {
      const std::ptrdiff_t place = earlier - names.begin();
      path.referenced = static_cast<int>(place);
      if (paths[static_cast<std::size_t>(place)].set.subtables.count("region") == 0) return;
      diagnostics_.error(reference->at,
                         fmt::format("'{}' in {} = \"{}\" names a path with regions, which selects no keys",
                                     kReferenceKey, path.set.owner, shown(name)));
      path.sound = false;
      return;
    }
    const bool later = std::any_of(paths.begin() + static_cast<std::ptrdiff_t>(number), paths.end(),
                                   [&](const OwnerDraft& other) { return other.name == name; });
    const std::string fault =
        reference->swept ? "cannot be swept"
        : later          ? fmt::format("= \"{}\" must name a path that stands above this one", shown(name))
                : fmt::format("= \"{}\" names no [[path]] above this one{}", shown(name), did_you_mean(name, names));
    diagnostics_.error(reference->at, fmt::format("'{}' in {} {}", kReferenceKey, path.set.owner, fault));
    path.sound = false;
  }

  const TomlNode::Table& root_;
  Diagnostics& diagnostics_;
};

}  // namespace

StudyDraft read_draft(const TomlNode::Table& root, const std::string& source_kind, Diagnostics& diagnostics) {
  return DraftReader(root, diagnostics).read(source_kind);
}

}  // namespace lacuna
