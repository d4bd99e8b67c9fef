// The layers of DeepSeek-V4 that read a sliding window and nothing else, against DeepseekV4Attention of transformers
// (golden/make_golden.py).
#include "core/mechanism/golden_shared_state.hpp"

namespace lacuna::testing_core {
namespace {

TEST(WindowGolden, RowsQueriesHeadsAndOutputsEqualTransformers) {
  const GoldenFile file = GoldenFile::open("v4_window.golden");
  const LayerRun run = golden_shared_state_run(file);
  expect_golden(run.cache.local[0], file, "local");
  expect_golden(run.q, file, "q");
  expect_golden(run.o, file, "o");
  expect_golden(run.y, file, "y");
}

}  // namespace
}  // namespace lacuna::testing_core
