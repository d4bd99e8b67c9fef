// The families of problems over which the claims are tested.
#pragma once

#include "support/problem_builder.hpp"

namespace lacuna::testing_core {

/// Any one of everything; `most_keys` and `most_channels` bound the cost in wide arithmetic.
inline ProblemShape random_shape(std::uint64_t seed, Index most_keys, Index most_channels) {
  Random random(seed * 0x9E3779B97F4A7C15ULL + 1);
  ProblemShape shape;
  shape.seed = seed;
  shape.n = random.chance(0.1) ? random.integer(1, most_keys)
                               : std::min(most_keys, random.one_of<Index>({1, 2, 3, 5, 7, 8, 11, 13, 16, 17, 23, 31}));
  shape.d_qk = random.integer(1, random.chance(0.1) ? most_channels : std::min<Index>(most_channels, 9));
  shape.d_v = random.integer(1, random.chance(0.1) ? most_channels : std::min<Index>(most_channels, 9));
  shape.is_double = random.chance(0.6);
  shape.shared_kv = random.chance(0.2);
  shape.sink = random.chance(0.5);
  shape.score_spread = random.one_of<double>({0.1, 1, 1, 3, 10, 40});
  shape.value_shift = random.one_of<double>({0, 0, 1, 30});
  shape.data = random.one_of<Data>({Data::gaussian, Data::gaussian, Data::tied, Data::duplicated, Data::cancelling});
  return shape;
}

/// Small problems of several heads and queries for stages: MHA, GQA and MQA, both element types, shared K = V, sinks,
/// ties, key counts that no block size divides.
inline std::vector<ProblemShape> stage_shapes() {
  std::vector<ProblemShape> shapes = {
      {.h_q = 2, .h_kv = 2, .s_q = 5, .n = 37, .d_qk = 6, .d_v = 4},
      {.h_q = 6, .h_kv = 2, .s_q = 7, .n = 53, .d_qk = 5, .d_v = 3, .is_double = false, .sink = true},
      {.h_q = 4, .h_kv = 1, .s_q = 4, .n = 64, .d_qk = 8, .shared_kv = true, .score_spread = 4},
      {.h_q = 3, .h_kv = 1, .s_q = 9, .n = 9, .d_qk = 3, .d_v = 2, .sink = true},
      {.h_q = 2, .h_kv = 1, .s_q = 3, .n = 101, .d_qk = 4, .d_v = 5, .is_double = false, .data = Data::tied},
      {.h_q = 2, .h_kv = 2, .s_q = 4, .n = 48, .d_qk = 7, .d_v = 3, .sink = true, .data = Data::duplicated},
      {.h_q = 1, .h_kv = 1, .s_q = 1, .n = 1, .d_qk = 1, .d_v = 1},
  };
  for (std::size_t i = 0; i < shapes.size(); ++i) shapes[i].seed = 1000 + i;
  return shapes;
}

}  // namespace lacuna::testing_core
