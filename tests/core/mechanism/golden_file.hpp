// Reads .golden files: `#` lines, then blocks of one line `name rows columns` and as many rows of numbers.
//
// golden/make_golden.py writes them. Rows, counts and numbers that are not what a block's line says throw with file and
// line.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <istream>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "core/attention/rows.hpp"

namespace lacuna {

struct GoldenMatrix {
  Index rows = 0;
  Index columns = 0;
  std::vector<double> data;  // [rows, columns]

  std::span<const double> row(Index i) const { return std::span(data).subspan(i * columns, columns); }
};

class GoldenFile {
 public:
  /// A file beside make_golden.py.
  static GoldenFile open(const std::string& name) {
    const std::string path = std::string(LACUNA_SOURCE_DIR) + "/tests/core/mechanism/golden/" + name;
    std::ifstream in(path);
    if (!in) throw InputError(fmt::format("cannot open {}", path));
    return GoldenFile(in, path);
  }

  GoldenFile(std::istream& in, std::string name) : name_(std::move(name)) {
    std::string line;
    while (next_line(in, line)) {
      if (line.starts_with('#')) continue;
      std::istringstream head(line);
      std::string block;
      GoldenMatrix matrix;
      if (!(head >> block >> matrix.rows >> matrix.columns) || matrix.rows < 0 || matrix.columns < 1 ||
          !(head >> std::ws).eof())
        fail("expected `name rows columns`");
      for (Index i = 0; i < matrix.rows; ++i) {
        if (!next_line(in, line)) fail(fmt::format("'{}' ends after {} of {} rows", block, i, matrix.rows));
        const Index found = append_row(line, matrix.data);
        if (found != matrix.columns)
          fail(fmt::format("'{}' has {} numbers in a row of {}", block, found, matrix.columns));
      }
      if (!blocks_.emplace(block, std::move(matrix)).second) fail(fmt::format("'{}' is there twice", block));
    }
  }

  bool has(const std::string& block) const { return blocks_.contains(block); }
  const GoldenMatrix& operator[](const std::string& block) const {
    const auto found = blocks_.find(block);
    if (found == blocks_.end()) throw InputError(fmt::format("{}: no block '{}'", name_, block));
    return found->second;
  }
  /// A block of one number.
  double number(const std::string& block) const {
    const GoldenMatrix& matrix = (*this)[block];
    if (matrix.data.size() != 1) throw InputError(fmt::format("{}: '{}' is not one number", name_, block));
    return matrix.data[0];
  }
  Index size(const std::string& block) const { return static_cast<Index>(number(block)); }

 private:
  bool next_line(std::istream& in, std::string& line) {
    ++line_;
    return static_cast<bool>(std::getline(in, line));
  }

  /// The count of numbers in the line.
  Index append_row(const std::string& line, std::vector<double>& data) const {
    std::istringstream words(line);
    Index found = 0;
    for (std::string word; words >> word; ++found) {
      double value = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error != std::errc() || end != word.data() + word.size()) fail(fmt::format("'{}' is not a number", word));
      data.push_back(value);
    }
    return found;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(fmt::format("{}:{}: {}", name_, line_, message));
  }

  std::string name_;
  int line_ = 0;
  std::map<std::string, GoldenMatrix> blocks_;
};

}  // namespace lacuna
