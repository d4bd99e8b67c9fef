#include "core/mechanism/retention_config.hpp"

#include "core/mechanism/require.hpp"

namespace lacuna {

void RetentionConfig::check() const {
  require_positive({{"d_model", d_model}, {"heads", heads}, {"d_qk", d_qk}, {"d_v", d_v}});
  if (!(gate_divisor > 0)) throw UsageError(fmt::format("gate_divisor is {}; it must be positive", gate_divisor));
  if (!(eps >= 0)) throw UsageError(fmt::format("eps is {}; it must not be negative", eps));
  if (rope) require_rope("rope channels", *rope, {"d_qk", d_qk});
}

}  // namespace lacuna
