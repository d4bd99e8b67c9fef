// An axis: where a value lies between 0 and 1, and where its ticks are.
#pragma once

#include <string>
#include <vector>

namespace lacuna {

struct Tick {
  double value = 0;
  std::string label = {};  ///< empty: a minor tick
};

/// How the axis writes its ticks.
enum class TickText { number, bytes };

class Axis {
 public:
  /// From `low` to `high`, widened to whole ticks.
  static Axis linear(std::string title, double low, double high);
  /// From `low` to `high` and no further.
  static Axis linear_exactly(std::string title, double low, double high);
  /// Over the positive values; where `has_zero`, value 0 has a place of its own below the lowest. `base` is 2 or 10.
  static Axis logarithmic(std::string title, const std::vector<double>& values, int base = 10,
                          TickText text = TickText::number);

  const std::string& title() const { return title_; }
  bool is_logarithmic() const { return base_ > 0; }
  bool has_zero() const { return has_zero_; }
  /// 0 at the low end, 1 at the high one; a value outside is held at the end.
  double place(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }
  /// At most `most` labelled ticks, ascending.
  std::vector<Tick> ticks(int most) const;

 private:
  std::vector<Tick> linear_ticks(int most) const;
  std::vector<Tick> powers(int most) const;

  std::string title_;
  double low_ = 0;
  double high_ = 1;
  int base_ = 0;  // 0: linear
  bool has_zero_ = false;
  TickText text_ = TickText::number;
};

}  // namespace lacuna
