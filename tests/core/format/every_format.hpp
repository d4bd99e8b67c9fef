// One group of rows through a format, and the rows that tests feed to all formats.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/rng.hpp"
#include "core/format/format_kind.hpp"

namespace lacuna {

inline const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names = {"exact",
                                                 "f32",
                                                 "f16",
                                                 "bf16",
                                                 "fp8_e4m3_f32_128",
                                                 "fp8_e4m3_ue8m0_64",
                                                 "fp8_e4m3_ue8m0_32",
                                                 "mxfp8",
                                                 "mxfp4",
                                                 "fp4_ue8m0_32",
                                                 "fp4_e4m3_16",
                                                 "nvfp4",
                                                 "int8_token",
                                                 "int4_channel",
                                                 "int8_channel",
                                                 "q8_0",
                                                 "q4_0",
                                                 "q4_1"};
  return names;
}

/// What an encoder made of one group of rows.
struct EncodedGroup {
  EncodedGroup(const std::string& name, const RowShape& row_shape, const std::vector<double>& rows)
      : kind(&FormatRegistry::instance().at(name)),
        shape(row_shape),
        stored(kind->group_bytes(shape)),
        saturated(kind->rows_per_group),
        flushed(kind->rows_per_group),
        block_amax(kind->codec->blocks(shape)) {
    LACUNA_ASSERT(static_cast<Index>(rows.size()) == kind->rows_per_group * shape.width);
    kind->encode(shape, rows.data(), stored.data(), {saturated.data(), flushed.data(), block_amax.data()});
  }
  std::vector<double> decoded() const {
    std::vector<double> rows(kind->rows_per_group * shape.width);
    kind->codec->decode(shape, stored.data(), rows.data());
    return rows;
  }
  std::vector<double> bound(bool with_block_amax) const {
    std::vector<double> bound(kind->rows_per_group * shape.width);
    kind->codec->error_bound(shape, stored.data(), with_block_amax ? block_amax.data() : nullptr, bound.data());
    return bound;
  }

  const FormatKind* kind;
  RowShape shape;
  std::vector<std::byte> stored;
  std::vector<Index> saturated, flushed;
  std::vector<double> block_amax;
};

/// Values of a group [rows, width] under one seed; `scale` is near the largest magnitude.
struct RowSource {
  std::string name;
  std::function<double(const CounterRng& rng, Index i)> value;  ///< element i
};

inline std::vector<double> make_rows(const RowSource& source, Index count, std::uint64_t seed, double scale) {
  const CounterRng rng(seed, "format." + source.name);
  std::vector<double> x(count);
  for (Index i = 0; i < count; ++i) x[i] = scale * source.value(rng, i);
  return x;
}

inline const RowSource& gaussian_rows() {
  static const RowSource source{"gaussian", [](const CounterRng& rng, Index i) { return rng.normal(i); }};
  return source;
}

/// Bulk, tails, ties, offsets, sparse rows, near-powers of two.
inline std::vector<RowSource> row_sources() {
  return {gaussian_rows(),
          {"heavy_tails",
           [](const CounterRng& rng, Index i) { return rng.normal(2 * i) * std::exp(3 * rng.normal(2 * i + 1)); }},
          {"few_bits", [](const CounterRng& rng, Index i) { return std::ldexp(std::round(32 * rng.normal(i)), -4); }},
          {"offset", [](const CounterRng& rng, Index i) { return 40 + rng.normal(i); }},
          {"sparse", [](const CounterRng& rng, Index i) { return rng.uniform(i) < 0.1 ? rng.normal(i + 7919) : 0; }},
          {"near_powers_of_two",
           [](const CounterRng& rng, Index i) {
             const double power =
                 std::ldexp(rng.uniform(4 * i) < 0.5 ? -1 : 1, static_cast<int>(rng.uniform(4 * i + 1) * 12));
             const double side = std::floor(3 * rng.uniform(4 * i + 2)) - 1;
             return power * (1 + side * 0x1p-20 * rng.uniform(4 * i + 3));
           }},
          {"equal_magnitudes", [](const CounterRng& rng, Index i) { return rng.uniform(i) < 0.5 ? -1.0 : 1.0; }}};
}

/// A width that the format takes, and a tail where it has one.
inline std::vector<RowShape> shapes_of(const FormatKind& kind) {
  std::vector<RowShape> shapes = {{.width = 128}};
  if (kind.takes_exact_tail) shapes.push_back({.width = 2 * kind.block + 64, .exact_tail = 64});
  if (kind.block <= 1) shapes.push_back({.width = 61});
  return shapes;
}

}  // namespace lacuna
