#include "analysis/report/page.hpp"

#include <fmt/format.h>

#include "analysis/report/number_text.hpp"

namespace lacuna {
namespace {

/// The marks of series, large and small (t): drawn around the origin, used by every plot.
std::string mark_definitions() {
  const std::pair<const char*, const char*> shapes[] = {
      {"m0", "M{0} 0A{0} {0} 0 1 0 -{0} 0A{0} {0} 0 1 0 {0} 0Z"},
      {"m1", "M-{0} -{0}H{0}V{0}H-{0}Z"},
      {"m2", "M0 -{1}L{1} {0}H-{1}Z"},
      {"m3", "M0 -{1}L{1} 0L0 {1}L-{1} 0Z"},
      {"m4", "M0 {1}L{1} -{0}H-{1}Z"},
      {"m5", "M-{0} -{1}H{0}L{1} 0L{0} {1}H-{0}L-{1} 0Z"},
  };
  std::string text = "<svg width=\"0\" height=\"0\" class=\"definitions\" aria-hidden=\"true\"><defs>";
  for (const auto& [name, shape] : shapes) {
    text += fmt::format("<path id=\"{}\" d=\"{}\"/>", name, fmt::format(fmt::runtime(shape), "3.4", "4.4"));
    text += fmt::format("<path id=\"{}t\" d=\"{}\"/>", name, fmt::format(fmt::runtime(shape), "1.9", "2.5"));
  }
  return text +
         "<pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
         "patternTransform=\"rotate(45)\">"
         "<rect width=\"5\" height=\"5\" class=\"hatch-ground\"/><path d=\"M0 0V5\" class=\"hatch-line\"/></pattern>"
         "</defs></svg>\n";
}

std::string legend(const std::vector<Series>& series) {
  if (series.size() < 2) return "";
  std::string text = "<div class=\"legend\" role=\"group\" aria-label=\"highlight paths\">";
  for (const Series& one : series)
    text += fmt::format(
        "<button type=\"button\" aria-pressed=\"false\" data-s=\"{}\"><svg viewBox=\"-8 -6 16 12\" "
        "aria-hidden=\"true\" "
        "class=\"{}{}\"><path class=\"line\" d=\"M-8 0H8\"/><use href=\"#{}\"/></svg>{}</button>",
        one.index, one.colour(), one.is_oracle ? " oracle" : "", one.mark(), escape_markup(one.label()));
  return text + "</div>\n";
}

std::string figure_markup(const std::string& id, const Figure& figure, const std::string& file) {
  std::string text = fmt::format(
      "<figure class=\"figure\" id=\"{0}\" data-figure=\"{0}\" aria-labelledby=\"{0}-title\">\n"
      "<h3 id=\"{0}-title\">{1}</h3>\n<p class=\"say\">{2}</p>\n",
      id, escape_markup(figure.title), escape_markup(figure.sentence));
  text += legend(figure.legend);
  text += fmt::format("<div class=\"panels{}\">\n", figure.panels.size() == 1 ? " single" : "");
  for (const Panel& panel : figure.panels) {
    const bool single = figure.panels.size() == 1;
    const Extent wide{single ? 820.0 : 528.0, panel.wide_height > 0 ? panel.wide_height : 330};
    const Extent narrow{344, panel.narrow_height > 0 ? panel.narrow_height : 300};
    text += fmt::format("<div class=\"panel\"><h4>{}</h4>\n{}{}</div>\n", panel.caption, panel.draw(wide),
                        panel.draw(narrow));
  }
  text += fmt::format("</div>\n{}", figure.further_legend);
  if (!figure.note.empty()) text += fmt::format("<p class=\"note\">{}</p>\n", escape_markup(figure.note));
  if (figure.table.rows() > 0)
    text += fmt::format(
        "<details class=\"table\"><summary>Table of {}</summary><div class=\"rows\" tabindex=\"0\" role=\"region\" "
        "aria-label=\"table of {}, {}\"></div></details>\n"
        "<a class=\"csv\" href=\"#{}\" download=\"{}.csv\">CSV<span class=\"unseen\"> of {}</span></a>\n",
        counted(static_cast<long long>(figure.table.rows()), "row"), escape_markup(figure.title), escape_markup(file),
        id, id, escape_markup(figure.title));
  return text + "</figure>\n";
}

std::string identifier(std::size_t file, const std::string& figure) { return fmt::format("f{}-{}", file, figure); }

std::string contents(const std::vector<Section>& sections) {
  std::string text = "<nav aria-label=\"contents\"><h2>Contents</h2><ol>\n";
  for (std::size_t f = 0; f < sections.size(); ++f) {
    if (sections.size() > 1)
      text += fmt::format("<li><a href=\"#f{}\">{}</a><ol>\n", f, escape_markup(sections[f].name));
    for (const auto& [name, figure] : sections[f].figures)
      text += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", identifier(f, name), escape_markup(figure.title));
    text += fmt::format("<li><a href=\"#f{}-provenance\">Provenance</a></li>\n", f);
    if (sections.size() > 1) text += "</ol></li>\n";
  }
  return text + "</ol></nav>\n";
}

/// JSON inside a script element: no '<' may appear in it, since "</script" ends the element and "<!--" with "<script"
/// hides its end (HTML, "Restrictions for contents of script elements").
std::string embedded(const nlohmann::ordered_json& data) {
  std::string safe;
  for (const char c : data.dump())
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}

}  // namespace

std::string html_page(const std::vector<Section>& sections) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  std::string body;
  for (std::size_t f = 0; f < sections.size(); ++f) {
    const Section& section = sections[f];
    nlohmann::ordered_json figures = nlohmann::ordered_json::object();
    body += fmt::format(
        "<section class=\"file\" id=\"f{}\"><header><p class=\"name\">{}</p><h2>{}</h2>\n"
        "<p class=\"verdict{}\">{}</p></header>\n",
        f, escape_markup(section.name), escape_markup(section.question.empty() ? section.title : section.question),
        section.is_alarming ? " alarming" : "", escape_markup(section.verdict));
    for (const auto& [name, figure] : section.figures) {
      body += figure_markup(identifier(f, name), figure, section.name);
      figures[name] = figure.table.json();
      if (!figure.limits.empty()) figures[name]["limits"] = figure.limits;
    }
    body += fmt::format(
        "<section class=\"figure provenance\" id=\"f{0}-provenance\" aria-label=\"provenance of {2}\">"
        "<h3>Provenance</h3>\n{1}</section>\n</section>\n",
        f, section.provenance, escape_markup(section.name));
    files.push_back({{"file", section.name}, {"figures", std::move(figures)}});
  }
  const std::string title = sections.size() == 1 ? sections[0].title : fmt::format("{} results files", sections.size());
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{} - Lacuna</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n<style>{}</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#main\">Skip to the figures</a>\n"
      "<header class=\"page\"><h1>Lacuna</h1><p>{}</p>"
      "<button type=\"button\" id=\"theme\">Theme: system</button></header>\n"
      "<div class=\"columns\">{}<main id=\"main\">\n{}{}</main></div>\n"
      "<div id=\"tip\" role=\"status\" aria-live=\"polite\" hidden></div>\n"
      "<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n</body>\n</html>\n",
      escape_markup(title), page_style(), escape_markup(title), contents(sections), mark_definitions(), body,
      embedded({{"files", std::move(files)}}), kPageScript);
}

}  // namespace lacuna
