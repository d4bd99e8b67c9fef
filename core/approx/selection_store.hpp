// What paths publish for paths that read another path's selection, and for later layers of their own that take over a
// selection or a candidate pool.
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

struct Published {
  KeySet selected;                  ///< rows that the path selected, without window and sink tokens where it selects
  std::optional<KeySet> pool = {};  ///< rows of the pool that the layer built; none where it built none
};

class SelectionStore {
 public:
  /// Makes room for what one path publishes: [layers][queries][heads].
  void reserve(const std::string& path, Index cell, Index layers, Index queries, Index heads) {
    slots_[{path, cell}] = {queries, heads, std::vector<std::optional<Published>>(layers * queries * heads)};
  }
  /// The positions of a layer's rows: layers with other rows number them differently.
  void describe_rows(Index layer, const std::vector<Index>& key_position) { rows_[layer] = key_position; }
  /// Whether a layer's rows have these positions; a layer that was not described has.
  bool same_rows(Index layer, const std::vector<Index>& key_position) const {
    const auto found = rows_.find(layer);
    return found == rows_.end() || found->second == key_position;
  }
  /// nullopt: the path has no answer there.
  std::optional<Published>& at(const std::string& path, Index cell, Index layer, Index query, Index head) {
    Slots& slots = slots_.at({path, cell});
    return slots.of[(layer * slots.queries + query) * slots.heads + head];
  }
  const std::optional<Published>& at(const std::string& path, Index cell, Index layer, Index query, Index head) const {
    return const_cast<SelectionStore*>(this)->at(path, cell, layer, query, head);
  }

 private:
  struct Slots {
    Index queries = 0;
    Index heads = 0;
    std::vector<std::optional<Published>> of;
  };
  std::map<std::pair<std::string, Index>, Slots> slots_;
  std::map<Index, std::vector<Index>> rows_;  // by layer
};

}  // namespace lacuna
