// Damaged trace files: an InputError, or numbers; never a crash, a hang or a file that was not read to its end.
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/base/rng.hpp"
#include "data/temporary_directory.hpp"
#include "data/trace/trace_file.hpp"
#include "data/trace_writer.hpp"

namespace lacuna {
namespace {

// Forking a process under a sanitizer takes 30 times as long: a sample of the places there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t stride = 16;
#else
constexpr std::size_t stride = 1;
#endif

enum class Outcome { clean, refused };

/// Opens the trace and loads every layer. Anything but an InputError is the test's failure.
Outcome outcome_of(const std::string& file) {
  try {
    const TraceFile trace(file);
    for (Index layer = 0; layer < trace.header().sizes.layers; ++layer) trace.load(layer);
    return Outcome::clean;
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find(file), 0U) << error.what();
    return Outcome::refused;
  }
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
    std::vector<std::size_t> lengths;
    for (std::size_t i = 0; i < std::min<std::size_t>(2048, good.size()); i += stride) lengths.push_back(i);
    for (std::uint64_t i = 0; i < 100; i += stride)
      lengths.push_back(static_cast<std::size_t>(rng.uniform(i) * static_cast<double>(good.size())));
    lengths.push_back(good.size() - 1);
    for (const std::size_t length : lengths) {
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
    for (std::uint64_t i = 0; i < 300; i += stride) {
      std::string bytes = good;
      const auto place = static_cast<std::size_t>(rng.uniform(2 * i) * static_cast<double>(good.size()));
      const auto bits = static_cast<unsigned char>(1 + rng.uniform(2 * i + 1) * 255);
      bytes[place] = static_cast<char>(bytes[place] ^ bits);
      write_bytes(directory / "trace", bytes);
      refused += outcome_of(directory / "trace") == Outcome::refused ? 1 : 0;
    }
    EXPECT_GT(refused, 10 / static_cast<int>(stride)) << "format " << format;
  }
}

TEST(TraceFuzzFaults, SeveralFlippedBytesInTheStructureAreRefusedOrRead) {
  const TemporaryDirectory directory;
  const CounterRng rng(20261129, "flips");
  for (int format = 0; format < 3; ++format) {
    const std::string good = trace_bytes(directory, format);
    for (std::uint64_t i = 0; i < 200; i += stride) {
      std::string bytes = good;
      for (std::uint64_t flip = 0; flip < 8; ++flip) {
        const auto range = static_cast<double>(std::min<std::size_t>(good.size(), 4096));
        const auto place = static_cast<std::size_t>(rng.uniform(16 * i + 2 * flip) * range);
        bytes[place] = static_cast<char>(rng.uniform(16 * i + 2 * flip + 1) * 256);
      }
      write_bytes(directory / "trace", bytes);
      outcome_of(directory / "trace");
    }
  }
}

}  // namespace
}  // namespace lacuna
