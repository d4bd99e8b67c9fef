// The scale rules, by hand and against the arithmetic of the kernels in f32.
#include <bit>

#include "core/format/bytes.hpp"
#include "core/format/element/e2m1.hpp"
#include "core/format/element/e4m3.hpp"
#include "core/format/element/f16.hpp"
#include "core/format/every_format.hpp"

namespace lacuna {
namespace {

/// One block whose first element is x0 and whose others are `rest`.
EncodedGroup block(const std::string& name, double x0, double rest = 0, Index width = 0) {
  const Index own = FormatRegistry::instance().at(name).block;
  const RowShape shape{.width = width > 0 ? width : own > 1 ? own : 8};
  std::vector<double> x(shape.width, rest);
  x[0] = x0;
  return {name, shape, x};
}

TEST(ScaleRule, OcpSaturatesJustBelowAPowerOfTwo) {
  const EncodedGroup below = block("mxfp4", 7.99);
  EXPECT_EQ(below.decoded()[0], 6);
  EXPECT_EQ(below.saturated[0], 1);
  EXPECT_EQ(below.bound(false)[0], 2);
  EXPECT_EQ(below.stored[16], std::byte{127});
  EXPECT_EQ(block("mxfp4", 8).decoded()[0], 8);
  EXPECT_EQ(block("mxfp4", std::nextafter(8.0, 0)).decoded()[0], 6);
  EXPECT_EQ(block("mxfp4", 6).saturated[0], 0);

  const EncodedGroup fp8 = block("mxfp8", -511);
  EXPECT_EQ(fp8.decoded()[0], -448);
  EXPECT_EQ(fp8.saturated[0], 1);
  EXPECT_EQ(fp8.bound(false)[0], 64);
  EXPECT_EQ(block("mxfp8", 512).decoded()[0], 512);
}

TEST(ScaleRule, OcpExponentIsClampedAtBothEnds) {
  EXPECT_EQ(block("mxfp4", 0).stored[16], std::byte{0});
  EXPECT_EQ(block("mxfp4", 0x1p-140).decoded()[0], 0);
  EXPECT_EQ(block("mxfp4", 0x1p-127).decoded()[0], 0x1p-127);
  const EncodedGroup huge = block("mxfp4", 1e300);
  EXPECT_EQ(huge.decoded()[0], 6 * 0x1p127);
  EXPECT_EQ(huge.bound(false)[0], INFINITY);
  EXPECT_EQ(huge.bound(true)[0], 1e300 - 6 * 0x1p127);
}

/// 2^ceil(log2(amax * (1 / q_max))) as DeepSeek's kernels take it from the bits of an f32; returns the exponent.
int kernel_exponent(float amax, float q_max) {
  const auto bits = std::bit_cast<std::uint32_t>(amax * (1.0F / q_max));
  return static_cast<int>(bits >> 23) - 127 + ((bits & 0x7FFFFF) != 0 ? 1 : 0);
}

TEST(ScaleRuleTwin, PowerOfTwoScalesEqualTheKernels) {
  const CounterRng rng(20261129, "scale_rule");
  std::vector<float> amax;
  for (int e = -110; e <= 110; ++e) {
    for (const float power : {std::ldexp(6.0F, e), std::ldexp(448.0F, e), std::ldexp(1.0F, e)})
      for (const float x : {std::nextafter(power, 0.0F), power, std::nextafter(power, INFINITY)}) amax.push_back(x);
  }
  for (int i = 0; i < 20000; ++i)
    amax.push_back(static_cast<float>(std::exp2(200 * rng.uniform(2 * i) - 100) * (1 + rng.uniform(2 * i + 1))));
  for (const float x : amax) {
    EXPECT_EQ(static_cast<int>(block("fp4_ue8m0_32", x).stored[16]) - 127, kernel_exponent(x, 6)) << x;
    const float floored = std::max(x, 1e-4F);
    EXPECT_EQ(static_cast<int>(block("fp8_e4m3_ue8m0_32", x).stored[32]) - 127, kernel_exponent(floored, 448)) << x;
    EXPECT_EQ(static_cast<int>(block("fp8_e4m3_ue8m0_64", x).stored[64]) - 127, kernel_exponent(floored, 448)) << x;
  }
}

TEST(ScaleRuleTwin, F32ScalesAndQuotientsEqualF32Arithmetic) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::vector<double> x = make_rows(row_sources()[seed % row_sources().size()], 128, seed, 1);
    float amax = 0;
    for (double& v : x) v = static_cast<float>(v), amax = std::max(amax, std::fabs(static_cast<float>(v)));
    const EncodedGroup fp8("fp8_e4m3_f32_128", {.width = 128}, x);
    const EncodedGroup int8("int8_token", {.width = 128}, x);
    const float scale = std::max(amax, 1e-4F) / 448.0F;
    const float step = amax / 127.0F;
    ASSERT_EQ(load<float>(fp8.stored.data() + 128), scale);
    ASSERT_EQ(load<float>(int8.stored.data() + 128), step);
    for (int c = 0; c < 128; ++c) {
      ASSERT_EQ(load<std::uint8_t>(fp8.stored.data() + c), E4m3::encode(static_cast<float>(x[c]) / scale));
      if (step > 0) {
        const float q = std::nearbyint(static_cast<float>(x[c]) / step);
        ASSERT_EQ(load<std::int8_t>(int8.stored.data() + c), q);
      }
    }
    for (int b = 0; b < 8; ++b) {
      float block_amax = 6 * 0x1p-9F;
      for (int c = 16 * b; c < 16 * b + 16; ++c) block_amax = std::max(block_amax, std::fabs(static_cast<float>(x[c])));
      const EncodedGroup fp4("fp4_e4m3_16", {.width = 128}, x);
      const E4m3::Code code = E4m3::encode(block_amax / 6.0F);
      ASSERT_EQ(load<std::uint8_t>(fp4.stored.data() + 64 + b), code);
      for (int c = 16 * b; c < 16 * b + 16; ++c)
        ASSERT_EQ(load_code<E2m1>(fp4.stored.data(), c),
                  E2m1::encode(static_cast<float>(x[c]) / static_cast<float>(E4m3::decode(code))));
    }
  }
}

TEST(ScaleRule, DeepSeekNeverClips) {
  for (const double amax : {3.01, 3.5, 5.9, 6.0, 6.01, 11.9, 12.0, 7e-5, 1e30}) {
    for (const std::string name : {"fp4_ue8m0_32", "fp8_e4m3_ue8m0_32", "fp8_e4m3_ue8m0_64", "fp8_e4m3_f32_128"})
      EXPECT_EQ(block(name, -amax, amax).saturated[0], 0) << name << " " << amax;
  }
  EXPECT_EQ(block("fp4_ue8m0_32", 7.99).decoded()[0], 8) << "the OCP rule gives 6";
}

TEST(ScaleRule, E4m3ScaleRoundsDownAndClips) {
  const EncodedGroup normal = block("fp4_e4m3_16", 6.37);  // 6.37 / 6 rounds to 1
  EXPECT_EQ(normal.decoded()[0], 6);
  EXPECT_EQ(normal.saturated[0], 1);
  EXPECT_EQ(normal.bound(false)[0], 1 + 0x1p-23 * 7) << "the rounding step of code 6 covers 0.375";
  const EncodedGroup subnormal = block("fp4_e4m3_16", 8.9 * 0x1p-9);
  EXPECT_EQ(subnormal.decoded()[0], 6 * 0x1p-9);
  EXPECT_NEAR(subnormal.bound(false)[0], 3 * 0x1p-9, 1e-8);
  EXPECT_EQ(block("fp4_e4m3_16", 2688).decoded()[0], 2688);
  const EncodedGroup huge = block("fp4_e4m3_16", 5000);
  EXPECT_EQ(huge.decoded()[0], 2688);
  EXPECT_EQ(huge.bound(false)[0], INFINITY);
  EXPECT_EQ(huge.bound(true)[0], 5000 - 2688);
  EXPECT_EQ(huge.bound(false)[1], 0.25 * 448 * (1 + 0x1p-23)) << "elements below the largest code stay bounded";
}

TEST(ScaleRule, Nvfp4ScalesBlocksWithinTheRow) {
  std::vector<double> x(48, 0.0);
  x[0] = 1344, x[1] = -112;  // s_g = 0.5, s_b = 448
  x[16] = 3, x[17] = 0.25;   // s_b = 1
  const EncodedGroup row("nvfp4", {.width = 48}, x);
  EXPECT_EQ(load<float>(row.stored.data() + 24 + 3), 0.5F);
  EXPECT_EQ(load<E4m3::Code>(row.stored.data() + 24), E4m3::encode(448));
  EXPECT_EQ(load<E4m3::Code>(row.stored.data() + 25), E4m3::encode(1));
  EXPECT_EQ(load<E4m3::Code>(row.stored.data() + 26), 0) << "a block of zeros";
  EXPECT_EQ(row.decoded(), x);
}

TEST(ScaleRule, Int8TokenTiesGoToEven) {
  const EncodedGroup row("int8_token", {.width = 5}, {-127, 0.5, 1.5, 2.5, -3.5});
  EXPECT_EQ(row.decoded(), (std::vector<double>{-127, 0, 2, 2, -4}));
}

TEST(ScaleRule, ChannelFormatsSpanTheirMinimumAndMaximum) {
  std::vector<double> x;
  for (int r = 0; r < 32; ++r) x.insert(x.end(), {-2.0 + r % 16, 7.0, 100.0 + r / 31.0});  // s = 1; constant; offset
  const EncodedGroup group("int4_channel", {.width = 3}, x);
  const std::vector<double> decoded = group.decoded();
  const std::vector<double> bound = group.bound(false);
  for (int r = 0; r < 32; ++r) {
    EXPECT_EQ(decoded[3 * r], x[3 * r]);
    EXPECT_EQ(decoded[3 * r + 1], 7);
    EXPECT_NEAR(bound[3 * r], 0.5, 0.01);
    EXPECT_LE(bound[3 * r + 1], 0x1p-8) << "half an f16 step at 7";
    EXPECT_LE(std::fabs(decoded[3 * r + 2] - x[3 * r + 2]), bound[3 * r + 2]);
  }
  EXPECT_EQ(load<std::uint8_t>(group.stored.data()), 0x10) << "even row in the low nibble";
}

TEST(ScaleRule, Q40LosesTheOtherSign) {
  const EncodedGroup group = block("q4_0", -8, 8);
  EXPECT_EQ(group.decoded()[0], -8);
  EXPECT_EQ(group.decoded()[1], 7);
  EXPECT_EQ(group.saturated[0], 31);
  EXPECT_GE(group.bound(false)[1], 1);
  EXPECT_LE(group.bound(false)[1], 1.01);
}

}  // namespace
}  // namespace lacuna
