// What a cached row costs in bytes: by a published layout (core/format/row_layout.hpp, padding included), or by a
// storage format and the width of the row (core/format/format_kind.hpp).
//
// A format that encodes rows in groups leaves those of an incomplete group as they are, 2 bytes an element; so do the
// caches of KIVI-like formats. `exact` counts as f32.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/rational.hpp"
#include "core/format/row_layout.hpp"

namespace lacuna {

struct RowBytes {
  Rational total;
  Rational scales;  ///< contained in total
};

class RowStorage {
 public:
  /// The name of a layout or of a format; UsageError for another.
  explicit RowStorage(const std::string& name);

  /// Every name that the constructor takes.
  static std::vector<std::string> names();

  /// Why rows of this width cannot be stored; nullopt when they can.
  std::optional<std::string> check(Index width) const;
  /// Of one row, over many of them.
  RowBytes row(Index width) const;
  /// Of `rows` rows, the last of them in an incomplete group where there is one.
  RowBytes rows(Index rows, Index width) const;

 private:
  std::string name_;
  const RowLayout* layout_ = nullptr;  // one of the two is set
  const FormatKind* format_ = nullptr;
};

}  // namespace lacuna
