// q8_0 (ggml): int8 with an f16 scale per 32 channels. Layout of a block, 34 bytes: d, 32 codes.
//
//   d = amax / 127 ,   q = roundf(x (1 / d)) (ties away from zero) ,   stored d as f16 ,   decoded q d
//
// The codes follow from the f32 d, the decoded values from the f16 one. With h half an f16 step at the stored d,
// |x| = |q +- 1/2| d and |d - d_stored| <= h:
//
//   |x - q d_stored| <= |q| h + (d_stored + h) / 2 ,   plus 2^-21 (|q| + 1) (d_stored + h) for the f32 arithmetic.
//
// Decoding and encoding again gives the same values: 127 d_stored / 127 is d_stored.
#include "core/format/ggml_codec.hpp"

namespace lacuna {
namespace {

struct Q8 {
  static constexpr Index scale_bytes = 2;
  static constexpr Index code_bytes = 32;

  static void encode(const float* x, std::byte* stored) {
    float amax = 0;
    for (Index j = 0; j < ggml_block; ++j) amax = std::max(amax, std::fabs(x[j]));
    const float d = amax / 127.0F;
    const float inverse = ggml_inverse(d);
    store(F16::encode(d), stored);
    for (Index j = 0; j < ggml_block; ++j) store(static_cast<std::int8_t>(std::round(x[j] * inverse)), stored + 2 + j);
  }
  static void decode(const std::byte* stored, float* x) {
    const auto d = static_cast<float>(scale(stored));
    for (Index j = 0; j < ggml_block; ++j) x[j] = static_cast<float>(code(stored, j)) * d;
  }
  static void bound(const std::byte* stored, double* bound) {
    const double h = F16::half_step(load<F16::Code>(stored));
    const double d = scale(stored) + h;
    for (Index j = 0; j < ggml_block; ++j) {
      const double q = std::abs(code(stored, j));
      bound[j] = q * h + 0.5 * d + 0x1p-21 * (q + 1) * d;
    }
  }
  static double lowest(const std::byte* stored) { return -127 * scale(stored); }
  static double highest(const std::byte* stored) { return 127 * scale(stored); }
  static bool is_at_largest(const std::byte* stored) { return scale(stored) == F16::max; }

 private:
  static double scale(const std::byte* stored) { return F16::decode(load<F16::Code>(stored)); }
  static int code(const std::byte* stored, Index j) { return load<std::int8_t>(stored + 2 + j); }
};

const bool registered = FormatRegistry::instance().add({.name = "q8_0",
                                                        .sentence = "ggml's int8 with an f16 scale per 32 channels",
                                                        .code_bits = 8,
                                                        .block = ggml_block,
                                                        .codec = std::make_shared<GgmlCodec<Q8>>()});

}  // namespace
}  // namespace lacuna
