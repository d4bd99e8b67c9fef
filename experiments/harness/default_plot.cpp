#include "experiments/harness/default_plot.hpp"

#include <fmt/format.h>

namespace lacuna {

void announce_default_plot(ResultsFile& file, const DefaultPlot& plot) {
  ResultsGroup root = file.group("/");
  root.attribute("NX_class", "NXroot");
  root.attribute("default", plot.entry);
  ResultsGroup entry = file.group(fmt::format("/{}", plot.entry));
  entry.attribute("NX_class", "NXentry");
  entry.attribute("default", plot.first);
}

void default_signal(ResultsGroup group, const std::string& signal, const std::vector<std::string>& axes) {
  group.attribute("NX_class", "NXdata");
  group.attribute("signal", signal);
  group.attribute("axes", axes);
}

}  // namespace lacuna
