// The element codecs as values, so that one test runs over all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/format/element/bf16.hpp"
#include "core/format/element/e2m1.hpp"
#include "core/format/element/e4m3.hpp"
#include "core/format/element/e5m2.hpp"
#include "core/format/element/e8m0.hpp"
#include "core/format/element/f16.hpp"

namespace lacuna {

struct AnyElement {
  std::string name;
  int bits;
  int mantissa_bits;
  unsigned low, high;  ///< exponents (f32 fields) that counter inputs cover
  double max;
  std::function<unsigned(double)> encode;
  std::function<double(unsigned)> decode;
  unsigned codes() const { return 1U << bits; }
};

template <class Element>
AnyElement any_element(const std::string& name, int mantissa_bits, unsigned low, unsigned high) {
  return {name,
          Element::bits,
          mantissa_bits,
          low,
          high,
          Element::max,
          [](double x) { return static_cast<unsigned>(Element::encode(x)); },
          [](unsigned code) { return Element::decode(static_cast<typename Element::Code>(code)); }};
}

inline std::vector<AnyElement> every_element() {
  return {any_element<E2m1>("e2m1", 1, 122, 131), any_element<E4m3>("e4m3", 3, 115, 137),
          any_element<E5m2>("e5m2", 2, 108, 144), any_element<E8m0>("e8m0", 0, 0, 254),
          any_element<Bf16>("bf16", 7, 0, 254),   any_element<F16>("f16", 10, 99, 144)};
}

}  // namespace lacuna
