#include "analysis/report/figure.hpp"

namespace lacuna {

bool has_attention_rows(const ReportInput& input) {
  return input.experiment == "attention_error" || input.experiment == "model_divergence";
}

}  // namespace lacuna
