// A plot with two axes as SVG: lines, marks with intervals, a diagonal, direct labels. Colours are classes of the
// page's style, so that a plot follows the theme; each mark names the row of the figure's table that it shows.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "analysis/report/axis.hpp"
#include "analysis/report/series.hpp"

namespace lacuna {

/// Size of a drawing in CSS pixels. A figure is drawn twice, for screens and for telephones.
struct Extent {
  double width = 0;
  double height = 0;
  bool is_narrow() const { return width < 450; }
};

struct Mark {
  double x = 0;
  double y = 0;
  std::size_t row = 0;  ///< of the figure's table
  double y_low = std::numeric_limits<double>::quiet_NaN();
  double y_high = std::numeric_limits<double>::quiet_NaN();
};

class Plot {
 public:
  /// `labelled`: series that get direct labels, room for which is kept right of the axes; narrow plots have none.
  Plot(Extent extent, Axis x, Axis y, const std::vector<Series>& labelled = {});

  /// y = x, with its name beside it.
  void diagonal(const std::string& name);
  /// A thick pale line behind everything: a frontier.
  void backdrop(const std::vector<Mark>& points);
  void line(const Series& series, const std::vector<Mark>& points);
  void marks(const Series& series, const std::vector<Mark>& points, bool small = false);
  /// Names of series at the right end of their lines; they are moved apart where they would overlap.
  void label(const Series& series, const Mark& at);
  /// The drawing; `alt` says in words what it shows.
  std::string svg(const std::string& alt) const;

 private:
  double px(double x) const { return left_ + x_.place(x) * (right_ - left_); }
  double py(double y) const { return bottom_ - y_.place(y) * (bottom_ - top_); }
  std::string axes() const;
  std::string labels() const;

  struct Label {
    double x;
    double y;
    std::string text;
    std::string colour;
    int index;
  };
  Extent extent_;
  Axis x_;
  Axis y_;
  double left_, right_, top_, bottom_;
  std::string body_;
  std::vector<Label> labels_;
};

/// <svg> with a text alternative around `body`.
std::string drawing(const Extent& extent, const std::string& alt, const std::string& body,
                    const std::string& attributes = "");

}  // namespace lacuna
