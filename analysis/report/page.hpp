// The page: one self-contained HTML file with a section per results file.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "analysis/report/figure.hpp"

namespace lacuna {

/// What one results file contributes.
struct Section {
  std::string name;                                     ///< file name
  std::string title;                                    ///< of the file
  std::string question;                                 ///< that the study asks
  std::string verdict;                                  ///< plain text
  bool is_alarming = false;                             ///< violations or failures
  std::string provenance;                               ///< markup
  std::vector<std::pair<std::string, Figure>> figures;  ///< name in the page, figure
};

/// The whole page. Its data stands in it once, as the JSON of <script id="data">:
/// {"files": [{"file", "figures": {NAME: {"columns": [...] as of FigureTable::json, "limits": [...]}}}]}.
std::string html_page(const std::vector<Section>& sections);

/// Inline parts of the page.
std::string page_style();
extern const char* const kPageScript;

}  // namespace lacuna
