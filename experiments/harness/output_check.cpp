#include "experiments/harness/output_check.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace lacuna {

void check_output(const std::filesystem::path& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code none;
    if (std::filesystem::equivalent(output, input, none))
      throw EnvironmentError(fmt::format("{}: the output would replace what the study reads", output.string()));
  }
}

}  // namespace lacuna
