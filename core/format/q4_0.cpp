// q4_0 (ggml): four-bit integers -8 .. 7 with a signed f16 scale per 32 channels. Layout of a block, 18 bytes: d, then
// 16 bytes of codes (low nibbles: channels 0 .. 15; high nibbles: 16 .. 31).
//
//   d = v / -8 ,  v the first element of largest magnitude, with its sign
//   c = min(15, trunc(x (1 / d) + 8.5)) (ties upwards) ,   stored d as f16 ,   decoded (c - 8) d
//
// v itself lands on code 0. An element of the other sign and nearly the same magnitude would need +8: it is clipped to
// 7 d and loses up to |d|. With h half an f16 step at the stored d and D = |d_stored| + h:
//
//   c < 15    |x - decoded| <= |c - 8| h + D / 2
//   c = 15    |x - decoded| <= 7 h + D                 (7.5 d <= x <= 8 d)
//
// plus 2^-19 D for the f32 arithmetic (8.5 is added in f32). A block of zeros gets d = -0 and codes 8.
// Decoding and encoding again gives the same values.
#include "core/format/ggml_codec.hpp"

namespace lacuna {
namespace {

struct Q4 {
  static constexpr Index scale_bytes = 2;
  static constexpr Index code_bytes = 16;

  static void encode(const float* x, std::byte* stored) {
    float amax = 0;
    float v = 0;
    for (Index j = 0; j < ggml_block; ++j) {
      if (!(amax < std::fabs(x[j]))) continue;
      amax = std::fabs(x[j]);
      v = x[j];
    }
    const float d = v / -8;
    const float inverse = ggml_inverse(d);
    store(F16::encode(d), stored);
    ggml_store_nibbles(stored + 2, [&](Index j) { return std::min(15, static_cast<int>(x[j] * inverse + 8.5F)); });
  }
  static void decode(const std::byte* stored, float* x) {
    const auto d = static_cast<float>(scale(stored));
    for (Index j = 0; j < ggml_block; ++j) x[j] = static_cast<float>(code(stored, j)) * d;
  }
  static void bound(const std::byte* stored, double* bound) {
    const double h = F16::half_step(load<F16::Code>(stored) & 0x7FFF);
    const double d = std::fabs(scale(stored)) + h;
    for (Index j = 0; j < ggml_block; ++j) {
      const int q = code(stored, j);
      bound[j] = std::abs(q) * h + (q == 7 ? d : 0.5 * d) + 0x1p-19 * d;
    }
  }
  static double lowest(const std::byte* stored) { return std::min(-8 * scale(stored), 7 * scale(stored)); }
  static double highest(const std::byte* stored) { return std::max(-8 * scale(stored), 7 * scale(stored)); }
  static bool is_at_largest(const std::byte* stored) { return std::fabs(scale(stored)) == F16::max; }

 private:
  static double scale(const std::byte* stored) { return F16::decode(load<F16::Code>(stored)); }
  static int code(const std::byte* stored, Index j) { return static_cast<int>(ggml_nibble(stored + 2, j)) - 8; }
};

const bool registered = FormatRegistry::instance().add({.name = "q4_0",
                                                        .sentence = "ggml's int4 with an f16 scale per 32 channels",
                                                        .code_bits = 4,
                                                        .block = ggml_block,
                                                        .codec = std::make_shared<GgmlCodec<Q4>>()});

}  // namespace
}  // namespace lacuna
