// The source kind "trace": one or several files as one source.
#include <gtest/gtest.h>

#include "data/base/sha256.hpp"
#include "data/problem_source.hpp"
#include "data/temporary_directory.hpp"
#include "data/trace_writer.hpp"

namespace lacuna {
namespace {

std::unique_ptr<ProblemSource> open_source(const std::vector<std::string>& files) {
  Parameters parameters;
  parameters.set("file", files);
  return SourceRegistry::instance().at("trace").open(parameters, 0);
}

TEST(TraceSource, IsRegisteredWithItsParameter) {
  const SourceKind& kind = SourceRegistry::instance().at("trace");
  ASSERT_EQ(kind.parameters.size(), 1U);
  EXPECT_EQ(kind.parameters[0].key, "file");
  EXPECT_TRUE(kind.parameters[0].required);
  EXPECT_TRUE(kind.parameters[0].is_path);
  EXPECT_FALSE(kind.parameters[0].sweepable);
}

TEST(TraceSource, ShapeIsThatOfTheFile) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.with_sink = true;
  write_hdf5_trace(directory / "one.h5", content);
  const auto source = open_source({directory / "one.h5"});
  EXPECT_EQ(source->shape().sequence, (std::vector<std::string>{"one"}));
  EXPECT_EQ(source->shape().layer, content.layer());
  EXPECT_EQ(source->shape().head, content.head());
  EXPECT_EQ(source->shape().kv_head, (std::vector<Index>{0, 0, 1, 1}));
  EXPECT_EQ(source->shape().query_position, content.query_position());
  EXPECT_EQ(source->shape().keys, 5);
  EXPECT_EQ(source->shape().d_qk, 4);
  EXPECT_EQ(source->shape().d_v, 3);
  EXPECT_TRUE(source->shape().has_sink);
  EXPECT_EQ(source->load(0, 1).sink_logit.size(), 4U);
  EXPECT_EQ(source->input_sha256(), file_sha256(directory / "one.h5"));
}

TEST(TraceSource, ShapeTellsOfLocalRowsIndexersAndValueChannels) {
  const TemporaryDirectory directory;
  TraceContent content;
  write_hdf5_trace(directory / "plain.h5", content);
  EXPECT_FALSE(open_source({directory / "plain.h5"})->shape().has_local);
  EXPECT_EQ(open_source({directory / "plain.h5"})->shape().d_index, 0);
  content.with_local = content.with_index = true;
  content.with_v = false;
  content.value_channels = 3;
  write_hdf5_trace(directory / "all.h5", content);
  const auto source = open_source({directory / "all.h5"});
  EXPECT_TRUE(source->shape().has_local);
  EXPECT_TRUE(source->shape().shared_kv);
  EXPECT_EQ(source->shape().d_index, 2);
  EXPECT_EQ(source->shape().d_v, 3);
  EXPECT_FALSE(source->shape().has_index_slot);
  EXPECT_EQ(source->load(0, 1).index->k.width(), 2);
}

TEST(TraceSource, NotesOfAFileComeOnceHoweverOftenItIsGiven) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.keys = 6;
  for (const std::string name : {"a.h5", "b.h5"}) {
    TraceWriter writer(directory / name);
    write_parts(writer, content);
    writer.integers("query_positions", {1, 3, 5});
  }
  const auto source = open_source({directory / "a.h5", directory / "b.h5", directory / "a.h5"});
  const std::string note = ": dataset 'query_positions' is not read; did you mean 'query_position'?";
  EXPECT_EQ(source->notes(), (std::vector<std::string>{directory / "a.h5" + note, directory / "b.h5" + note}));
}

TEST(TraceSource, NotesThatAQueryStandsBehindTheTokensThatAreKeys) {
  const TemporaryDirectory directory;
  TraceContent content;  // queries at 1, 3, 5
  for (const Index keys : {5, 6}) {
    content.keys = keys;
    write_hdf5_trace(directory / "t.h5", content);
    const std::vector<std::string> notes = open_source({directory / "t.h5"})->notes();
    EXPECT_EQ(notes.size(), keys == 5 ? 1U : 0U);
    for (const std::string& note : notes)
      EXPECT_NE(note.find("positions up to 5, the keys are tokens 0 to 4"), std::string::npos);
  }
}

TEST(TraceSource, SeveralFilesAreSequencesWithDistinctNames) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "b");
  TraceContent content;
  write_hdf5_trace(directory / "x.h5", content);
  content.sm_scale = 0.25;
  content.element = "f16";
  write_hdf5_trace(directory / "b/x.h5", content);
  write_bytes(directory / "x-2.safetensors", safetensors_trace({}));
  const std::vector<std::string> files{directory / "x.h5", directory / "b/x.h5", directory / "x-2.safetensors",
                                       directory / "x.h5"};
  const auto source = open_source(files);
  EXPECT_EQ(source->shape().sequence, (std::vector<std::string>{"x", "x-3", "x-2", "x-4"}));
  EXPECT_EQ(source->load(0, 0).sm_scale, 0.5);
  EXPECT_EQ(source->load(1, 0).sm_scale, 0.25);
  EXPECT_EQ(source->load(1, 0).stored_element_bytes, 2);

  std::string digests;
  for (const std::string& file : files) digests += file_sha256(file) + "\n";
  Sha256 all;
  all.update(digests.data(), digests.size());
  EXPECT_EQ(source->input_sha256(), all.hex());
}

TEST(TraceSourceFaults, FilesThatDifferAreNamedWithTheDifference) {
  const TemporaryDirectory directory;
  write_hdf5_trace(directory / "a.h5", {});
  const auto refused = [&](
                           const std::function<void(TraceContent&)>& change, const std::string& what,
                           const std::function<void(TraceWriter&)>& add = [](TraceWriter&) {},
                           const std::vector<std::string>& leave_out = {}) {
    TraceContent content;
    change(content);
    {
      TraceWriter writer(directory / "b.h5");
      write_parts(writer, content, leave_out);
      add(writer);
    }
    const std::string message = message_of<ParameterError>([&] {
      open_source({directory / "a.h5", directory / "b.h5"});
    });
    for (const std::string& part : {directory / "a.h5", directory / "b.h5", what})
      EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  refused([](TraceContent& c) { c.layers = 3; }, "the number of layers (2 and 3)");
  refused([](TraceContent& c) { c.heads = 2; }, "the number of heads");
  refused([](TraceContent& c) { c.kv_heads = 1; }, "the number of KV heads");
  refused([](TraceContent& c) { c.queries = 2; }, "the number of queries");
  refused([](TraceContent& c) { c.keys = 6; }, "the number of keys (5 and 6)");
  refused([](TraceContent& c) { c.d_qk = 2; }, "d_qk");
  refused([](TraceContent& c) { c.d_v = 4; }, "d_v");
  refused([](TraceContent& c) { c.with_sink = true; }, "'sink_logit'");
  refused([](TraceContent& c) { c.with_v = false, c.d_qk = 4; }, "d_v");
  refused([](TraceContent& c) { c.with_local = true; }, "whether 'k_local' exists (0 and 1)");
  refused([](TraceContent& c) { c.with_index = true; }, "the number of index heads (0 and 3)");
  refused([](TraceContent&) {}, "the layers' numbers (15 and 16 at index 1)",
          [](TraceWriter& w) {
            w.integers("layer", {10, 16});
          },
          {"layer"});
  refused([](TraceContent&) {}, "the heads' numbers",
          [](TraceWriter& w) {
            w.integers("head", {7, 8, 9, 11});
          },
          {"head"});
  refused([](TraceContent&) {}, "query_position",
          [](TraceWriter& w) {
            w.integers("query_position", {1, 3, 6});
          },
          {"query_position"});
}

TEST(TraceSourceFaults, NoFileIsRefused) { EXPECT_THROW(open_source({}), InputError); }

}  // namespace
}  // namespace lacuna
