// Traces as their contract says, in both formats and every element type.
#include "data/trace/trace_file.hpp"

#include <gtest/gtest.h>

#include <hdf5_hl.h>

#include "data/temporary_directory.hpp"
#include "data/trace_writer.hpp"

namespace lacuna {
namespace {

bool is_double(const Tensor& tensor) {
  return tensor[0].visit([]<class T>(const TypedRows<T>&) { return std::is_same_v<T, double>; });
}

/// The tensor of one layer equals the content's, and has the content's shape.
void expect_tensor(const Tensor& tensor, const TraceContent& content, const std::string& name, Index layer) {
  const std::vector<double> all = content.tensor(name);
  std::vector<hsize_t> extents = content.extents(name);
  if (extents.size() == 3) extents.insert(extents.begin() + 1, 1);  // the same for all heads
  ASSERT_EQ(tensor.outer(), static_cast<Index>(extents[1]));
  ASSERT_EQ(tensor.rows(), static_cast<Index>(extents[2]));
  ASSERT_EQ(tensor.width(), static_cast<Index>(extents[3]));
  Index at = layer * tensor.outer() * tensor.rows() * tensor.width();
  for (Index head = 0; head < tensor.outer(); ++head)
    for (Index row = 0; row < tensor.rows(); ++row)
      for (Index channel = 0; channel < tensor.width(); ++channel)
        ASSERT_EQ(tensor[head].at(row, channel), all[at++]) << name << " layer " << layer << " head " << head;
}

void expect_content(const TraceFile& trace, const TraceContent& content) {
  EXPECT_EQ(trace.header().layer, content.layer());
  EXPECT_EQ(trace.header().head, content.head());
  for (Index layer = 0; layer < content.layers; ++layer) {
    const AttentionProblem problem = trace.load(layer);
    expect_tensor(problem.q, content, "q", layer);
    expect_tensor(problem.k, content, "k", layer);
    EXPECT_EQ(problem.shared_kv(), !content.with_v);
    if (content.with_v) expect_tensor(problem.v, content, "v", layer);
    EXPECT_EQ(problem.index.has_value(), content.with_index);
    if (content.with_index) {
      expect_tensor(problem.index->q, content, "index_q", layer);
      expect_tensor(problem.index->k, content, "index_k", layer);
      expect_tensor(problem.index->weight, content, "index_weights", layer);
      EXPECT_TRUE(problem.index->slot_k.empty());
      EXPECT_EQ(is_double(problem.index->q), is_double(problem.q));
      EXPECT_EQ(is_double(problem.index->k), is_double(problem.q));
    }
    EXPECT_EQ(problem.local.window, content.with_local ? content.local_window : 0);
    if (content.with_local) {
      expect_tensor(problem.local.k, content, "k_local", layer);
      EXPECT_EQ(is_double(problem.local.k), is_double(problem.q));
    }
    if (content.with_local && content.with_v) expect_tensor(problem.local.v, content, "v_local", layer);
    EXPECT_EQ(problem.value_channels, content.value_channels);
    EXPECT_EQ(problem.query_position, content.query_position());
    EXPECT_EQ(problem.key_position, TraceContent::labels(content.keys, 0, 1));
    EXPECT_EQ(problem.sm_scale, content.sm_scale);
    EXPECT_EQ(is_double(problem.q), content.element == "f64" || content.v_element == "f64");
    EXPECT_EQ(is_double(problem.k), is_double(problem.q));
    EXPECT_EQ(problem.stored_element_bytes, content.element == "f64" ? 8 : content.element == "f32" ? 4 : 2);
  }
}

/// Calls use() for every choice of the optional tensors.
template <class F>
void for_each_choice(TraceContent& content, F&& use) {
  for (const bool with_v : {true, false})
    for (const bool with_index : {false, true})
      for (const bool with_local : {false, true}) {
        content.with_v = with_v;
        content.with_index = with_index;
        content.with_local = with_local;
        content.value_channels = with_v || with_local ? 0 : 3;
        use();
      }
}

class TraceFormats : public testing::TestWithParam<std::string> {};

TEST_P(TraceFormats, Hdf5GivesWhatWasStored) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.element = GetParam();
  for (const bool chunked : {false, true}) {
    for_each_choice(content, [&] {
      write_hdf5_trace(directory / "trace.h5", content, chunked);
      expect_content(TraceFile(directory / "trace.h5"), content);
    });
  }
}

TEST_P(TraceFormats, SafetensorsGivesWhatWasStored) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.element = GetParam();
  for_each_choice(content, [&] {
    write_bytes(directory / "trace.safetensors", safetensors_trace(content));
    expect_content(TraceFile(directory / "trace.safetensors"), content);
  });
}

INSTANTIATE_TEST_SUITE_P(Elements, TraceFormats, testing::Values("f16", "bf16", "f32", "f64"),
                         [](const auto& element) { return element.param; });

TEST(TraceFile, OneDoubleTensorWidensAll) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.element = "f16";
  content.v_element = "f64";
  write_hdf5_trace(directory / "trace.h5", content);
  expect_content(TraceFile(directory / "trace.h5"), content);
}

TEST(TraceFile, OneDoubleTensorOfTheIndexerOrTheLocalRowsWidensAll) {
  for (const std::string wide : {"k_local", "v_local", "index_q", "index_k", "index_weights"}) {
    const TemporaryDirectory directory;
    TraceContent content;
    content.element = "bf16";
    content.with_index = content.with_local = true;
    {
      TraceWriter writer(directory / "trace.h5");
      write_parts(writer, content, {wide});
      writer.tensor(wide, content.extents(wide), content.tensor(wide), "f64");
    }
    const AttentionProblem problem = TraceFile(directory / "trace.h5").load(1);
    for (const Tensor* tensor : {&problem.q, &problem.k, &problem.v, &problem.local.k, &problem.local.v,
                                 &problem.index->q, &problem.index->k, &problem.index->weight})
      EXPECT_TRUE(is_double(*tensor)) << wide;
    expect_tensor(problem.v, content, "v", 1);
    EXPECT_EQ(problem.stored_element_bytes, 2);
  }
}

TEST(TraceFile, ASharedStateHasItsValueInItsFirstChannels) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.with_v = false;
  content.with_local = true;
  content.value_channels = 3;
  write_hdf5_trace(directory / "trace.h5", content);
  const AttentionProblem problem = TraceFile(directory / "trace.h5").load(1);
  EXPECT_EQ(problem.d_qk(), 4);
  EXPECT_EQ(problem.d_v(), 3);
  EXPECT_EQ(problem.row_bytes(), 16);
  for (Index c = 0; c < 3; ++c) {
    EXPECT_EQ(problem.values(1).at(2, c), problem.keys(1).at(2, c));
    EXPECT_EQ(problem.local_values(1).at(6, c), problem.local_keys(1).at(6, c));
  }
}

TEST(TraceFile, LocalRowsAreTokensAndTheLastQueriesStandAtTheLastOfThem) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.with_local = true;
  content.with_labels = false;
  content.tokens = 30;
  {
    TraceWriter writer(directory / "trace.h5");
    write_parts(writer, content);
    writer.integers("key_position", {27, 28, 28, 28, 100});  // entries that begin late; the last one is never seen
  }
  const AttentionProblem problem = TraceFile(directory / "trace.h5").load(0);
  EXPECT_EQ(problem.query_position, (std::vector<Index>{27, 28, 29}));
  const SeenRows seen = problem.seen(28);
  EXPECT_EQ(seen.cached, 4);
  EXPECT_EQ(seen.local_begin, 26);
  EXPECT_EQ(seen.local, 3);
  EXPECT_EQ(problem.seen(26).cached, 0);
  EXPECT_EQ(problem.seen(26).local, 3) << "a query may see no cached key";
}

TEST(TraceFile, NotesNameWhatNothingReads) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.with_index = content.with_local = content.with_sink = true;
  write_hdf5_trace(directory / "good.h5", content);
  EXPECT_EQ(TraceFile(directory / "good.h5").notes(), std::vector<std::string>());
  const std::string file = directory / "trace.h5";
  {
    TraceWriter writer(file);
    write_parts(writer, content);
    for (const std::string name : {"sink_logits", "querys", "values", "kept", "sm_scale", "token_id"})
      writer.integers(name, {1});
    const std::vector<std::int64_t> none(1);
    writer.integers("key", none);
    const hid_t scale = H5Dopen2(writer.id(), "key", H5P_DEFAULT);
    H5DSset_scale(scale, "key");
    H5Dclose(scale);
    H5Gclose(H5Gcreate2(writer.id(), "index_w", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    writer.number_attribute("local_windw", 3);
    writer.number_attribute("key_position", 3);
    writer.number_attribute("temperature", 3);
  }
  EXPECT_EQ(
      TraceFile(file).notes(),
      (std::vector<std::string>{
          file + ": dataset 'index_w' is not read; did you mean 'index_q'?", file + ": dataset 'kept' is not read",
          file + ": dataset 'querys' is not read; did you mean 'q'?",
          file + ": dataset 'sink_logits' is not read; did you mean 'sink_logit'?",
          file + ": dataset 'sm_scale' is not read; it must be an attribute of the root, or stand in __metadata__",
          file + ": dataset 'values' is not read; did you mean 'v'?",
          file + ": attribute 'key_position' is not read; it must be a dataset",
          file + ": attribute 'local_windw' is not read; did you mean 'local_window'?"}));
}

TEST(TraceFile, NotesOfSafetensorsAreFewAndOneLineEach) {
  const TemporaryDirectory directory;
  const std::string file = directory / "trace.safetensors";
  std::string bytes = safetensors_trace({});
  const std::string good = R"("__metadata__":{"sm_scale":"0.500000"})";
  std::string more = R"("__metadata__":{"sm_scale":"0.500000","format":"pt","sm_scal":"1"},"\n\u001b[2J":)";
  const std::string tensor = R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  more += tensor;
  for (int i = 0; i < 20; ++i) more += fmt::format(",\"{}\":{}", std::string(200, static_cast<char>('a' + i)), tensor);
  std::string header = bytes.substr(8, bytes.find('}', bytes.rfind("data_offsets")) + 2 - 8);
  const std::string data = bytes.substr(8 + header.size());
  header.replace(header.find(good), good.size(), more);
  write_bytes(file, SafetensorsWriter::file_bytes(header, data));
  const std::vector<std::string> notes = TraceFile(file).notes();
  ASSERT_EQ(notes.size(), 9U);
  EXPECT_EQ(notes[0], file + ": dataset '??[2J' is not read");
  EXPECT_EQ(notes[1], file + ": dataset '" + std::string(80, 'a') + "...' is not read");
  EXPECT_EQ(notes[8], file + ": 14 more names are not read");
}

TEST(TraceFile, OneOfEverythingIsEnough) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.layers = content.heads = content.kv_heads = content.queries = content.keys = content.d_qk = content.d_v = 1;
  content.with_index = content.with_local = true;
  content.index_heads = content.d_index = content.local_window = 1;
  content.tokens = 2;  // the query stands at position 1
  write_hdf5_trace(directory / "trace.h5", content);
  expect_content(TraceFile(directory / "trace.h5"), content);
  write_bytes(directory / "trace.safetensors", safetensors_trace(content));
  expect_content(TraceFile(directory / "trace.safetensors"), content);
}

TEST(TraceFile, AbsentLabelsAreNumbersAndTheLastPositions) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.with_labels = false;
  write_hdf5_trace(directory / "trace.h5", content);
  write_bytes(directory / "trace.safetensors", safetensors_trace(content));
  for (const std::string name : {"trace.h5", "trace.safetensors"}) {
    const TraceFile trace(directory / name);
    EXPECT_EQ(trace.header().layer, (std::vector<Index>{0, 1}));
    EXPECT_EQ(trace.header().head, (std::vector<Index>{0, 1, 2, 3}));
    EXPECT_EQ(trace.header().query_position, (std::vector<Index>{2, 3, 4}));
  }
}

TEST(TraceFile, KeyPositionsAndSinksAreOptional) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.with_sink = true;
  {
    TraceWriter writer(directory / "trace.h5");
    write_parts(writer, content);
    writer.integers("key_position", {3, 7, 11, 11, 12});
  }
  const AttentionProblem problem = TraceFile(directory / "trace.h5").load(1);
  EXPECT_EQ(problem.key_position, (std::vector<Index>{3, 7, 11, 11, 12}));
  EXPECT_EQ(problem.visible_keys(11), 4);
  EXPECT_EQ(problem.sink_logit, (std::vector<double>{0, 0.25, 0.5, 0.75}));

  TraceWriter(directory / "late.h5");
  {
    TraceWriter writer(directory / "late.h5");
    content.with_labels = false;
    write_parts(writer, content);
    writer.integers("key_position", {3, 7, 11, 15, 19});
  }
  EXPECT_EQ(TraceFile(directory / "late.h5").header().query_position, (std::vector<Index>{17, 18, 19}));
}

TEST(TraceFile, BigEndianDataReadTheSame) {
  const TemporaryDirectory directory;
  const TraceContent content;
  {
    TraceWriter writer(directory / "trace.h5");
    write_parts(writer, content, {"q"});
    std::string bytes = stored(content.tensor("q"), "f64");
    for (auto at = bytes.begin(); at != bytes.end(); at += 8) std::reverse(at, at + 8);
    writer.dataset("q", H5Tcopy(H5T_IEEE_F64BE), content.extents("q"), bytes);
  }
  const AttentionProblem problem = TraceFile(directory / "trace.h5").load(1);
  EXPECT_TRUE(is_double(problem.q));
  expect_tensor(problem.q, content, "q", 1);
}

TEST(TraceFile, AUserBlockBeforeTheSignatureIsSkipped) {
  const TemporaryDirectory directory;
  const TraceContent content;
  {
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(creation, 512);
    H5Fclose(H5Fcreate((directory / "trace.h5").c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT));
    H5Pclose(creation);
  }
  const std::string block = read_bytes(directory / "trace.h5").substr(0, 512);
  write_hdf5_trace(directory / "plain.h5", content);
  write_bytes(directory / "trace.h5", block + read_bytes(directory / "plain.h5"));
  expect_content(TraceFile(directory / "trace.h5"), content);
}

TEST(TraceFile, DigestIsThatOfTheBytes) {
  const TemporaryDirectory directory;
  write_bytes(directory / "trace.safetensors", safetensors_trace({}));
  EXPECT_EQ(TraceFile(directory / "trace.safetensors").sha256().size(), 64U);
}

TEST(TraceFile, BlocksOfALargeLayerJoin) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.layers = 1;
  content.heads = content.kv_heads = 1;
  content.keys = 300'001;  // more than one block of reading
  content.d_qk = 5;
  content.d_v = 1;
  content.with_index = content.with_local = true;
  content.tokens = 250'001;
  for (const bool chunked : {false, true}) {
    write_hdf5_trace(directory / "trace.h5", content, chunked);
    expect_content(TraceFile(directory / "trace.h5"), content);
  }
  write_bytes(directory / "trace.safetensors", safetensors_trace(content));
  expect_content(TraceFile(directory / "trace.safetensors"), content);
}

TEST(TraceFile, TheSampleInTheRepositoryCanBeUsed) {
  const TraceFile trace(std::string(LACUNA_SOURCE_DIR) + "/data/samples/smollm2_kjv.h5");
  EXPECT_EQ(trace.header().layer, (std::vector<Index>{0, 18, 19, 20, 21, 29}));
  EXPECT_EQ(trace.header().head, (std::vector<Index>{3, 4, 5}));
  EXPECT_EQ(trace.header().sm_scale, 0.125);
  EXPECT_EQ(trace.sha256(), "a22e15689fb9998a6ad94206cf0a662fe7176a341e3673a2a359b8a32a541f89");
  const AttentionProblem problem = trace.load(3);
  EXPECT_EQ(problem.h_q(), 3);
  EXPECT_EQ(problem.h_kv(), 1);
  EXPECT_EQ(problem.s_q(), 256);
  EXPECT_EQ(problem.s_kv(), 2048);
  EXPECT_EQ(problem.d_v(), 64);
  EXPECT_EQ(problem.stored_element_bytes, 2);
  EXPECT_FALSE(is_double(problem.k));
}

}  // namespace
}  // namespace lacuna
