#include "analysis/report/number_text.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

namespace lacuna {
namespace {

std::string with_commas(long long whole) {
  std::string digits = fmt::format("{}", whole < 0 ? -whole : whole);
  for (std::size_t at = digits.size(); at > 3;)
    digits.insert(digits.begin() + static_cast<std::ptrdiff_t>(at -= 3), ',');
  return whole < 0 ? fmt::format("-{}", digits) : digits;
}

}  // namespace

std::string brief_number(double x) {
  if (std::isnan(x)) return "none";
  if (std::isinf(x)) return x > 0 ? "infinite" : "-infinite";
  if (std::abs(x) >= 999.5 && std::abs(x) < 1e7) return with_commas(std::llround(x));
  return fmt::format("{:.3g}", x);
}

std::string brief_bytes(double count) {
  const std::string text = brief_binary(count);
  if (std::isnan(count)) return text;
  return std::isdigit(static_cast<unsigned char>(text.back())) ? text + " B" : text + "B";
}

std::string brief_binary(double count) {
  if (std::isnan(count)) return "none";
  const char* units[] = {"", " Ki", " Mi", " Gi", " Ti"};
  int unit = 0;
  while (count >= 999.5 && unit < 4) {
    count /= 1024;
    ++unit;
  }
  return fmt::format("{:.3g}{}", count, units[unit]);
}

std::string long_number(double x) {
  std::string decimals = fmt::format("{:.2f}", x);
  decimals.erase(0, decimals.find('.'));
  while (decimals.ends_with('0') || decimals.ends_with('.')) decimals.pop_back();
  return with_commas(static_cast<long long>(x)) + decimals;
}

std::string percent(double share) { return std::isnan(share) ? "none" : fmt::format("{:.3g} %", 100 * share); }

std::string power_of_ten(int exponent) {
  if (exponent >= -3 && exponent < 0) return fmt::format("{:g}", std::pow(10.0, exponent));
  if (exponent >= 0 && exponent <= 4) return with_commas(std::llround(std::pow(10.0, exponent)));
  const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char c : fmt::format("{}", std::abs(exponent))) text += digits[c - '0'];
  return text;
}

std::string escape_markup(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

std::string coordinate(double x) {
  std::string text = fmt::format("{:.1f}", x);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string counted(long long count, std::string_view one) {
  return fmt::format("{} {}{}", with_commas(count), one, count == 1 ? "" : "s");
}

}  // namespace lacuna
