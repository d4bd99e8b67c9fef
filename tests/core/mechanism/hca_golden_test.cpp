// Heavily compressed attention (no overlap, every visible entry) against DeepseekV4Attention of transformers
// (golden/make_golden.py), at a ratio of 8 in full and at the model's own ratio of 128.
#include "core/mechanism/golden_shared_state.hpp"

namespace lacuna::testing_core {
namespace {

TEST(HcaGolden, RowsQueriesHeadsAndOutputsEqualTransformers) {
  const GoldenFile file = GoldenFile::open("hca.golden");
  const LayerRun run = golden_shared_state_run(file);
  expect_golden(run.cache.local[0], file, "local");
  expect_golden(run.cache.k[0], file, "entries");
  expect_golden(run.q, file, "q");
  expect_golden(run.o, file, "o");
  expect_golden(run.y, file, "y");
}

TEST(HcaGolden, EntriesAndOutputsAtRatio128EqualTransformers) {
  const GoldenFile file = GoldenFile::open("hca_128.golden");
  const LayerRun run = golden_shared_state_run(file);
  expect_golden(run.cache.k[0], file, "entries");
  expect_golden(run.y, file, "y");
}

}  // namespace
}  // namespace lacuna::testing_core
