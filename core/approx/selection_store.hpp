// Selections that paths publish, for paths that read another path's or an earlier layer's selection.
//
// A slot per (path, cell, layer, query, head); a layer is complete before the next one starts, and within a layer a
// query's paths answer in the order of the file, so that a reader always finds what it may read. Each slot has one
// writer: no locks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/approx/key_set.hpp"

namespace lacuna {

class SelectionStore {
 public:
  /// Makes room for the selections of one path: [layers][queries][heads].
  void reserve(const std::string& path, Index cell, Index layers, Index queries, Index heads) {
    slots_[{path, cell}] = {queries, heads, std::vector<std::optional<KeySet>>(layers * queries * heads)};
  }
  bool publishes(const std::string& path, Index cell) const { return slots_.count({path, cell}) > 0; }
  /// nullopt: the path made no selection there.
  std::optional<KeySet>& at(const std::string& path, Index cell, Index layer, Index query, Index head) {
    Slots& slots = slots_.at({path, cell});
    return slots.sets[(layer * slots.queries + query) * slots.heads + head];
  }
  const std::optional<KeySet>& at(const std::string& path, Index cell, Index layer, Index query, Index head) const {
    return const_cast<SelectionStore*>(this)->at(path, cell, layer, query, head);
  }

 private:
  struct Slots {
    Index queries = 0;
    Index heads = 0;
    std::vector<std::optional<KeySet>> sets;
  };
  std::map<std::pair<std::string, Index>, Slots> slots_;
};

}  // namespace lacuna
