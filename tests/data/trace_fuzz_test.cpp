// Damaged trace files: an InputError, or numbers; never a crash, a hang or a file that was not read to its end.
#include <gtest/gtest.h>

#include "data/damaged_bytes.hpp"
#include "data/temporary_directory.hpp"
#include "data/trace/trace_file.hpp"
#include "data/trace_writer.hpp"

namespace lacuna {
namespace {

using damaged::Outcome;

/// Opens the trace and loads every layer.
Outcome outcome_of(const std::string& file) {
  return damaged::outcome_of(file, [&] {
    const TraceFile trace(file);
    for (Index layer = 0; layer < trace.header().sizes.layers; ++layer) trace.load(layer);
  });
}

/// A small trace in each format: contiguous HDF5, chunked and deflated HDF5, safetensors.
std::string trace_bytes(const TemporaryDirectory& directory, int format) {
  TraceContent content;
  content.with_sink = content.with_index = content.with_local = true;
  content.element = "f16";
  if (format == 2) return safetensors_trace(content);
  write_hdf5_trace(directory / "good.h5", content, format == 1);
  return read_bytes(directory / "good.h5");
}

TEST(TraceFuzzFaults, TruncationAnywhereIsRefused) {
  const TemporaryDirectory directory;
  const CounterRng rng(20261129, "truncation");
  for (int format = 0; format < 3; ++format) {
    const std::string good = trace_bytes(directory, format);
    write_bytes(directory / "trace", good);
    ASSERT_EQ(outcome_of(directory / "trace"), Outcome::clean);
    for (const std::size_t length : damaged::cut_lengths(good.size() - 1, 2048, rng)) {
      write_bytes(directory / "trace", good.substr(0, length));
      ASSERT_EQ(outcome_of(directory / "trace"), Outcome::refused) << "format " << format << ", " << length << " bytes";
    }
  }
}

TEST(TraceFuzzFaults, AFlippedByteIsRefusedOrRead) {
  const TemporaryDirectory directory;
  const CounterRng rng(20261129, "flip");
  for (int format = 0; format < 3; ++format) {
    const std::string good = trace_bytes(directory, format);
    int refused = 0;
    for (std::uint64_t i = 0; i < 300; i += damaged::stride) {
      write_bytes(directory / "trace", damaged::with_changed_byte(good, good.size(), rng, i));
      refused += outcome_of(directory / "trace") == Outcome::refused ? 1 : 0;
    }
    EXPECT_GT(refused, 10 / static_cast<int>(damaged::stride)) << "format " << format;
  }
}

TEST(TraceFuzzFaults, SeveralFlippedBytesInTheStructureAreRefusedOrRead) {
  const TemporaryDirectory directory;
  const CounterRng rng(20261129, "flips");
  for (int format = 0; format < 3; ++format) {
    const std::string good = trace_bytes(directory, format);
    for (std::uint64_t i = 0; i < 200; i += damaged::stride) {
      write_bytes(directory / "trace", damaged::with_replaced_bytes(good, rng, i, [](double x) { return x * 256; }));
      outcome_of(directory / "trace");
    }
  }
}

}  // namespace
}  // namespace lacuna
