// bound_audit PARAMS.toml: an adversarial search against every bound and certificate, and the rate at which
// probabilistic guarantees are false.
#include "analysis/present_results.hpp"
#include "experiments/bound_audit/parameters.hpp"
#include "experiments/bound_audit/run.hpp"
#include "experiments/harness/main_guard.hpp"

int main(int argc, char** argv) {
  return lacuna::guarded_main([&]() -> int {
    const auto line = lacuna::parse_command_line(
        "bound_audit", "Are the bounds true, and how tight?",
        {lacuna::print_audit_defaults, lacuna::audit_json_schema, "audit.steps=10000"}, argc, argv);
    if (!line) return 0;
    return lacuna::present_results(lacuna::run_bound_audit(*line, argc, argv), line->report, line->force);
  });
}
