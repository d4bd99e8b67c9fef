// Multi-head latent attention against DeepseekV3Attention of transformers (golden/make_golden.py): with YaRN, its
// mscale and a low-rank query, and with none of them.
#include "core/mechanism/golden_mla.hpp"

namespace lacuna::testing_core {
namespace {

const char* const cases[] = {"mla.golden", "mla_direct_query.golden"};

std::shared_ptr<const Mla> mla_of(const GoldenFile& file) {
  return std::make_shared<const Mla>(golden_mla_config(file), golden_mla_weights(file));
}

TEST(MlaGolden, SoftmaxScaleEqualsTransformers) {
  for (const char* name : cases) {
    const GoldenFile file = GoldenFile::open(name);
    EXPECT_NEAR(golden_mla_config(file).sm_scale(), file.number("config.sm_scale"), 1e-16) << name;
  }
}

TEST(MlaGolden, LatentRowsEqualTransformers) {
  for (const char* name : cases) {
    SCOPED_TRACE(name);
    const GoldenFile file = GoldenFile::open(name);
    expect_golden_latent_rows(run_layer(MlaAbsorbed(mla_of(file)), file["x"]).cache.k[0], file);
  }
}

TEST(MlaGolden, ExpandedQueriesHeadsAndOutputsEqualTransformers) {
  for (const char* name : cases) {
    SCOPED_TRACE(name);
    const GoldenFile file = GoldenFile::open(name);
    const LayerRun run = run_layer(MlaExpanded(mla_of(file)), file["x"]);
    expect_golden(run.q, file, "q");
    expect_golden(run.o, file, "o");
    expect_golden(run.y, file, "y");
  }
}

TEST(MlaGolden, AbsorbedOutputsEqualTransformers) {
  for (const char* name : cases) {
    SCOPED_TRACE(name);
    const GoldenFile file = GoldenFile::open(name);
    expect_golden(run_layer(MlaAbsorbed(mla_of(file)), file["x"]).y, file, "y");
  }
}

}  // namespace
}  // namespace lacuna::testing_core
