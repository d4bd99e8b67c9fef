#include "analysis/compare/compare_results.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "analysis/small_results.hpp"
#include "core/base/error.hpp"
#include "data/temporary_directory.hpp"

namespace lacuna {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

/// What a file of the comparison holds; a test changes one of them.
struct Contents {
  std::vector<std::int64_t> layers = {18, 24};
  std::vector<std::int64_t> queries = {100, 2047, 3000};
  std::vector<double> mass = {0.1, 0.2, 1e-20, 0.4, kNan, 0.6};  // [layer, query]
  std::vector<std::int64_t> keys = {1, 2, 3, 4, 5, 6};
  std::vector<std::string> formats = {"f16", "nvfp4"};
  std::vector<std::string> mass_dimensions = {"layer", "query"};
  std::string mass_name = "omitted_mass";
  std::string oracle = "0";
  std::string metric_version = "1";
  std::string extra_attribute;
};

void write(const std::string& file, const Contents& contents) {
  SmallResults results(file);
  const std::string path = "/path/top_k";
  results.dimension(path, "layer", contents.layers);
  results.dimension(path, "query", contents.queries);
  results.dimension(path, "store", contents.formats);
  results.reals(path, contents.mass_name, contents.mass_dimensions, contents.mass);
  results.integers(path, "keys_attended", {"layer", "query"}, contents.keys);
  hdf5::write_attribute(results.group(path), "oracle", contents.oracle);
  hdf5::write_attribute(results.group("/provenance"), "metric_version", contents.metric_version);
  if (!contents.extra_attribute.empty())
    hdf5::write_attribute(results.group(path), contents.extra_attribute, std::int64_t{1});
  hdf5::create_texts(results.group("/provenance"), "parameters_toml", {}, std::vector<std::string>{file});
  hdf5::create_texts(results.group("/provenance"), "parameters_resolved", {}, std::vector<std::string>{"k = 8"});
}

class CompareResults : public testing::Test {
 protected:
  /// The comparison of the plain contents with changed ones.
  Comparison after(const std::function<void(Contents&)>& change, const ComparisonOptions& options = {}) {
    Contents contents;
    write(directory_ / "a.h5", contents);
    change(contents);
    write(directory_ / "b.h5", contents);
    return compare_results(directory_ / "a.h5", directory_ / "b.h5", options);
  }
  std::string difference(const std::function<void(Contents&)>& change) {
    const Comparison comparison = after(change);
    EXPECT_EQ(comparison.differences.size(), 1u);
    return comparison.differences.empty() ? "" : comparison.differences.front();
  }
  std::string at(const std::string& name) const { return directory_ / name; }

  TemporaryDirectory directory_;
};

TEST_F(CompareResults, OfTheSameContentsIsEqualWhoeverMadeThem) {  // digest, revision, host and typed text differ
  const Comparison comparison = after([](Contents&) {});
  EXPECT_TRUE(comparison.equal()) << comparison.differences.front();
  EXPECT_EQ(comparison.datasets, 6);
  EXPECT_EQ(comparison.values, 2 + 3 + 2 + 6 + 6 + 1);
}

TEST_F(CompareResults, FailsOnNanAgainstANumberAndNamesThePlace) {
  EXPECT_EQ(difference([](Contents& c) { c.mass[1] = kNan; }),
            "/path/top_k/omitted_mass: NaN or inf in one file alone at 1 of 6 places; first at layer=18 query=2047: "
            "0.2 against nan");
  EXPECT_EQ(difference([](Contents& c) { c.mass[4] = 7; }),
            "/path/top_k/omitted_mass: NaN or inf in one file alone at 1 of 6 places; first at layer=24 query=2047: "
            "nan against 7");
}

TEST_F(CompareResults, FailsOnTinyNumbersThatDifferRelatively) {
  EXPECT_EQ(difference([](Contents& c) { c.mass[2] = 2e-20; }),
            "/path/top_k/omitted_mass: 1 of 6 values differ; worst at layer=18 query=3000: 1e-20 against 2e-20");
  ComparisonOptions loose;
  loose.tolerance.absolute = 1e-15;
  EXPECT_TRUE(after([](Contents& c) { c.mass[2] = 2e-20; }, loose).equal());
}

TEST_F(CompareResults, FailsOnAMissingAndOnAnExtraDataset) {
  const Comparison comparison = after([](Contents& c) { c.mass_name = "mass"; });
  ASSERT_EQ(comparison.differences.size(), 2u);
  EXPECT_EQ(comparison.differences[0], "/path/top_k/mass: missing in " + at("a.h5"));
  EXPECT_EQ(comparison.differences[1], "/path/top_k/omitted_mass: missing in " + at("b.h5"));
}

TEST_F(CompareResults, FailsOnAnotherShapeOrOrderOfDimensions) {
  const Comparison comparison = after([](Contents& c) {
    c.queries.pop_back();
    c.mass.resize(4);
    c.keys.resize(4);
  });
  ASSERT_EQ(comparison.differences.size(), 3u);
  EXPECT_EQ(comparison.differences[0], "/path/top_k/keys_attended: shape [2, 3] against [2, 2]");
  EXPECT_EQ(comparison.differences[2], "/path/top_k/query: shape [3] against [2]");
  EXPECT_EQ(difference([](Contents& c) {
              c.queries = {100, 2047, 3000};
              c.mass_dimensions = {"query", "layer"};
            }),
            "/path/top_k/omitted_mass: shape [2, 3] against [3, 2]");
}

TEST_F(CompareResults, FailsOnDimensionsOfTheSameShapeInAnotherOrder) {
  const auto square = [](Contents& c) {
    c.queries = {100, 2047};
    c.mass.resize(4);
    c.keys.resize(4);
  };
  Contents contents;
  square(contents);
  write(at("a.h5"), contents);
  contents.mass_dimensions = {"query", "layer"};
  write(at("b.h5"), contents);
  const Comparison comparison = compare_results(at("a.h5"), at("b.h5"), {});
  ASSERT_EQ(comparison.differences.size(), 1u);
  EXPECT_EQ(comparison.differences[0], "/path/top_k/omitted_mass: dimensions [layer, query] against [query, layer]");
}

TEST_F(CompareResults, FailsOnAnotherMetricVersion) {
  EXPECT_EQ(difference([](Contents& c) { c.metric_version = "2"; }),
            "attribute 'metric_version' of /provenance: '1' against '2'");
}

TEST_F(CompareResults, TakesCoordinatesIntegersAndTextsExactly) {
  const ComparisonOptions loose{.tolerance = {0.5, 100}, .ignore = {}};
  EXPECT_EQ(after([](Contents& c) { c.queries[1] = 2048; }, loose).differences,
            (std::vector<std::string>{"/path/top_k/query: 1 of 3 values differ; worst at [1]: 2047 against 2048"}));
  EXPECT_EQ(after([](Contents& c) { c.keys[5] = 7; }, loose).differences,
            (std::vector<std::string>{
                "/path/top_k/keys_attended: 1 of 6 values differ; worst at layer=24 query=3000: 6 against 7"}));
  EXPECT_EQ(after([](Contents& c) { c.formats[1] = "nvfp5"; }, loose).differences,
            (std::vector<std::string>{"/path/top_k/store: text 1 is 'nvfp4' against 'nvfp5'"}));
}

TEST_F(CompareResults, FailsOnAnAttributeThatIsMissingOrDiffers) {
  EXPECT_EQ(difference([](Contents& c) { c.oracle = "1"; }), "attribute 'oracle' of /path/top_k: '0' against '1'");
  EXPECT_EQ(difference([](Contents& c) { c.extra_attribute = "window"; }),
            "attribute 'window' of /path/top_k: missing in " + at("a.h5"));
}

TEST_F(CompareResults, LeavesOutWhatItIsToldTo) {
  const auto change = [](Contents& c) {
    c.mass[0] = 1;
    c.oracle = "1";
  };
  const Comparison by_name = after(change, {.tolerance = {}, .ignore = {"omitted_mass", "oracle"}});
  EXPECT_TRUE(by_name.equal());
  EXPECT_EQ(by_name.ignored, 1);
  EXPECT_TRUE(after(change, {.tolerance = {}, .ignore = {"/path/top_k"}}).equal());
  EXPECT_EQ(after(change, {.tolerance = {}, .ignore = {"keys_attended"}}).differences.size(), 2u);
}

TEST_F(CompareResults, RefusesToLeaveOutWhatIsNotThere) {
  EXPECT_NE(message_of<UsageError>([&] {
              after([](Contents&) {}, {.tolerance = {}, .ignore = {"omited_mass"}});
            }).find("omited_mass: neither file has"),
            std::string::npos);
}

TEST_F(CompareResults, IsNotDeceivedByBlocks) {  // larger than a block of 8 MiB
  const std::size_t size = (std::size_t{1} << 20) + 3;
  for (const char* name : {"a.h5", "b.h5"}) {
    SmallResults results(at(name));
    std::vector<std::int64_t> labels(size);
    std::vector<double> values(size, 1.0);
    for (std::size_t i = 0; i < size; ++i) labels[i] = static_cast<std::int64_t>(i);
    if (name[0] == 'b') values[size - 2] = 2;
    results.dimension("/exact", "query", labels);
    results.reals("/exact", "entropy", {"query"}, values);
  }
  const Comparison comparison = compare_results(at("a.h5"), at("b.h5"), {});
  ASSERT_EQ(comparison.differences.size(), 1u);
  EXPECT_EQ(comparison.differences[0],
            "/exact/entropy: 1 of 1048579 values differ; worst at query=1048577: 1 against 2");
}

TEST(CompareResultsFaults, NameTheFileThatIsNoResultsFile) {
  const TemporaryDirectory directory;
  write(directory / "a.h5", {});
  write_bytes(directory / "text.h5", "not HDF5");
  { hdf5::close_file(*std::make_unique<hdf5::Handle>(hdf5::create_file(directory / "empty.h5")), "it"); }
  const auto compare = [&](const std::string& other) { compare_results(directory / "a.h5", directory / other, {}); };
  EXPECT_EQ(message_of<InputError>([&] { compare("text.h5"); }).find(directory / "text.h5"), 0u);
  EXPECT_EQ(message_of<InputError>([&] { compare("empty.h5"); }),
            (directory / "empty.h5") + " is not a complete results file");
  EXPECT_EQ(message_of<EnvironmentError>([&] { compare("none.h5"); }),
            (directory / "none.h5") + ": there is no such file");
}

}  // namespace
}  // namespace lacuna
