// Compressed sparse attention (ratio 4, overlapping groups, an indexer) against DeepseekV4Attention of transformers
// (golden/make_golden.py).
#include "core/mechanism/golden_shared_state.hpp"

namespace lacuna::testing_core {
namespace {

class CsaGolden : public testing::Test {
 protected:
  const GoldenFile file_ = GoldenFile::open("csa.golden");
  const LayerRun run_ = golden_shared_state_run(file_, file_.size("config.top_k"));
};

TEST_F(CsaGolden, LocalRowsEntriesAndIndexKeysEqualTransformers) {
  expect_golden(run_.cache.local[0], file_, "local");
  expect_golden(run_.cache.k[0], file_, "entries");
  expect_golden(run_.cache.index_k, file_, "index_k");
}

TEST_F(CsaGolden, QueriesEqualTransformers) {
  expect_golden(run_.q, file_, "q");
  expect_golden(run_.index_q, file_, "index_q");
  expect_golden(run_.index_weight, file_, "index_weight");
}

TEST_F(CsaGolden, IndexScoresAndSelectionsEqualTransformers) {
  expect_golden(run_.index_scores, file_, "index_scores");
  EXPECT_EQ(run_.selected, golden_selection(file_["selected"]));
}

TEST_F(CsaGolden, HeadsAndOutputsEqualTransformers) {
  expect_golden(run_.o, file_, "o");
  expect_golden(run_.y, file_, "y");
}

}  // namespace
}  // namespace lacuna::testing_core
