// The page as a file: complete or absent, and never over an existing one unless told to.
#pragma once

#include <filesystem>
#include <string>

namespace lacuna {

/// `output` where it is given; else RESULTS with .html for its extension, or with force the same, numbered -2, -3, ...
/// where it exists. Throws EnvironmentError when `output` exists and `force` is false.
std::filesystem::path page_path(const std::filesystem::path& results, const std::string& output, bool force);

/// Writes beside the target and moves into place. Throws EnvironmentError naming the file; also where the target came
/// into being meanwhile and `force` is false.
void write_page(const std::filesystem::path& file, const std::string& text, bool force);

}  // namespace lacuna
