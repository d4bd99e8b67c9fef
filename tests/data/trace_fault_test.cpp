// Tensors of a trace file that cannot be used: one InputError that names the file and what in it.
#include "data/trace_refusal.hpp"

namespace lacuna {
namespace {

TEST(TraceFaults, MissingDatasetsAreNamed) {
  expect_hdf5_refused({"q"}, nothing, {"dataset 'q' is missing"});
  expect_hdf5_refused({"k"}, nothing, {"dataset 'k' is missing"});
  expect_hdf5_refused({"sm_scale"}, nothing, {"'sm_scale'", "missing"});
}

TEST(TraceFaults, AScaleMustBeAPositiveNumber) {
  for (const double scale : {0.0, -1.0, std::nan(""), HUGE_VAL, 1e101}) {
    TraceContent content;
    content.sm_scale = scale;
    expect_content_refused(content, {"'sm_scale' is"});
  }
  expect_hdf5_refused({"sm_scale"}, [](TraceWriter& w) { TraceWriter::text_attribute(w.id(), "sm_scale", "0.5"); },
                      {"'sm_scale'", "not a number"});
}

TEST(TraceFaults, SizesThatDoNotGoTogetherAreNamed) {
  const TraceContent good;
  const auto with = [&](const std::string& name, std::vector<hsize_t> extents, const std::vector<std::string>& parts) {
    hsize_t size = 1;
    for (const hsize_t extent : extents) size *= extent;
    expect_hdf5_refused(
        {name}, [&](TraceWriter& w) { w.tensor(name, extents, std::vector<double>(size), "f32"); }, parts);
  };
  with("q", {2, 4, 3, 5}, {"'q' and 'k'", "width", "5 and 4"});
  with("q", {3, 4, 3, 4}, {"'q' and 'k'", "layers"});
  with("k", {2, 3, 5, 4}, {"'k' and 'v'", "KV heads"});
  with("v", {2, 2, 6, 3}, {"'k' and 'v'", "keys", "5 and 6"});
  with("v", {1, 2, 5, 3}, {"'k' and 'v'", "layers"});
  with("q", {2, 3, 3, 4}, {"3 query heads", "2 KV heads"});
  with("q", {4, 3, 4}, {"'q' has shape [4, 3, 4]; expected [layer, head, query, d_qk]"});
  with("k", {2, 2, 5, 4, 1}, {"'k' has shape"});
  with("sink_logit", {2, 3}, {"'sink_logit'", "heads"});
  with("sink_logit", {2}, {"'sink_logit' has shape"});
}

TEST(TraceFaults, EmptyDimensionsAreNamed) {
  expect_hdf5_refused({"q"},
                      [](TraceWriter& w) {
                        w.tensor("q", {2, 4, 0, 4}, {}, "f32");
                      },
                      {"'q' has length 0 along query"});
  expect_hdf5_refused({"k"},
                      [](TraceWriter& w) {
                        w.tensor("k", {2, 2, 0, 4}, {}, "f32");
                      },
                      {"'k' has length 0 along key"});
}

TEST(TraceFaults, ElementTypesAreNamed) {
  const TraceContent good;
  const auto with = [&](hid_t type, const std::string& encoding, const std::vector<std::string>& parts) {
    expect_hdf5_refused(
        {"k"},
        [&](TraceWriter& w) {
          const std::string bytes(80 * H5Tget_size(type), '\0');
          w.dataset("k", type, good.extents("k"), bytes, {}, encoding);
        },
        parts);
  };
  with(H5Tcopy(H5T_STD_I32LE), "", {"dataset 'k'", "int32"});
  with(H5Tcopy(H5T_STD_U16LE), "", {"dataset 'k'", "uint16", "encoding"});
  with(H5Tcopy(H5T_STD_U16LE), "half", {"dataset 'k'", "\"half\""});
  with(H5Tcopy(H5T_STD_U16LE), std::string(1000, 'b'), {"dataset 'k'", "'encoding' has 1000 bytes"});
  with(H5Tcopy(H5T_NATIVE_LDOUBLE), "", {"dataset 'k'", "expected float16"});
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, 4);
  with(text, "", {"dataset 'k'", "string"});
  const hid_t choice = H5Tenum_create(H5T_STD_I8LE);
  const std::int8_t one = 1;
  H5Tenum_insert(choice, "one", &one);
  with(choice, "", {"dataset 'k'", "enumeration"});
  const hid_t compound = H5Tcreate(H5T_COMPOUND, 8);
  H5Tinsert(compound, "x", 0, H5T_IEEE_F32LE);
  with(compound, "", {"dataset 'k'", "compound"});
}

TEST(TraceFaults, LabelsMustBeDistinctAndPositionsAscend) {
  const auto with = [](const std::string& name, const std::vector<std::int64_t>& values,
                       const std::vector<std::string>& parts) {
    expect_hdf5_refused(
        {name}, [&](TraceWriter& w) { w.integers(name, values); }, parts);
  };
  with("layer", {5, 5}, {"'layer' does not ascend", "5 at index 1"});
  with("layer", {6, 5}, {"'layer' does not ascend"});
  with("layer", {-1, 5}, {"'layer' holds -1"});
  with("layer", {1}, {"'layer' has shape [1]; expected [2]"});
  with("head", {1, 2, 3, 1}, {"'head' holds 1 twice"});
  with("query_position", {1, 1, 2}, {"'query_position' does not ascend"});
  with("query_position", {1, 2}, {"'query_position' has shape [2]; expected [3]"});
  with("key_position", {0, 1, 2, 4, 3}, {"'key_position' does not ascend", "3 at index 4 follows 4"});
  expect_hdf5_refused({"layer"},
                      [](TraceWriter& w) {
                        w.tensor("layer", {2}, {1, 2}, "f64");
                      },
                      {"'layer'", "float64", "integer"});
  TraceContent few;
  few.keys = 2;
  few.with_labels = false;
  expect_content_refused(few, {"'query_position' is missing", "3 queries"});
}

TEST(TraceFaults, NotANumberIsNamedByItsPlace) {
  TraceContent good;
  good.with_index = good.with_local = true;
  const auto with = [&](const std::string& name, std::size_t index, double value, const std::string& element,
                        const std::vector<std::string>& parts) {
    std::vector<double> values = good.tensor(name);
    values[index] = value;
    expect_hdf5_refused(
        {name}, [&](TraceWriter& w) { w.tensor(name, good.extents(name), values, element); }, parts, good);
  };
  // q [2, 4, 3, 4]: layer 1 (label 15), head 2 (label 9), query 1, channel 3
  with("q", ((1 * 4 + 2) * 3 + 1) * 4 + 3, std::nan(""), "f32",
       {"'q' holds nan at layer 15, head 9, query 1, channel 3"});
  // k [2, 2, 5, 4]: layer 0 (label 10), KV head 1, key 4
  with("k", ((0 * 2 + 1) * 5 + 4) * 4, -HUGE_VAL, "f16", {"'k' holds -inf at layer 10, KV head 1, key 4, channel 0"});
  with("v", 0, std::nan(""), "bf16", {"'v' holds nan at layer 10, KV head 0, key 0"});
  with("v", 0, HUGE_VAL, "f64", {"'v' holds inf at layer 10, KV head 0, key 0"});
  // index_q [2, 3, 3, 2]: layer 1, index head 2, query 1, channel 1
  with("index_q", ((1 * 3 + 2) * 3 + 1) * 2 + 1, std::nan(""), "f16",
       {"'index_q' holds nan at layer 15, index head 2, query 1, channel 1"});
  // index_k [2, 5, 2]: layer 1, key 4, channel 0
  with("index_k", (1 * 5 + 4) * 2, HUGE_VAL, "f32", {"'index_k' holds inf at layer 15, key 4, channel 0"});
  // index_weights [2, 3, 3]: layer 0, query 2, index head 1
  with("index_weights", 2 * 3 + 1, std::nan(""), "bf16",
       {"'index_weights' holds nan at layer 10, query 2, index head 1"});
  // k_local [2, 2, 7, 4]: layer 1, KV head 0, token 6, channel 2
  with("k_local", ((1 * 2 + 0) * 7 + 6) * 4 + 2, -HUGE_VAL, "f64",
       {"'k_local' holds -inf at layer 15, KV head 0, token 6, channel 2"});
  with("v_local", 3, std::nan(""), "f32", {"'v_local' holds nan at layer 10, KV head 0, token 1, channel 0"});
  expect_hdf5_refused({},
                      [](TraceWriter& w) {
                        w.tensor("sink_logit", {2, 4}, {0, 0, 0, 0, 0, 0, std::nan(""), 0}, "f32");
                      },
                      {"'sink_logit' holds nan at layer 15, head 9"});
}

TEST(TraceFaults, ElementsWhoseProductsOverflowAreNamedByTheirPlace) {
  TraceContent good;
  good.with_index = good.with_local = true;
  const auto write = [&](const TemporaryDirectory& directory, const std::string& name, double value) {
    std::vector<double> values = good.tensor(name);
    values.back() = value;
    TraceWriter writer(directory / "trace.h5");
    write_parts(writer, good, {name});
    writer.tensor(name, good.extents(name), values, "f64");
  };
  for (const std::string& name : good.tensors()) {
    const TemporaryDirectory directory;
    for (const double value : {-1.5e200, std::nextafter(1e100, HUGE_VAL)}) {
      write(directory, name, value);
      expect_refused(directory / "trace.h5",
                     {"dataset '" + name + "' holds", "at layer 15", "too large: its products"});
    }
    write(directory, name, 1e100);
    EXPECT_NO_THROW(use(directory / "trace.h5")) << name;
  }
}

TEST(TraceFaults, TensorsThatGoTogetherAreNamedWhenOneIsMissing) {
  TraceContent content;
  content.with_index = content.with_local = true;
  for (const std::string name : {"index_q", "index_k", "index_weights"}) {
    expect_hdf5_refused({name}, nothing, {"dataset '" + name + "' is missing"}, content);
    std::vector<std::string> others = {"index_q", "index_k", "index_weights"};
    others.erase(std::find(others.begin(), others.end(), name));
    expect_hdf5_refused(others, nothing, {"dataset '" + others[0] + "' is missing"}, content);
  }
  expect_hdf5_refused({"k_local"}, nothing, {"dataset 'k_local' is missing", "'v_local' exists"}, content);
  expect_hdf5_refused({"v_local"}, nothing, {"dataset 'v_local' is missing", "'v' exists"}, content);
  expect_hdf5_refused({"v"}, nothing, {"'v_local' exists, and 'v' does not"}, content);
  expect_hdf5_refused({"local_window"}, nothing, {"'local_window'", "is missing"}, content);
  expect_hdf5_refused({}, [](TraceWriter& w) { w.number_attribute("local_window", 3); },
                      {"'local_window' is given, and dataset 'k_local' is missing"});
  expect_hdf5_refused({}, [](TraceWriter& w) { w.integer_attribute("value_channels", 2); },
                      {"'value_channels'", "dataset 'v' exists"});
}

TEST(TraceFaults, CountsAreIntegersWithinTheirRange) {
  TraceContent content;
  content.with_local = true;
  for (const double window : {0.0, -1.0, 2.5, std::nan(""), 1e300})
    expect_hdf5_refused(
        {"local_window"}, [&](TraceWriter& w) { w.number_attribute("local_window", window); },
        {"'local_window' is", "expected an integer from 1"}, content);
  content.with_local = content.with_v = false;
  for (const std::int64_t channels : {std::int64_t{0}, std::int64_t{5}, std::int64_t{-1}, std::int64_t{1} << 62})
    expect_hdf5_refused(
        {}, [&](TraceWriter& w) { w.integer_attribute("value_channels", channels); },
        {"'value_channels' is", "expected an integer from 1 to 4"}, content);
}

TEST(TraceFaults, LocalAndIndexTensorsMustGoWithTheOthers) {
  TraceContent good;
  good.with_index = good.with_local = true;
  const auto with = [&](const std::string& name, std::vector<hsize_t> extents, const std::vector<std::string>& parts) {
    hsize_t size = 1;
    for (const hsize_t extent : extents) size *= extent;
    expect_hdf5_refused(
        {name}, [&](TraceWriter& w) { w.tensor(name, extents, std::vector<double>(size), "f32"); }, parts, good);
  };
  with("k_local", {2, 2, 7, 3}, {"'k' and 'k_local'", "width", "4 and 3"});
  with("k_local", {2, 1, 7, 4}, {"'k' and 'k_local'", "KV heads"});
  with("k_local", {1, 2, 7, 4}, {"'k' and 'k_local'", "layers"});
  with("k_local", {2, 7, 4}, {"'k_local' has shape [2, 7, 4]; expected [layer, kv_head, token, d_qk]"});
  with("k_local", {2, 2, 5, 4}, {"'k_local' and 'v_local'", "tokens", "5 and 7"});
  with("v_local", {2, 2, 7, 4}, {"'v' and 'v_local'", "width"});
  with("v_local", {2, 2, 0, 3}, {"'v_local' has length 0 along token"});
  with("index_q", {2, 3, 4, 2}, {"'q' and 'index_q'", "queries"});
  with("index_q", {2, 2, 3, 2}, {"'index_q' and 'index_weights'", "index heads"});
  with("index_q", {2, 3, 3, 1}, {"'index_q' and 'index_k'", "width"});
  with("index_q", {2, 9, 2}, {"'index_q' has shape", "expected [layer, index_head, query, d_index]"});
  with("index_k", {2, 6, 2}, {"'k' and 'index_k'", "keys"});
  with("index_k", {1, 5, 2}, {"'q' and 'index_k'", "layers"});
  with("index_k", {2, 1, 5, 2}, {"'index_k' has shape", "expected [layer, key, d_index]"});
  with("index_weights", {2, 4, 3}, {"'q' and 'index_weights'", "queries"});
  with("index_weights", {3, 3, 3}, {"'q' and 'index_weights'", "layers"});
  TraceContent few = good;
  few.tokens = 5;  // the last query stands at position 5
  expect_content_refused(few, {"'k_local' has 5 tokens; the query at position 5 needs 6"});
  few.with_labels = false;
  few.tokens = 2;
  expect_content_refused(few, {"'query_position' is missing", "3 queries", "2 positions"});
  expect_hdf5_refused(
      {"index_k"}, [&](TraceWriter& w) { w.integers("index_k", {1}); }, {"'index_k'", "int64"}, good);
}

TEST(TraceFaults, PositionsBeyondInt64AreRefusedNotClipped) {
  const auto with = [](const std::string& name, std::vector<std::uint64_t> values,
                       const std::vector<std::string>& parts) {
    expect_hdf5_refused(
        {name},
        [&](TraceWriter& w) {
          w.dataset(name, H5Tcopy(H5T_STD_U64LE), {values.size()},
                    std::string(reinterpret_cast<const char*>(values.data()), 8 * values.size()));
        },
        parts);
  };
  constexpr std::uint64_t first_beyond = std::uint64_t{1} << 63;
  with("query_position", {1, 3, first_beyond}, {"'query_position' holds 9223372036854775808 at index 2", "int64"});
  with("query_position", {1, 3, ~std::uint64_t{0}}, {"'query_position' holds 18446744073709551615 at index 2"});
  with("key_position", {0, 1, 2, 3, first_beyond + 1}, {"'key_position' holds 9223372036854775809 at index 4"});
  with("query_position", {1, 3, first_beyond - 1}, {"'query_position' holds 9223372036854775807 at index 2; expected"});

  const TemporaryDirectory directory;
  const std::vector<std::uint64_t> positions = {1, 3, 5};
  {
    TraceWriter writer(directory / "trace.h5");
    write_parts(writer, {}, {"query_position"});
    writer.dataset("query_position", H5Tcopy(H5T_STD_U64LE), {3},
                   std::string(reinterpret_cast<const char*>(positions.data()), 24));
  }
  EXPECT_EQ(TraceFile(directory / "trace.h5").header().query_position, (std::vector<Index>{1, 3, 5}));
}

}  // namespace
}  // namespace lacuna
