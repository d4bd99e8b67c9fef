// A list of kinds that grows by adding a file: a kind registers itself from a static object in its own .cpp.
// (The layers are linked whole, so no registration is dropped.)
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"

namespace lacuna {

/// Kind needs a member `std::string name`.
template <class Kind>
class Registry {
 public:
  static Registry& instance() {
    static Registry registry;
    return registry;
  }
  bool add(Kind kind) {
    LACUNA_ASSERT(find(kind.name) == nullptr);
    const auto place = std::lower_bound(kinds_.begin(), kinds_.end(), kind,
                                        [](const Kind& a, const Kind& b) { return a.name < b.name; });
    kinds_.insert(place, std::move(kind));
    return true;
  }
  /// Sorted by name.
  const std::vector<Kind>& kinds() const { return kinds_; }
  const Kind* find(std::string_view name) const {
    for (const Kind& kind : kinds_)
      if (kind.name == name) return &kind;
    return nullptr;
  }
  const Kind& at(std::string_view name) const {
    const Kind* kind = find(name);
    if (kind == nullptr) throw InternalError(fmt::format("no kind named '{}'", name));
    return *kind;
  }

 private:
  std::vector<Kind> kinds_;
};

}  // namespace lacuna
