// Results files as one page.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lacuna {

/// The page of the files, a section each, from the files alone. Memory is that of a few variables of one swept value.
/// Throws as ResultsReader does.
std::string make_report(const std::vector<std::filesystem::path>& files);

}  // namespace lacuna
