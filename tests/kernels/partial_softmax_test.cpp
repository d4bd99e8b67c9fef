#include <numeric>

#include "kernels/every_backend.hpp"
#include "kernels/kernels.hpp"

namespace lacuna::kernels {
namespace {

/// A partial softmax with its own memory.
struct Part {
  std::vector<double> o;  // [d_v]
  PartialSoftmax partial;

  explicit Part(Index d_v) : o(d_v, 0.0) { attach(); }
  Part(double m, double l, std::vector<double> o_values) : o(std::move(o_values)) {
    partial.m = m;
    partial.l = l;
    attach();
  }
  Part(const Part& other) : o(other.o), partial(other.partial) { attach(); }
  Part& operator=(const Part&) = delete;

 private:
  void attach() {
    partial.o = o.data();
    partial.d_v = o.size();
  }
};

Part random_part(std::mt19937_64& engine) {
  if (engine() % 5 == 0) return Part(3);
  std::normal_distribution<double> normal;
  const double l = 1 + std::abs(normal(engine));
  return Part(30 * normal(engine), l, {l * normal(engine), l * normal(engine), l * normal(engine)});
}

void expect_same_bits(const Part& a, const Part& b) {
  EXPECT_EQ(a.partial.m, b.partial.m);
  EXPECT_EQ(a.partial.l, b.partial.l);
  ASSERT_EQ(a.o.size(), b.o.size());
  for (std::size_t c = 0; c < a.o.size(); ++c) {
    EXPECT_EQ(a.o[c], b.o[c]);
    EXPECT_EQ(std::signbit(a.o[c]), std::signbit(b.o[c]));
  }
}

TEST(Merge, TwoKeysByHand) {
  // weights e^0 = 1 at value 3 and e^log(3) = 3 at value 7, relative to log 3: 1/3 and 1
  Part a(0, 1, {3});
  const Part b(std::log(3.0), 1, {7});
  merge(a.partial, b.partial);
  EXPECT_EQ(a.partial.m, std::log(3.0));
  EXPECT_NEAR(a.partial.l, 4.0 / 3, 1e-15);
  EXPECT_NEAR(a.o[0], 1 + 7, 1e-14);
  EXPECT_NEAR(normalize(a.partial), std::log(4.0), 1e-15);
  EXPECT_NEAR(a.o[0], 6, 1e-14);
}

TEST(Merge, TwoEmptyPartsGiveAnEmptyOne) {
  Part a(2);
  const Part b(2);
  merge(a.partial, b.partial);
  expect_same_bits(a, Part(2));
  EXPECT_EQ(normalize(a.partial), never);
  EXPECT_EQ(a.o, std::vector<double>(2, 0.0));
}

TEST(Merge, AnEmptyPartChangesNoBit) {
  const Part full(-1.5, 1.25, {0.1, -0.0, 7e-300});
  Part into = full;
  merge(into.partial, Part(3).partial);
  expect_same_bits(into, full);
  Part from_empty(3);
  merge(from_empty.partial, full.partial);
  expect_same_bits(from_empty, full);
}

TEST(Merge, IsCommutativeToTheBit) {
  std::mt19937_64 engine(20261129);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    SCOPED_TRACE(repeat);
    const Part a = random_part(engine), b = random_part(engine);
    Part ab = a, ba = b;
    merge(ab.partial, b.partial);
    merge(ba.partial, a.partial);
    expect_same_bits(ab, ba);
  }
}

TEST(Merge, IsAssociativeForAnySplit) {
  std::mt19937_64 engine(20261129);
  for (int repeat = 0; repeat < 500; ++repeat) {
    SCOPED_TRACE(repeat);
    std::vector<Part> parts;
    for (std::uint64_t i = 0, n = 1 + engine() % 12; i < n; ++i) parts.push_back(random_part(engine));
    Part left(3);
    for (const Part& part : parts) merge(left.partial, part.partial);

    std::vector<Part> tree_parts = parts;
    std::vector<std::size_t> remaining(parts.size());  // neighbours are merged in a random order until one is left
    std::iota(remaining.begin(), remaining.end(), 0);
    while (remaining.size() > 1) {
      const std::size_t i = engine() % (remaining.size() - 1);
      merge(tree_parts[remaining[i]].partial, tree_parts[remaining[i + 1]].partial);
      remaining.erase(remaining.begin() + i + 1);
    }
    const Part& tree = tree_parts.front();

    EXPECT_EQ(tree.partial.m, left.partial.m);
    EXPECT_LE(std::abs(tree.partial.l - left.partial.l), 1e-13 * left.partial.l);
    for (Index c = 0; c < 3; ++c) {
      double size = 0;  // sum |factor * o|, which the rounding is relative to
      for (const Part& part : parts) {
        if (part.partial.l > 0) size += std::exp(part.partial.m - left.partial.m) * std::abs(part.o[c]);
      }
      EXPECT_LE(std::abs(tree.o[c] - left.o[c]), 1e-13 * size);
    }
  }
}

TEST(Merge, PartsThatAreFarApartNeitherOverflowNorGiveNan) {
  Part a(1e300, 1, {2});
  merge(a.partial, Part(-1e300, 1, {5}).partial);
  expect_same_bits(a, Part(1e300, 1, {2}));
  Part b(-1e300, 1, {5});
  merge(b.partial, Part(1e300, 1, {2}).partial);
  expect_same_bits(b, Part(1e300, 1, {2}));
}

TEST(Rescale, KeepsTheSoftmax) {
  Part a(0, 2, {8});
  rescale(a.partial, std::log(4.0));
  EXPECT_NEAR(a.partial.l, 0.5, 1e-16);
  EXPECT_NEAR(a.o[0], 2, 1e-15);
  EXPECT_NEAR(normalize(a.partial), std::log(2.0), 1e-15);
  EXPECT_NEAR(a.o[0], 4, 1e-15);
}

TEST(Sink, IsAKeyWithValueZero) {
  Part a(0, 1, {4});
  merge_sink(a.partial, std::log(3.0));
  EXPECT_NEAR(normalize(a.partial), std::log(4.0), 1e-15);
  EXPECT_NEAR(a.o[0], 1, 1e-15);

  Part b(0.5, 1.5, {1, 2}), c = b;
  merge_sink(b.partial, -2);
  merge(c.partial, Part(-2, 1, {0, 0}).partial);
  expect_same_bits(b, c);
}

TEST(Sink, AloneTakesTheWholeMass) {
  Part a(2);
  merge_sink(a.partial, 1.5);
  EXPECT_EQ(normalize(a.partial), 1.5);
  EXPECT_EQ(a.o, std::vector<double>(2, 0.0));
}

TEST(Sink, OfMinusInfinityIsNone) {
  Part full(0.5, 1.5, {1, 2}), empty(2);
  merge_sink(full.partial, never);
  merge_sink(empty.partial, never);
  expect_same_bits(full, Part(0.5, 1.5, {1, 2}));
  expect_same_bits(empty, Part(2));
}

TEST(Normalize, LeavesThePartMergeable) {
  Part a(0, 2.5, {3}), b = a;
  const Part other(std::log(3.0), 1, {7});
  normalize(a.partial);
  merge(a.partial, other.partial);
  merge(b.partial, other.partial);
  EXPECT_NEAR(normalize(a.partial), normalize(b.partial), 1e-15);
  EXPECT_NEAR(a.o[0], b.o[0], 1e-14);
}

}  // namespace
}  // namespace lacuna::kernels
