// Which colour and mark a path has: the same in every figure of a page.
#pragma once

#include <string>
#include <vector>

namespace lacuna {

/// A path, an architecture or a variant, as figures draw it.
struct Series {
  std::string name;
  int index = 0;           ///< its place in the palette
  bool is_oracle = false;  ///< reads every key to choose: hollow marks, dashed lines, a star behind the name

  std::string label() const { return is_oracle ? name + "*" : name; }
  /// CSS class of its colour, s0 to s7: eight hues that differ in lightness too, for eyes that do not tell hues apart.
  std::string colour() const { return {'s', static_cast<char>('0' + index % 8)}; }
  /// Its mark, m0 to m5: (colour, mark) is different for any 48 series.
  std::string mark() const { return {'m', static_cast<char>('0' + (index % 8 + index / 8) % 6)}; }
};

/// Gives a name the same place whenever it is asked for.
class Palette {
 public:
  Series series(const std::string& name, bool is_oracle) {
    std::size_t at = 0;
    while (at < names_.size() && names_[at] != name) ++at;
    if (at == names_.size()) names_.push_back(name);
    return {name, static_cast<int>(at), is_oracle};
  }

 private:
  std::vector<std::string> names_;
};

}  // namespace lacuna
