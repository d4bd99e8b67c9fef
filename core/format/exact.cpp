// exact: rows as they are, f64 or f32, whichever the source holds. The error is 0, and so is the bound.
#include "core/format/bytes.hpp"
#include "core/format/format_kind.hpp"

namespace lacuna {
namespace {

class Exact final : public RowCodec {
 public:
  StoredBytes bytes(const RowShape& shape) const override { return {.codes = shape.width * shape.source_bytes}; }
  Index blocks(const RowShape&) const override { return 0; }

  void encode(const RowShape& shape, const double* row, std::byte* stored, const EncodeReport& report) const override {
    *report.saturated = 0;
    *report.flushed = 0;
    for (Index c = 0; c < shape.width; ++c) {
      if (shape.source_bytes == 8) {
        store(row[c], stored + 8 * c);
      } else {
        const auto value = static_cast<float>(row[c]);
        LACUNA_ASSERT(static_cast<double>(value) == row[c]);  // the caller said that the source holds f32
        store(value, stored + 4 * c);
      }
    }
  }
  void decode(const RowShape& shape, const std::byte* stored, double* row) const override {
    for (Index c = 0; c < shape.width; ++c)
      row[c] = shape.source_bytes == 8 ? load<double>(stored + 8 * c) : load<float>(stored + 4 * c);
  }
  void error_bound(const RowShape& shape, const std::byte*, const double*, double* bound) const override {
    for (Index c = 0; c < shape.width; ++c) bound[c] = 0;
  }
};

const bool registered = FormatRegistry::instance().add({.name = "exact",
                                                        .sentence = "rows as they are, in f32 or f64",
                                                        .code_bits = 0,
                                                        .block = 1,
                                                        .codec = std::make_shared<Exact>()});

}  // namespace
}  // namespace lacuna
