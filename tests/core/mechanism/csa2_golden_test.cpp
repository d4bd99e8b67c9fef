// The compressors and rows of DeepSeek-V4.1 (ratios 2 and 1, no position bias, no norm of query heads) against
// DeepseekV4Attention of transformers with those two parts taken out (golden/make_golden.py). Every visible entry is
// read: transformers has no V4.1 indexer to compare with.
#include "core/mechanism/golden_shared_state.hpp"

namespace lacuna::testing_core {
namespace {

TEST(Csa2Golden, RowsQueriesHeadsAndOutputsEqualTransformers) {
  for (const char* name : {"ratio_2.golden", "ratio_1.golden"}) {
    SCOPED_TRACE(name);
    const GoldenFile file = GoldenFile::open(name);
    const LayerRun run = golden_shared_state_run(file);
    expect_golden(run.cache.local[0], file, "local");
    expect_golden(run.cache.k[0], file, "entries");
    expect_golden(run.q, file, "q");
    expect_golden(run.o, file, "o");
    expect_golden(run.y, file, "y");
  }
}

}  // namespace
}  // namespace lacuna::testing_core
