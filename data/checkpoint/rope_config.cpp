#include "data/checkpoint/rope_config.hpp"

namespace lacuna {
namespace {

double base_of(const CheckpointConfig& config, const std::string& key, double otherwise) {
  const double base = config.real(key, otherwise);
  if (!(base > 1)) config.refuse(key, fmt::format("is {}; expected a number above 1", base));
  return base;
}

void require_every_channel(const CheckpointConfig& config) {
  if (config.real("partial_rotary_factor", 1) != 1)
    config.refuse("partial_rotary_factor", "is not 1; only the rotation of every channel is implemented");
}

struct RopeTable {
  double base = 10000;
  std::optional<CheckpointConfig> table = {};  ///< of anything but the default kind
  std::string kind = "default";
  std::string kind_key = {};
};

RopeTable table_of(const CheckpointConfig& config) {
  require_every_channel(config);
  RopeTable rope;
  rope.base = base_of(config, "rope_theta", rope.base);
  rope.table = config.table(config.has("rope_parameters") ? "rope_parameters" : "rope_scaling");
  if (!rope.table) return rope;
  require_every_channel(*rope.table);
  rope.base = base_of(*rope.table, "rope_theta", rope.base);
  rope.kind_key = rope.table->has("rope_type") ? "rope_type" : "type";
  rope.kind = rope.table->text(rope.kind_key, rope.kind);
  return rope;
}

[[noreturn]] void refuse_kind(const RopeTable& rope, const char* implemented) {
  rope.table->refuse(rope.kind_key, fmt::format("is '{}'; only {} is implemented", rope.kind, implemented));
}

}  // namespace

RopeConfig plain_rope(const CheckpointConfig& config) {
  const RopeTable rope = table_of(config);
  if (rope.kind != "default") refuse_kind(rope, "'default'");
  return {.base = rope.base};
}

RopeConfig plain_rope_or_yarn(const CheckpointConfig& config) {
  const RopeTable rope = table_of(config);
  if (rope.kind == "default") return {.base = rope.base};
  if (rope.kind != "yarn") refuse_kind(rope, "'default' or 'yarn'");
  const CheckpointConfig& table = *rope.table;
  table.require_flag("truncate", true);
  if (table.has("attention_factor"))
    table.refuse("attention_factor", "is there; a factor on rotated channels is not implemented");
  const double mscale = table.real("mscale_all_dim", 0);
  if (!(mscale > 0) || table.real("mscale", 0) != mscale)
    table.refuse("mscale", "is not equal to mscale_all_dim; a factor on rotated channels is not implemented");
  return {.base = rope.base,
          .yarn = Yarn{.factor = table.real("factor"),
                       .original_context = table.real("original_max_position_embeddings"),
                       .beta_fast = table.real("beta_fast", 32),
                       .beta_slow = table.real("beta_slow", 1)},
          .mscale = mscale};
}

}  // namespace lacuna
