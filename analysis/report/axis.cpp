#include "analysis/report/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/number_text.hpp"

namespace lacuna {
namespace {

constexpr double kZeroShare = 0.09;  // of the length, between the place of 0 and the lowest positive value

/// The smallest of 1, 2, 5 times a power of ten that is not below x.
double round_step(double x) {
  const double power = std::pow(10.0, std::floor(std::log10(x)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= x * (1 - 1e-9)) return digit * power;
  return 10 * power;
}

std::string tick_number(double value) {
  if (value == 0) return "0";
  if (std::abs(value) >= 1e6 || std::abs(value) < 1e-3) return fmt::format("{:g}", value);
  return std::abs(value) >= 1000 ? brief_number(value) : fmt::format("{:.6g}", value);
}

}  // namespace

Axis Axis::linear(std::string title, double low, double high) {
  if (!(high > low)) high = low + 1;
  const double step = round_step((high - low) / 5);
  Axis axis;
  axis.title_ = std::move(title);
  axis.low_ = step * std::floor(low / step + 1e-9);
  axis.high_ = step * std::ceil(high / step - 1e-9);
  return axis;
}

Axis Axis::linear_exactly(std::string title, double low, double high) {
  Axis axis;
  axis.title_ = std::move(title);
  axis.low_ = low;
  axis.high_ = high > low ? high : low + 1;
  return axis;
}

Axis Axis::logarithmic(std::string title, const std::vector<double>& values, int base, TickText text) {
  Axis axis;
  axis.title_ = std::move(title);
  axis.base_ = base;
  axis.text_ = text;
  axis.low_ = std::numeric_limits<double>::infinity();
  axis.high_ = 0;
  for (const double value : values) {
    if (value == 0) axis.has_zero_ = true;
    if (!(value > 0) || std::isinf(value)) continue;
    axis.low_ = std::min(axis.low_, value);
    axis.high_ = std::max(axis.high_, value);
  }
  if (axis.high_ == 0) axis.low_ = axis.high_ = 1;
  const double room = std::max(0.04 * std::log(axis.high_ / axis.low_), 0.15);
  axis.low_ *= std::exp(-room);
  axis.high_ *= std::exp(room);
  return axis;
}

double Axis::place(double value) const {
  if (base_ == 0) return std::clamp((value - low_) / (high_ - low_), 0.0, 1.0);
  const double from = has_zero_ ? kZeroShare : 0;
  if (!(value > 0)) return 0;
  return from + (1 - from) * std::clamp(std::log(value / low_) / std::log(high_ / low_), 0.0, 1.0);
}

std::vector<Tick> Axis::ticks(int most) const { return base_ == 0 ? linear_ticks(most) : powers(most); }

std::vector<Tick> Axis::linear_ticks(int most) const {
  const double step = round_step((high_ - low_) / std::max(most - 1, 1));
  std::vector<Tick> ticks;
  for (double i = std::ceil(low_ / step - 1e-9); i * step <= high_ + 1e-9 * step; ++i)
    ticks.push_back({i * step, tick_number(i * step)});
  return ticks;
}

std::vector<Tick> Axis::powers(int most) const {
  std::vector<Tick> ticks;
  if (has_zero_) ticks.push_back({0, "0"});
  const int first = static_cast<int>(std::ceil(std::log(low_) / std::log(base_) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log(high_) / std::log(base_) + 1e-9));
  const int stride = std::max(1, (last - first + most) / most);
  const auto label = [&](int exponent) -> std::string {
    const double value = std::pow(base_, exponent);
    if (text_ == TickText::bytes) return brief_bytes(value);
    return base_ == 10 ? power_of_ten(exponent) : brief_binary(value);
  };
  if (base_ == 10 && last - first < 2) {  // under two decades: 1, 2 and 5 are labelled
    for (int e = first - 1; e <= last; ++e)
      for (const int digit : {1, 2, 5}) {
        const double value = digit * std::pow(10.0, e);
        if (value >= low_ && value <= high_) ticks.push_back({value, tick_number(value)});
      }
    return ticks;
  }
  for (int e = first; e <= last; ++e)
    ticks.push_back({std::pow(base_, e), (e - first) % stride == 0 ? label(e) : std::string()});
  return ticks;
}

}  // namespace lacuna
