#include "core/mechanism/shared_state_config.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "core/mechanism/shared_state.hpp"
#include "mechanism/shared_state_definition.hpp"

namespace lacuna::testing_core::shared_state {
namespace {

TEST(SharedStateConfig, CompressedLayersRotateByAnotherBase) {
  EXPECT_EQ(SharedStateConfig::v4_flash(0).rope().base, 10000);
  EXPECT_FALSE(SharedStateConfig::v4_flash(0).rope().yarn.has_value());
  SharedStateConfig reader = SharedStateConfig::v41_flash(1);
  reader.owns_cache = false;
  for (const SharedStateConfig& config :
       {SharedStateConfig::v4_flash(4), SharedStateConfig::v4_flash(128), SharedStateConfig::v41_flash(2), reader}) {
    const Rope rope(config.rope());
    const std::vector<double>& f = rope.frequencies();
    ASSERT_EQ(f.size(), 32U);
    for (Index i = 0; i < 32; ++i) {
      EXPECT_NEAR(f[i] / static_cast<double>(frequency(config, i)), 1, 1e-13);
      const double kept = f[i] * std::pow(160000, i / 32.0);
      if (i <= 15) {
        EXPECT_NEAR(kept, 1, 1e-13);
      } else if (i >= 25) {
        EXPECT_NEAR(kept, 1 / 16.0, 1e-13);
      } else {
        EXPECT_LT(kept, 1);
        EXPECT_GT(kept, 1 / 16.0);
      }
    }
  }
}

TEST(SharedStateConfig, PresetsAreValidAndOthersAreRefused) {
  for (const Index ratio : {0, 4, 128}) EXPECT_NO_THROW(SharedStateConfig::v4_flash(ratio).check());
  for (const Index ratio : {0, 1, 2}) EXPECT_NO_THROW(SharedStateConfig::v41_flash(ratio).check());
  EXPECT_TRUE(SharedStateConfig::v4_flash(4).makes_index_keys());
  EXPECT_FALSE(SharedStateConfig::v4_flash(128).makes_index_keys());
  EXPECT_FALSE(SharedStateConfig::v4_flash(128).overlap);
  EXPECT_TRUE(SharedStateConfig::v41_flash(1).makes_index_keys());
  EXPECT_FALSE(SharedStateConfig::v41_flash(2).normalise_q);
  EXPECT_THROW(SharedStateConfig::v4_flash(2), UsageError);
  EXPECT_THROW(SharedStateConfig::v41_flash(4), UsageError);
}

TEST(SharedStateConfig, InvalidFieldIsNamed) {
  struct Case {
    std::string field;
    std::function<void(SharedStateConfig&)> change;
  };
  const std::vector<Case> cases = {
      {"d_model is 0", [](auto& c) { c.d_model = 0; }},
      {"heads is 0", [](auto& c) { c.heads = 0; }},
      {"head_dim is 0", [](auto& c) { c.head_dim = 0; }},
      {"qk_rope is 3", [](auto& c) { c.qk_rope = 3; }},
      {"qk_rope is -2", [](auto& c) { c.qk_rope = -2; }},
      {"qk_rope is 12", [](auto& c) { c.qk_rope = 12; }},
      {"q_lora_rank is 0", [](auto& c) { c.q_lora_rank = 0; }},
      {"o_groups is 3", [](auto& c) { c.o_groups = 3; }},
      {"o_lora_rank is 0", [](auto& c) { c.o_lora_rank = 0; }},
      {"local_window is -1", [](auto& c) { c.local_window = -1; }},
      {"local_window is 0", [](auto& c) { c.ratio = c.local_window = 0; }},
      {"eps is nan", [](auto& c) { c.eps = std::numeric_limits<double>::quiet_NaN(); }},
      {"ratio is -1", [](auto& c) { c.ratio = -1; }},
      {"owns_indexer is true", [](auto& c) { c.ratio = 0; }},
      {"index_heads is 0", [](auto& c) { c.index_heads = 0; }},
      {"d_index is 3", [](auto& c) { c.d_index = 3; }},
      {"d_index is 11", [](auto& c) { c.d_index = 11, c.index_quality = 0.5; }},
      {"index_quality is 1.5", [](auto& c) { c.index_quality = 1.5; }},
      {"index_quality is nan", [](auto& c) { c.index_quality = std::numeric_limits<double>::quiet_NaN(); }},
      {"gate_std is -1", [](auto& c) { c.gate_std = -1; }},
      {"sink_std is -1", [](auto& c) { c.sink_std = -1; }},
      {"local_base is 1", [](auto& c) { c.local_base = 1; }},
      {"compressed_base is 0", [](auto& c) { c.compressed_base = 0; }},
      {"yarn factor is 0", [](auto& c) { c.compressed_yarn.factor = 0; }},
      {"yarn original_context is 0", [](auto& c) { c.compressed_yarn.original_context = 0; }},
  };
  for (const Case& invalid : cases) {
    SharedStateConfig config = small_v4();
    ASSERT_NO_THROW(config.check());
    invalid.change(config);
    std::string message = "nothing was thrown";
    try {
      SharedState(config, SharedStateWeights{});
    } catch (const UsageError& fault) {
      message = fault.what();
    }
    EXPECT_EQ(message.rfind(invalid.field + ";", 0), 0U) << invalid.field << ": " << message;
  }
}

}  // namespace
}  // namespace lacuna::testing_core::shared_state
