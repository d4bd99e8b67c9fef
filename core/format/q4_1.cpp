// q4_1 (ggml): four-bit integers 0 .. 15 with an f16 scale d and minimum m per 32 channels. Layout of a block, 20
// bytes: d, m, then 16 bytes of codes (low nibbles: channels 0 .. 15; high nibbles: 16 .. 31).
//
//   d = (max - min) / 15 ,   c = min(15, trunc((x - min) (1 / d) + 0.5)) ,   stored d and m = min as f16 ,
//   decoded f32(c d + m)
//
// With h(.) half an f16 step at a stored number:
//
//   |x - decoded| <= h(m) + c h(d) + (d_stored + h(d)) / 2
//
// plus, for the f32 arithmetic, 2^-17 (d_stored + h(d)) in the code and 2^-22 (|m| + h(m) + 16 (d_stored + h(d))) in
// what is read and in the decoded sum.
//
// Decoding and encoding again gives the same values unless d is below 2^-10 |m|, where the f32 sum c d + m is rounded
// at the scale of d's own f16 rounding.
#include "core/format/ggml_codec.hpp"

namespace lacuna {
namespace {

struct Q4WithMin {
  static constexpr Index scale_bytes = 4;
  static constexpr Index code_bytes = 16;

  static void encode(const float* x, std::byte* stored) {
    float min = x[0];
    float max = x[0];
    for (Index j = 1; j < ggml_block; ++j) {
      if (x[j] < min) min = x[j];
      if (x[j] > max) max = x[j];
    }
    const float d = std::min((max - min) / 15.0F, std::numeric_limits<float>::max());  // max - min may exceed f32
    const float inverse = ggml_inverse(d);
    store(F16::encode(d), stored);
    store(F16::encode(min), stored + 2);
    ggml_store_nibbles(stored + 4, [&](Index j) {
      const float c = inverse > 0 ? (x[j] - min) * inverse + 0.5F : 0.0F;
      return static_cast<int>(std::min(c, 15.0F));
    });
  }
  static void decode(const std::byte* stored, float* x) {
    const auto d = static_cast<float>(scale(stored));
    const auto m = static_cast<float>(minimum(stored));
    for (Index j = 0; j < ggml_block; ++j) x[j] = static_cast<float>(ggml_nibble(stored + 4, j)) * d + m;
  }
  static void bound(const std::byte* stored, double* bound) {
    const double h_d = F16::half_step(load<F16::Code>(stored));
    const double h_m = F16::half_step(load<F16::Code>(stored + 2) & 0x7FFF);
    const double d = scale(stored) + h_d;
    const double f32_rounding = 0x1p-17 * d + 0x1p-22 * (std::fabs(minimum(stored)) + h_m + 16 * d);
    for (Index j = 0; j < ggml_block; ++j) bound[j] = h_m + ggml_nibble(stored + 4, j) * h_d + 0.5 * d + f32_rounding;
  }
  static double lowest(const std::byte* stored) { return minimum(stored); }
  static double highest(const std::byte* stored) { return minimum(stored) + 15 * scale(stored); }
  static bool is_at_largest(const std::byte* stored) {
    return scale(stored) == F16::max || std::fabs(minimum(stored)) == F16::max;
  }

 private:
  static double scale(const std::byte* stored) { return F16::decode(load<F16::Code>(stored)); }
  static double minimum(const std::byte* stored) { return F16::decode(load<F16::Code>(stored + 2)); }
};

const bool registered =
    FormatRegistry::instance().add({.name = "q4_1",
                                    .sentence = "ggml's int4 with an f16 scale and minimum per 32 channels",
                                    .code_bits = 4,
                                    .block = ggml_block,
                                    .codec = std::make_shared<GgmlCodec<Q4WithMin>>()});

}  // namespace
}  // namespace lacuna
