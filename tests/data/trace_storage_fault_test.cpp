// Trace files that are none, or whose data lie elsewhere, are damaged, change or were never written.
#include <sys/stat.h>

#include "data/trace_refusal.hpp"

namespace lacuna {
namespace {

TEST(TraceFaults, SomethingElseUnderTheNameIsRefused) {
  expect_hdf5_refused({"q"},
                      [](TraceWriter& w) { H5Gclose(H5Gcreate2(w.id(), "q", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); },
                      {"dataset 'q' is a group"});
  expect_hdf5_refused({"q"},
                      [](TraceWriter& w) {
                        const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
                        H5Tcommit2(w.id(), "q", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
                        H5Tclose(type);
                      },
                      {"dataset 'q' is not a dataset"});
  expect_hdf5_refused({"v"}, [](TraceWriter& w) { H5Lcreate_soft("/k", w.id(), "v", H5P_DEFAULT, H5P_DEFAULT); },
                      {"dataset 'v' is a soft link"});
  expect_hdf5_refused({"v"}, [](TraceWriter& w) { H5Lcreate_soft("/nowhere", w.id(), "v", H5P_DEFAULT, H5P_DEFAULT); },
                      {"dataset 'v' is a soft link"});
  expect_hdf5_refused(
      {"v"}, [](TraceWriter& w) { H5Lcreate_external("/etc/passwd", "/v", w.id(), "v", H5P_DEFAULT, H5P_DEFAULT); },
      {"dataset 'v' is a link to another file"});
  expect_hdf5_refused({"q"},
                      [](TraceWriter& w) {
                        const hid_t space = H5Screate(H5S_NULL);
                        H5Dclose(H5Dcreate2(w.id(), "q", H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
                        H5Sclose(space);
                      },
                      {"dataset 'q' is empty"});
}

/// Adds dataset v with the creation properties that `prepare` sets; nothing is written.
void add_v(TraceWriter& writer, const std::function<void(hid_t)>& prepare, hsize_t last = 3) {
  const std::vector<hsize_t> extents{2, 2, 5, last};
  const hid_t space = H5Screate_simple(4, extents.data(), nullptr);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  prepare(creation);
  const hid_t set = H5Dcreate2(writer.id(), "v", H5T_IEEE_F32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  ASSERT_GE(set, 0);
  H5Dclose(set);
  H5Pclose(creation);
  H5Sclose(space);
}

TEST(TraceFaults, DataElsewhereAreRefused) {
  expect_hdf5_refused(
      {"v"}, [](TraceWriter& w) { add_v(w, [](hid_t p) { H5Pset_external(p, "/etc/passwd", 0, H5F_UNLIMITED); }); },
      {"dataset 'v' is stored in other files"});
  expect_hdf5_refused({"v"},
                      [](TraceWriter& w) {
                        add_v(w, [](hid_t p) {
                          const std::vector<hsize_t> extents{2, 2, 5, 3};
                          const hid_t space = H5Screate_simple(4, extents.data(), nullptr);
                          H5Pset_virtual(p, space, "other.h5", "/v", space);
                          H5Sclose(space);
                        });
                      },
                      {"dataset 'v' is a virtual dataset"});
}

TEST(TraceFaults, DataThatWereNeverWrittenAreRefused) {
  expect_hdf5_refused({"v"}, [](TraceWriter& w) { add_v(w, [](hid_t) {}); }, {"dataset 'v' was never written"});
  expect_hdf5_refused({"v"},
                      [](TraceWriter& w) {
                        add_v(w, [](hid_t p) {
                          const std::vector<hsize_t> chunk{1, 1, 5, 3};
                          H5Pset_chunk(p, 4, chunk.data());
                        });
                      },
                      {"dataset 'v' claims 4 chunks and the file holds 0"});
  // 2^60 elements per layer without a byte behind them
  expect_hdf5_refused({"v"},
                      [](TraceWriter& w) {
                        add_v(
                            w,
                            [](hid_t p) {
                              const std::vector<hsize_t> chunk{1, 1, 1, 1024};
                              H5Pset_chunk(p, 4, chunk.data());
                            },
                            hsize_t{1} << 40);
                      },
                      {"dataset 'v'"});
}

TEST(TraceFaults, ProductsThatOverflowAreRefused) {
  expect_hdf5_refused({"q", "k", "v"},
                      [](TraceWriter& w) {
                        const std::vector<hsize_t> extents{2, hsize_t{1} << 30, hsize_t{1} << 30, 4};
                        const std::vector<hsize_t> chunk{1, 1, 1, 4};
                        for (const char* name : {"q", "k", "v"}) {
                          const hid_t space = H5Screate_simple(4, extents.data(), nullptr);
                          const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
                          H5Pset_chunk(creation, 4, chunk.data());
                          H5Dclose(H5Dcreate2(w.id(), name, H5T_IEEE_F32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
                          H5Pclose(creation);
                          H5Sclose(space);
                        }
                      },
                      {"dataset 'q'", "more elements"});
}

TEST(TraceFaults, UnknownFiltersAreRefused) {
  constexpr H5Z_filter_t foreign = 333;
  const H5Z_class2_t kind{
      H5Z_CLASS_T_VERS,
      foreign,
      1,
      1,
      "foreign",
      nullptr,
      nullptr,
      [](unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) { return bytes; }};
  H5Zregister(&kind);
  const TraceContent good;
  expect_hdf5_refused({"v"},
                      [&](TraceWriter& w) {
                        add_v(w, [](hid_t p) {
                          const std::vector<hsize_t> chunk{1, 1, 5, 3};
                          H5Pset_chunk(p, 4, chunk.data());
                          H5Pset_filter(p, foreign, H5Z_FLAG_MANDATORY, 0, nullptr);
                        });
                      },
                      {"dataset 'v'", "filter 333"});
  H5Zunregister(foreign);
}

TEST(TraceFaults, ADamagedCompressedChunkIsRefused) {
  const TemporaryDirectory directory;
  TraceContent content;
  content.keys = 2000;
  write_hdf5_trace(directory / "trace.h5", content, true);
  const std::string good = read_bytes(directory / "trace.h5");
  std::string bytes = good;
  const std::size_t zlib = bytes.find("\x78\x01");  // the start of a deflate stream, level 1
  ASSERT_NE(zlib, std::string::npos);
  bytes[zlib] = 0x55;
  write_bytes(directory / "trace.h5", bytes);
  expect_refused(directory / "trace.h5", {"cannot read q"});
}

TEST(TraceFaults, WhatIsNoFileOrNoTraceIsRefused) {
  const TemporaryDirectory directory;
  expect_refused(directory / "missing.h5", {"No such file"});
  expect_refused(directory.path().string(), {"not a regular file"});
  ::mkfifo((directory / "pipe").c_str(), 0600);
  expect_refused(directory / "pipe", {"not a regular file"});
  expect_refused("/dev/zero", {"not a regular file"});
  write_bytes(directory / "empty", "");
  expect_refused(directory / "empty", {"neither HDF5 nor safetensors"});
  write_bytes(directory / "text", "just some text, longer than eight bytes");
  expect_refused(directory / "text", {"neither HDF5 nor safetensors"});
}

TEST(TraceFaults, AFileThatChangesIsRefused) {
  const TemporaryDirectory directory;
  write_bytes(directory / "trace.safetensors", safetensors_trace({}));
  const TraceFile trace(directory / "trace.safetensors");
  TraceContent other;
  other.queries = 4;
  write_bytes(directory / "trace.safetensors", safetensors_trace(other));
  EXPECT_NE(message_of<InputError>([&] { trace.load(0); }).find("changed since it was opened"), std::string::npos);
  EXPECT_THROW(trace.sha256(), InputError);
}

TEST(TraceFaults, SafetensorsHeadersAreCheckedThroughout) {
  const TemporaryDirectory directory;
  const auto refused = [&](const std::string& header, const std::vector<std::string>& parts, std::size_t bytes = 64) {
    write_bytes(directory / "trace.safetensors", SafetensorsWriter::file_bytes(header, std::string(bytes, '\0')));
    expect_refused(directory / "trace.safetensors", parts);
  };
  const auto q = [](const std::string& rest) { return "{\"q\":{" + rest + "}}"; };
  refused("{\"q\":", {"safetensors header"});
  refused("{}", {"'q' is missing"}, 0);
  refused("[1,2]", {"not a JSON object"});
  refused(q("\"dtype\":\"F32\""), {"'q' has no list 'shape'"});
  refused(q("\"shape\":[1],\"data_offsets\":[0,4]"), {"'q' has no dtype"});
  refused(q(R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])"), {"'shape' that is not a list of sizes"});
  refused(q(R"("dtype":"F32","shape":[1.5],"data_offsets":[0,4])"), {"not a list of sizes"});
  refused(q(R"("dtype":"F32","shape":[1,1,1,1],"data_offsets":[0,8])"), {"takes 4 bytes", "8 by"});
  refused(q(R"("dtype":"F32","shape":[1,1,1,17],"data_offsets":[0,68])"), {"ends at byte 68 of 64"});
  refused(q(R"("dtype":"F32","shape":[1,1,1,1],"data_offsets":[4,0])"), {"not begin and end"});
  refused(q(R"("dtype":"F32","shape":[1,1,1,1],"data_offsets":[0])"), {"not begin and end"});
  refused(q(R"("dtype":"F32","shape":[4294967296,4294967296,4,4],"data_offsets":[0,4])"), {"more elements"});
  refused(q(R"("dtype":"I64","shape":[1,1,1,1],"data_offsets":[0,8])"), {"'q' has elements of type I64"}, 8);
  refused(q(R"("dtype":"F4","shape":[1,1,1,1],"data_offsets":[0,8])"), {"'q' has elements of type F4"}, 8);
  refused(R"({"q":1})", {"'q' does not describe a tensor"});
  refused(R"({"__metadata__":[1]})", {"'__metadata__' is not an object"});
  refused(R"({"__metadata__":{"a":1}})", {"'a', which is not a text"});
  refused(R"({"__metadata__":{},"__metadata__":{}})", {"'__metadata__' occurs twice"});
  const std::string first = R"({"q":{"dtype":"F32","shape":[1,1,1,1],"data_offsets":[0,4]})";
  refused(first + "}", {"60 bytes of data belong to no tensor"});
  refused(first + R"(,"k":{"dtype":"F32","shape":[1,1,1,1],"data_offsets":[0,4]}})",
          {"begins at byte 0 of the data; the one before ends at 4"}, 4);
  refused(first + R"(,"k":{"dtype":"F32","shape":[1,1,1,1],"data_offsets":[8,12]}})",
          {"'k' begins at byte 8 of the data; the one before ends at 4"}, 12);
  refused("{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}", {"nested too deeply"});
  refused(std::string("{\"\xFF\":1}"), {"safetensors header"});

  const std::string good = safetensors_trace({});
  const std::size_t scale = good.find("0.500000");
  for (const std::string text : {"0.5 0000", "nan00000", "        ", "0x500000"}) {
    std::string bytes = good;
    bytes.replace(scale, 8, text);
    write_bytes(directory / "trace.safetensors", bytes);
    expect_refused(directory / "trace.safetensors", {"sm_scale"});
  }
  std::string bytes = good;
  bytes[7] = '\x7F';  // a header of 2^63 bytes
  write_bytes(directory / "trace.safetensors", bytes);
  expect_refused(directory / "trace.safetensors", {"neither HDF5 nor safetensors"});
}

}  // namespace
}  // namespace lacuna
