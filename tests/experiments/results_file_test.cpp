#include "experiments/harness/results_file.hpp"

#include <gtest/gtest.h>

#include <hdf5.h>

#include <cstring>

#include "core/base/error.hpp"
#include "data/temporary_directory.hpp"
#include "experiments/harness/open_results.hpp"

namespace lacuna {
namespace {

using Indices = std::vector<std::int64_t>;

Dimension integers(const std::string& name, const Indices& values) { return {name, values, "1", name}; }

VariableSpec spec(const std::string& name, VariableType type, const std::vector<std::string>& dimensions) {
  return {.name = name, .type = type, .dimensions = dimensions, .units = "1", .long_name = name, .attributes = {}};
}

/// A file with one variable of each type over [layer 3, query 4] in /path/top_k, and provenance that holds `remark`.
struct Example {
  Compression compression = Compression::none;
  Indices chunk = {1, 4};
  std::string remark = "first";
  bool reversed = false;  ///< the order of writing
  double change = 0;      ///< added to one value

  std::string write(const std::string& file) const {
    ResultsFile results(file, false, compression);
    ResultsGroup group = results.group("/path/top_k");
    group.dimension(integers("layer", {1, 15, 28}));
    group.dimension(integers("query", {3, 5, 8, 9}));
    ResultsVariable bound = group.variable(spec("bound", VariableType::f64, {"layer", "query"}), chunk);
    ResultsVariable keys = group.variable(spec("keys_scored", VariableType::i64, {"layer", "query"}), chunk);
    ResultsVariable status = group.variable(spec("status", VariableType::u8, {"layer", "query"}), chunk);
    for (std::int64_t step = 0; step < 3; ++step) {
      const std::int64_t layer = reversed ? 2 - step : step;
      const double base = static_cast<double>(layer);
      const Indices start{layer, 0};
      const Indices count{1, 4};
      const std::vector<double> values{base, base + 0.5, std::nan(""), -0.0 + (layer == 1 ? change : 0)};
      bound.write(start, count, std::span<const double>(values));
      keys.write(start, count, std::span<const std::int64_t>(Indices{layer, -1, 1LL << 40, 0}));
      status.write(start, count, std::span<const std::uint8_t>(std::vector<std::uint8_t>{0, 1, 5, 255}));
    }
    results.group("/provenance").text("parameters_toml", remark);
    results.group("/").attribute("title", remark);
    return results.finish();
  }
};

std::vector<double> read_doubles(const std::string& file, const std::string& path) {
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(id, path.c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(set);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(id);
  return values;
}

TEST(ResultsFile, HoldsWhatWasWritten) {
  const TemporaryDirectory directory;
  Example().write(directory / "r.h5");
  const std::vector<double> bound = read_doubles(directory / "r.h5", "/path/top_k/bound");
  EXPECT_EQ(bound[4], 1);
  EXPECT_EQ(bound[9], 2.5);
  EXPECT_TRUE(std::isnan(bound[2]));
  const std::vector<double> keys = read_doubles(directory / "r.h5", "/path/top_k/keys_scored");
  EXPECT_EQ(keys[8], 2);
  EXPECT_EQ(keys[10], 1099511627776.0);
  EXPECT_EQ(read_doubles(directory / "r.h5", "/path/top_k/status")[11], 255);
  EXPECT_EQ(read_doubles(directory / "r.h5", "/path/top_k/layer"), (std::vector<double>{1, 15, 28}));
  EXPECT_FALSE(std::filesystem::exists(directory / "r.h5.partial"));
}

TEST(ResultsFile, SameContentIsTheSameBytes) {
  const TemporaryDirectory directory;
  Example().write(directory / "a.h5");
  Example().write(directory / "b.h5");
  EXPECT_TRUE(read_bytes(directory / "a.h5") == read_bytes(directory / "b.h5"));
}

TEST(ResultsFile, DigestIsOfTheContentAlone) {
  const TemporaryDirectory directory;
  const std::string digest = Example().write(directory / "plain.h5");
  EXPECT_EQ(digest.size(), 64U);
  EXPECT_EQ(content_sha256(directory / "plain.h5"), digest);
  EXPECT_EQ(Example{.compression = Compression::deflate}.write(directory / "deflated.h5"), digest);
  EXPECT_EQ((Example{.chunk = {3, 3}}.write(directory / "chunks.h5")), digest);
  EXPECT_EQ((Example{.chunk = {100, 1}}.write(directory / "large.h5")), digest);
  EXPECT_EQ(Example{.remark = "second"}.write(directory / "remark.h5"), digest);
  EXPECT_EQ(Example{.reversed = true}.write(directory / "reversed.h5"), digest);
  EXPECT_NE(Example{.change = 1e-300}.write(directory / "changed.h5"), digest);
}

TEST(ResultsFile, DigestDependsOnNamesTypesAndShapes) {
  const TemporaryDirectory directory;
  int number = 0;
  const auto digest = [&](const std::string& group, const std::string& name, VariableType type, const Indices& labels) {
    ResultsFile file(directory / fmt::format("{}.h5", ++number), false, Compression::none);
    ResultsGroup to = file.group(group);
    to.dimension(integers("layer", labels));
    to.variable(spec(name, type, {"layer"}), Indices{4});
    return file.finish();
  };
  const std::string base = digest("/exact", "x", VariableType::i64, {0, 1});
  EXPECT_EQ(digest("/exact", "x", VariableType::i64, {0, 1}), base);
  EXPECT_NE(digest("/path", "x", VariableType::i64, {0, 1}), base);
  EXPECT_NE(digest("/exact", "y", VariableType::i64, {0, 1}), base);
  EXPECT_NE(digest("/exact", "x", VariableType::u8, {0, 1}), base);
  EXPECT_NE(digest("/exact", "x", VariableType::f64, {0, 1}), base);
  EXPECT_NE(digest("/exact", "x", VariableType::i64, {0, 1, 2}), base);
  EXPECT_NE(digest("/exact", "x", VariableType::i64, {0, 2}), base);
}

TEST(ResultsFile, AllNansAreOneAndZerosAreTwo) {
  const TemporaryDirectory directory;
  int number = 0;
  const auto digest = [&](double value) {
    ResultsFile file(directory / fmt::format("{}.h5", ++number), false, Compression::none);
    ResultsVariable variable = file.group("/exact").variable(spec("x", VariableType::f64, {}), {});
    if (!std::isnan(value) || std::signbit(value)) variable.write({}, {}, std::span<const double>(&value, 1));
    return file.finish();
  };
  const std::string unwritten = digest(std::nan(""));
  EXPECT_EQ(digest(-std::nan("0x123")), unwritten);
  EXPECT_NE(digest(0.0), digest(-0.0));
  EXPECT_NE(digest(HUGE_VAL), unwritten);
}

TEST(ResultsFile, WhatWasNotWrittenIsNanOrZero) {
  const TemporaryDirectory directory;
  {
    ResultsFile file(directory / "r.h5", false, Compression::none);
    ResultsGroup group = file.group("/exact");
    group.dimension(integers("layer", {1, 2}));
    group.variable(spec("real", VariableType::f64, {"layer"}), Indices{1});
    group.variable(spec("count", VariableType::i64, {"layer"}), Indices{1});
    file.finish();
  }
  for (const double x : read_doubles(directory / "r.h5", "/exact/real")) EXPECT_TRUE(std::isnan(x));
  for (const double x : read_doubles(directory / "r.h5", "/exact/count")) EXPECT_EQ(x, 0);
}

TEST(ResultsFile, PartsOfChunksAndSeveralChunksJoin) {
  const TemporaryDirectory directory;
  const Indices extents{5, 7, 9};
  for (const Indices& chunk :
       {Indices{1, 7, 9}, Indices{1, 1, 9}, Indices{2, 3, 4}, Indices{5, 7, 9}, Indices{1, 2, 9}}) {
    const std::string name = directory / fmt::format("{}-{}-{}.h5", chunk[0], chunk[1], chunk[2]);
    {
      ResultsFile file(name, false, Compression::none);
      ResultsGroup group = file.group("/exact");
      for (int i = 0; i < 3; ++i) {
        Indices labels(extents[i]);
        for (std::int64_t j = 0; j < extents[i]; ++j) labels[j] = j;
        group.dimension(integers(std::string(1, static_cast<char>('a' + i)), labels));
      }
      ResultsVariable x = group.variable(spec("x", VariableType::f64, {"a", "b", "c"}), chunk);
      const auto write = [&](const Indices& start, const Indices& count) {
        std::vector<double> values;
        for (std::int64_t i = start[0]; i < start[0] + count[0]; ++i)
          for (std::int64_t j = start[1]; j < start[1] + count[1]; ++j)
            for (std::int64_t k = start[2]; k < start[2] + count[2]; ++k)
              values.push_back(static_cast<double>((i * 7 + j) * 9 + k));
        x.write(start, count, std::span<const double>(values));
      };
      write({0, 0, 0}, {1, 7, 9});
      write({1, 0, 0}, {2, 7, 9});
      write({3, 0, 0}, {1, 4, 9});
      write({3, 4, 0}, {1, 3, 9});
      write({4, 0, 0}, {1, 7, 5});
      write({4, 0, 5}, {1, 7, 4});
      write({4, 7, 0}, {1, 0, 9});  // nothing
      file.finish();
    }
    const std::vector<double> values = read_doubles(name, "/exact/x");
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<double>(i)) << name;
  }
}

TEST(ResultsFile, OurOwnMistakesAreInternalErrors) {
  const TemporaryDirectory directory;
  ResultsFile file(directory / "r.h5", false, Compression::none);
  ResultsGroup group = file.group("/path/x");
  group.dimension(integers("layer", {1, 2}));
  EXPECT_THROW(group.dimension(integers("layer", {1, 2})), InternalError);
  EXPECT_THROW(group.dimension(integers("not a name", {1})), InternalError);
  EXPECT_THROW(group.variable(spec("layer", VariableType::f64, {"layer"}), Indices{1}), InternalError);
  EXPECT_THROW(group.variable(spec("x", VariableType::f64, {"head"}), Indices{1}), InternalError);
  EXPECT_THROW(group.variable(spec("x", VariableType::f64, {"layer"}), Indices{1, 1}), InternalError);
  ResultsVariable x = group.variable(spec("x", VariableType::f64, {"layer"}), Indices{1});
  const std::vector<double> one{1};
  EXPECT_THROW(x.write(Indices{2}, Indices{1}, std::span<const double>(one)), InternalError);
  EXPECT_THROW(x.write(Indices{0}, Indices{2}, std::span<const double>(one)), InternalError);
  EXPECT_THROW(x.write(Indices{-1}, Indices{1}, std::span<const double>(one)), InternalError);
  EXPECT_THROW(x.write(Indices{0}, Indices{1}, std::span<const std::int64_t>(Indices{1})), InternalError);
  EXPECT_THROW(group.label(spec("y", VariableType::i64, {"layer"}), std::span<const std::int64_t>(Indices{1})),
               InternalError);
  file.finish();
  EXPECT_THROW(x.write(Indices{0}, Indices{1}, std::span<const double>(one)), InternalError);
  EXPECT_THROW(group.attribute("a", std::int64_t{1}), InternalError);
  EXPECT_THROW(file.group("/new"), InternalError);
  EXPECT_THROW(file.finish(), InternalError);
}

TEST(ResultsFile, ManyVariablesShareTheirScales) {
  const TemporaryDirectory directory;
  ResultsFile file(directory / "r.h5", false, Compression::none);
  for (int g = 0; g < 3; ++g) {
    ResultsGroup group = file.group(fmt::format("/path/p{}", g));
    group.dimension(integers("layer", {1, 2}));
    for (int v = 0; v < 300; ++v) group.variable(spec(fmt::format("v{}", v), VariableType::f64, {"layer"}), Indices{2});
  }
  file.finish();
}

TEST(ResultsFile, HugeChunksAreCut) {
  const TemporaryDirectory directory;
  ResultsFile file(directory / "r.h5", false, Compression::none);
  ResultsGroup group = file.group("/exact");
  group.dimension(integers("row", Indices(1 << 16)));
  group.dimension(integers("column", Indices(1 << 16)));
  ResultsVariable x = group.variable(spec("x", VariableType::f64, {"row", "column"}), Indices{1 << 16, 1 << 16});
  const std::vector<double> one{1};
  x.write(Indices{0, 0}, Indices{1, 1}, std::span<const double>(one));
  // 2^32 elements and one chunk of 64 MiB: dropped unfinished, the .partial with it
}

TEST(ResultsFile, NextFreeNameIsNumbered) {
  const TemporaryDirectory directory;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  EXPECT_EQ(next_free_results_path("params/quick start.toml"), "results/quick start.h5");
  {
    ResultsFile first("results/quick start.h5", false, Compression::none);  // makes the directory
    first.finish();
  }
  EXPECT_EQ(next_free_results_path("params/quick start.toml"), "results/quick start-2.h5");
  write_bytes("results/quick start-2.h5", "");
  EXPECT_EQ(next_free_results_path("quick start.toml"), "results/quick start-3.h5");
  write_bytes("results/quick start-3.h5.journal", "");  // begun
  EXPECT_EQ(next_free_results_path("quick start.toml"), "results/quick start-4.h5");
  const ResultsFile under_way("results/quick start-4.h5", false, Compression::none);
  EXPECT_EQ(next_free_results_path("quick start.toml"), "results/quick start-5.h5");
  std::filesystem::current_path(before);
}

/// A file with everything results files can hold, for results_file_netcdf.py.
TEST(ResultsFile, WritesASampleOfEverything) {
  const std::string name = std::string(LACUNA_BINARY_DIR) + "/results_file_sample.h5";
  std::filesystem::remove(name);
  ResultsFile file(name, false, Compression::none);
  Indices layers;
  for (std::int64_t layer = 1; layer <= 28; ++layer) layers.push_back(layer);
  const Dimension sequence{
      "sequence", std::vector<std::string>{"genesis", "\xCE\xB2\xCE\xAF\xCE\xB2\xCE\xBB\xCE\xBF\xCF\x82"}, "", "trace"};
  const Dimension select_k{"select_k", std::vector<double>{0.125, 0.25, 1}, "1", "fraction of keys selected"};
  const Dimension store{"store", std::vector<std::string>{"exact", "fp4_e4m3_16"}, "", "format of the rows"};
  ResultsGroup root = file.group("/");
  root.attribute("Conventions", std::string("CF-1.8"));
  root.attribute("title", std::string("A sample: \xCF\x83 = 1"));
  root.attribute("empty", std::string());
  root.attribute("integers", Indices{1, 2, 3});
  root.attribute("reals", std::vector<double>{0.5});
  root.attribute("none", std::vector<double>());
  for (const Dimension& dimension : {sequence, integers("layer", layers), integers("head", {3, 4, 5})})
    root.dimension(dimension);
  root.label(spec("kv_head", VariableType::i64, {"head"}), std::span<const std::int64_t>(Indices{0, 0, 1}));
  root.label(spec("weight", VariableType::f64, {"head"}), std::span<const double>(std::vector<double>{0.5, NAN, 2}));
  root.label(spec("model", VariableType::i64, {"sequence"}),
             std::span<const std::string>(std::vector<std::string>{"a", ""}));

  ResultsGroup path = file.group("/path/top_k");
  for (const Dimension& dimension : {select_k, store, sequence, integers("layer", layers), integers("head", {3, 4, 5}),
                                     integers("query", {7, 19, 100, 101, 105})})
    path.dimension(dimension);
  path.attribute("window", std::int64_t{16});
  path.attribute("share", std::string("head"));
  const std::vector<std::string> all{"select_k", "store", "sequence", "layer", "head", "query"};
  ResultsVariable mass = path.variable(spec("omitted_mass", VariableType::f64, all), Indices{1, 1, 1, 1, 3, 5});
  ResultsVariable keys = path.variable(spec("keys_scored", VariableType::i64, all), Indices{1, 1, 1, 4, 3, 5});
  VariableSpec flags = spec("status", VariableType::u8, all);
  flags.attributes = {{"flag_values", Indices{0, 1, 2}}, {"flag_meanings", std::string("ok not_run failed")}};
  ResultsVariable status = path.variable(flags, Indices{1, 2, 2, 28, 3, 5});
  path.variable(spec("never_written", VariableType::f64, {"layer"}), Indices{28});
  path.variable(spec("bound", VariableType::f64, {}), {})
      .write({}, {}, std::span<const double>(std::vector<double>{0.5}));
  std::int64_t next = 0;
  for (std::int64_t k = 0; k < 3; ++k)
    for (std::int64_t s = 0; s < 2; ++s)
      for (std::int64_t i = 0; i < 2; ++i)
        for (std::int64_t layer = 0; layer < 28; ++layer) {
          std::vector<double> x(15);
          Indices n(15);
          std::vector<std::uint8_t> u(15);
          for (std::size_t j = 0; j < 15; ++j, ++next) {
            x[j] = next % 11 == 0 ? NAN : static_cast<double>(next) / 7;
            n[j] = next;
            u[j] = static_cast<std::uint8_t>(next % 3);
          }
          const Indices start{k, s, i, layer, 0, 0};
          const Indices count{1, 1, 1, 1, 3, 5};
          mass.write(start, count, std::span<const double>(x));
          keys.write(start, count, std::span<const std::int64_t>(n));
          status.write(start, count, std::span<const std::uint8_t>(u));
        }

  ResultsGroup empty = file.group("/exact");
  empty.dimension(integers("layer", {}));
  empty.dimension({"sequence", std::vector<std::string>(), "", "trace"});
  empty.dimension(integers("rank", {1, 2, 4}));
  empty.variable(spec("top_mass", VariableType::f64, {"layer", "rank"}), Indices{1, 3});

  ResultsGroup provenance = file.group("/provenance");
  provenance.text("parameters_toml", std::string(200'000, '#') + "\n# \xCF\x83\n");
  provenance.text("parameters_resolved", "");
  provenance.attribute("git_revision", std::string("unknown"));
  file.group("/provenance/run").attribute("host", std::string("name with a bad byte \xFF"));
  const std::string digest = file.finish();
  EXPECT_EQ(content_sha256(name), digest);
}

}  // namespace
}  // namespace lacuna
