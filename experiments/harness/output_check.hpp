// --force replaces results, never what a study reads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lacuna {

/// EnvironmentError where `output` is one of the files, by whatever name.
void check_output(const std::filesystem::path& output, const std::vector<std::string>& inputs);

}  // namespace lacuna
