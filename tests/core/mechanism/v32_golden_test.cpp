// DeepSeek sparse attention against DeepseekV32Attention of transformers (golden/make_golden.py).
#include "core/mechanism/golden_mla.hpp"
#include "core/mechanism/sparse_mla.hpp"

namespace lacuna::testing_core {
namespace {

LayerRun golden_run(const GoldenFile& file, Index top_k) {
  const SparseMlaConfig config{.mla = golden_mla_config(file),
                               .index_heads = file.size("config.index_heads"),
                               .d_index = file.size("config.d_index")};
  SparseMlaWeights weights;
  weights.mla = golden_mla_weights(file);
  weights.indexer.wq = matrix_of(file["weight.index_q_b"]);
  weights.indexer.wk = matrix_of(file["weight.index_k"]);
  weights.indexer.k_norm_gain = file["weight.index_k_gamma"].data;
  weights.indexer.k_norm_bias = file["weight.index_k_beta"].data;
  weights.indexer.ww = matrix_of(file["weight.index_w"]);
  return run_layer(SparseMla(config, std::move(weights)), file["x"], top_k);
}

class V32Golden : public testing::Test {
 protected:
  const GoldenFile file_ = GoldenFile::open("v32.golden");
  const Index top_k_ = file_.size("config.top_k");
};

TEST_F(V32Golden, CachedRowsEqualTransformers) {
  const LayerRun run = golden_run(file_, top_k_);
  expect_golden_latent_rows(run.cache.k[0], file_);
  expect_golden(run.cache.index_k, file_, "index_k");
}

TEST_F(V32Golden, IndexQueriesWeightsAndScoresEqualTransformers) {
  const LayerRun run = golden_run(file_, top_k_);
  expect_golden(run.index_q, file_, "index_q");
  expect_golden(run.index_weight, file_, "index_weight");
  expect_golden(run.index_scores, file_, "index_scores");
}

TEST_F(V32Golden, SelectionsEqualTransformers) {
  EXPECT_EQ(golden_run(file_, top_k_).selected, golden_selection(file_["selected"]));
}

TEST_F(V32Golden, OutputsOverTheSelectionEqualTransformers) { expect_golden(golden_run(file_, top_k_).y, file_, "y"); }

}  // namespace
}  // namespace lacuna::testing_core
