// A golden file of a whole decoder (golden/make_golden.py) and the comparison of its logits.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "core/model/decoder.hpp"
#include "mechanism/golden_file.hpp"

namespace lacuna::testing_core {

inline GoldenFile open_golden(const std::string& name) {
  const std::string path = std::string(LACUNA_SOURCE_DIR) + "/tests/core/model/golden/" + name;
  std::ifstream in(path);
  if (!in) throw InputError(fmt::format("cannot open {}", path));
  return GoldenFile(in, path);
}

inline Matrix matrix(const GoldenFile& golden, const std::string& block) {
  const GoldenMatrix& found = golden[block];
  return {found.rows, found.columns, found.data};
}

inline std::vector<Index> golden_tokens(const GoldenFile& golden) {
  const std::vector<double>& numbers = golden["tokens"].data;
  return {numbers.begin(), numbers.end()};
}

/// The largest |a - b| as a part of the largest |b|; NaN and another size count as infinite.
inline double largest_relative(std::span<const double> a, const GoldenMatrix& b) {
  if (a.size() != b.data.size()) return INFINITY;
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < b.data.size(); ++i) {
    largest = std::max(largest, std::abs(b.data[i]));
    const double difference = std::abs(a[i] - b.data[i]);
    if (!(difference <= error)) error = std::isnan(difference) ? INFINITY : difference;
  }
  EXPECT_GT(largest, 0.5);
  return error / largest;
}

/// Of the logits of every token.
inline double logit_error(const ModelDescription& model, ModelWeights weights, const GoldenFile& golden) {
  const Decoder decoder(model, std::move(weights));
  ModelCache cache = decoder.start();
  const std::vector<double> hidden = decoder.append(golden_tokens(golden), cache);
  std::vector<double> logits;
  for (std::size_t begin = 0; begin < hidden.size(); begin += model.d_model) {
    const std::vector<double> token = decoder.logits(std::span(hidden).subspan(begin, model.d_model));
    logits.insert(logits.end(), token.begin(), token.end());
  }
  return largest_relative(logits, golden["logits"]);
}

}  // namespace lacuna::testing_core
