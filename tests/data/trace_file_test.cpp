// Traces as their contract says, in both formats and every element type.
#include "data/trace/trace_file.hpp"

#include <gtest/gtest.h>

#include "data/temporary_directory.hpp"
#include "data/trace_writer.hpp"

namespace lacuna {
namespace {

bool is_double(const Tensor& tensor) {
  return tensor[0].visit([]<class T>(const TypedRows<T>&) { return std::is_same_v<T, double>; });
}

/// The tensor of one layer equals the content's, and has the content's shape.
void expect_tensor(const Tensor& tensor, const TraceContent& content, char name, Index layer) {
  const std::vector<double> all = content.tensor(name);
  const std::vector<hsize_t> extents = content.extents(name);
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
    expect_tensor(problem.q, content, 'q', layer);
    expect_tensor(problem.k, content, 'k', layer);
    EXPECT_EQ(problem.shared_kv(), !content.with_v);
    if (content.with_v) expect_tensor(problem.v, content, 'v', layer);
    EXPECT_EQ(problem.query_position, content.query_position());
    EXPECT_EQ(problem.key_position, TraceContent::labels(content.keys, 0, 1));
    EXPECT_EQ(problem.sm_scale, content.sm_scale);
    EXPECT_EQ(is_double(problem.q), content.element == "f64" || content.v_element == "f64");
    EXPECT_EQ(is_double(problem.k), is_double(problem.q));
    EXPECT_EQ(problem.stored_element_bytes, content.element == "f64" ? 8 : content.element == "f32" ? 4 : 2);
  }
}

class TraceFormats : public testing::TestWithParam<std::string> {};

TEST_P(TraceFormats, Hdf5GivesWhatWasStored) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.element = GetParam();
  for (const bool chunked : {false, true}) {
    for (const bool with_v : {true, false}) {
      content.with_v = with_v;
      write_hdf5_trace(directory / "trace.h5", content, chunked);
      expect_content(TraceFile(directory / "trace.h5"), content);
    }
  }
}

TEST_P(TraceFormats, SafetensorsGivesWhatWasStored) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.element = GetParam();
  for (const bool with_v : {true, false}) {
    content.with_v = with_v;
    write_bytes(directory / "trace.safetensors", safetensors_trace(content));
    expect_content(TraceFile(directory / "trace.safetensors"), content);
  }
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

TEST(TraceFile, OneOfEverythingIsEnough) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.layers = content.heads = content.kv_heads = content.queries = content.keys = content.d_qk = content.d_v = 1;
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
    std::string bytes = stored(content.tensor('q'), "f64");
    for (auto at = bytes.begin(); at != bytes.end(); at += 8) std::reverse(at, at + 8);
    writer.dataset("q", H5Tcopy(H5T_IEEE_F64BE), content.extents('q'), bytes);
  }
  const AttentionProblem problem = TraceFile(directory / "trace.h5").load(1);
  EXPECT_TRUE(is_double(problem.q));
  expect_tensor(problem.q, content, 'q', 1);
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
