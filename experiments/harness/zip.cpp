#include "experiments/harness/zip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/base/suggestion.hpp"

namespace lacuna {
namespace {

class ZipReader {
 public:
  ZipReader(StudyDraft& draft, Diagnostics& diagnostics) : draft_(draft), diagnostics_(diagnostics) {}

  void read(const TomlEntry& sweep) {
    const TomlNode::Table* table = sweep.node.table();
    if (table == nullptr)
      return diagnostics_.error(sweep.at, fmt::format("'sweep' must be a table, not {}", describe(sweep.node)));
    for (const TomlEntry& entry : *table) {
      const TomlNode::Array* zips = entry.node.array();
      if (entry.key != "zip") {
        diagnostics_.error(entry.at, unknown_key(entry.key, "", "[sweep]", {"zip"}));
      } else if (zips == nullptr) {
        diagnostics_.error(
            entry.at, fmt::format("'zip' must be a list of tables, each [[sweep.zip]], not {}", describe(entry.node)));
      } else {
        for (const TomlNode& zip : *zips) read_zip(zip);
      }
    }
  }

 private:
  void read_zip(const TomlNode& zip) {
    const TomlNode::Table* table = zip.table();
    if (table == nullptr)
      return diagnostics_.error(zip.at, fmt::format("'zip' holds {} where a table belongs", describe(zip)));
    for (const TomlEntry& entry : *table)
      if (entry.key != "keys") diagnostics_.error(entry.at, unknown_key(entry.key, "", "[[sweep.zip]]", {"keys"}));
    const TomlEntry* keys = find(*table, "keys");
    if (keys == nullptr) return diagnostics_.error(zip.at, "missing key 'keys' in [[sweep.zip]]");
    const TomlNode::Array* list = keys->node.array();
    if (list == nullptr || list->size() < 2)
      return diagnostics_.error(keys->at, "'keys' in [[sweep.zip]] must be a list of at least two full keys");
    read_keys(*list);
  }

  /// A swept parameter, as a full key names it.
  struct Swept {
    std::string full_key;
    OwnerDraft* owner = nullptr;
    const ReadParameter* parameter = nullptr;
  };

  void read_keys(const TomlNode::Array& keys) {
    std::vector<Swept> zip;
    bool legal = true;
    for (const TomlNode& key : keys) {
      const auto swept = find_swept(key);
      if (swept) zip.push_back(*swept);
      if (!swept || !fits(key, zip.front(), *swept)) legal = false;
    }
    if (zip.empty()) return;
    OwnerDraft& owner = *zip.front().owner;
    if (!legal) {
      owner.sound = false;  // its cells would be another product than the one that was asked for
      return;
    }
    owner.zips.emplace_back();
    for (const Swept& swept : zip) owner.zips.back().push_back(swept.parameter->spec.key);
  }

  bool fits(const TomlNode& at, const Swept& first, const Swept& other) {
    const std::size_t length = first.parameter->values.size();
    const std::size_t other_length = other.parameter->values.size();
    if (first.owner != other.owner)
      return refuse(at, fmt::format("'{}' and '{}' belong to different tables and cannot be zipped", first.full_key,
                                    other.full_key));
    if (length != other_length)
      return refuse(at, fmt::format("zipped lists of unequal length: '{}' has {} values, '{}' has {}", first.full_key,
                                    length, other.full_key, other_length));
    return true;
  }

  bool refuse(const TomlNode& at, const std::string& message) {
    diagnostics_.error(at.at, message);
    return false;
  }

  /// Nothing with an error reported when the node names no swept parameter.
  std::optional<Swept> find_swept(const TomlNode& node) {
    const std::string* text = node.text();
    if (text == nullptr) {
      refuse(node, fmt::format("'keys' in [[sweep.zip]] must hold texts, not {}", describe(node)));
      return std::nullopt;
    }
    Swept swept{.full_key = *text, .owner = find_owner(node, *text)};
    if (swept.owner == nullptr) return std::nullopt;
    OwnerDraft& owner = *swept.owner;
    const std::string key = text->substr(owner.address.size() + 1);
    swept.parameter = owner.set.find(key);
    if (swept.parameter == nullptr) {
      const auto& undecided = owner.set.undecided;
      const bool may_be_right = std::find(undecided.begin(), undecided.end(), key) != undecided.end();
      if (may_be_right && !owner.sound) return std::nullopt;  // its kind has the fault
      std::vector<std::string> known;
      for (const ReadParameter& candidate : owner.set.parameters) known.push_back(candidate.spec.key);
      refuse(node, fmt::format("'{}' is no parameter of {}{}", shown(key), owner.set.owner, did_you_mean(key, known)));
      return std::nullopt;
    }
    if (!swept.parameter->swept) {
      // a list with a fault of its own is not there to be zipped, and was reported
      if (owner.sound) refuse(node, fmt::format("'{}' is not swept", shown(*text)));
      return std::nullopt;
    }
    const auto [earlier, is_new] = zipped_.emplace(*text, node.at);
    if (!is_new) {
      refuse(node, fmt::format("'{}' is zipped already in line {}", shown(*text), earlier->second.line));
      return std::nullopt;
    }
    return swept;
  }

  OwnerDraft* find_owner(const TomlNode& node, const std::string& full_key) {
    if (full_key.starts_with("source.")) return &draft_.source;
    if (!full_key.starts_with("path.")) {
      refuse(node, fmt::format("'{}' is not a full key: write source.KEY or path.NAME.KEY", shown(full_key)));
      return nullptr;
    }
    std::vector<std::string> names;
    for (OwnerDraft& path : draft_.paths) {
      if (full_key.starts_with(path.address + ".")) return &path;
      names.push_back(path.name);
    }
    const std::string name = full_key.substr(5, full_key.find('.', 5) - 5);
    refuse(node, fmt::format("no [[path]] is named '{}'{}", shown(name), did_you_mean(name, names)));
    return nullptr;
  }

  StudyDraft& draft_;
  Diagnostics& diagnostics_;
  std::map<std::string, Position> zipped_;
};

}  // namespace

void read_zips(const TomlEntry& sweep, StudyDraft& draft, Diagnostics& diagnostics) {
  ZipReader(draft, diagnostics).read(sweep);
}

}  // namespace lacuna
