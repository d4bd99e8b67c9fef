// Damaged checkpoints: an InputError that names the file, or numbers; never a crash, a hang or a fault of ours.
#include <gtest/gtest.h>

#include "core/model/decoder.hpp"
#include "data/checkpoint/small_checkpoint.hpp"
#include "data/damaged_bytes.hpp"

namespace lacuna {
namespace {

using damaged::Outcome;

/// Reads the checkpoint and makes a decoder of it.
Outcome outcome_of(const SmallCheckpoint& checkpoint) {
  return damaged::outcome_of(checkpoint.folder(), [&] {
    Checkpoint read = checkpoint.read();
    const Decoder decoder(std::move(read.model), std::move(read.weights));
  });
}

struct DamagedFile {
  const char* checkpoint;
  const char* file;
};
const std::vector<DamagedFile> kDamaged = {{"gpt2", "model.safetensors"},
                                           {"llama", "model.safetensors"},
                                           {"llama", "config.json"},
                                           {"gpt2", "config.json"},
                                           {"deepseek_v3", "config.json"},
                                           {"deepseek_v3", "model.safetensors.index.json"},
                                           {"deepseek_v3", "model-00001-of-00002.safetensors"}};

TEST(CheckpointFuzzFaults, TruncationAnywhereIsRefused) {
  const CounterRng rng(20261129, "truncation");
  for (const DamagedFile& of : kDamaged) {
    const SmallCheckpoint checkpoint(of.checkpoint);
    const std::string good = read_bytes(checkpoint / of.file);
    ASSERT_EQ(outcome_of(checkpoint), Outcome::clean);
    // a text may end in a newline that nobody misses
    for (const std::size_t length : damaged::cut_lengths(good.size() - 2, 400, rng)) {
      write_bytes(checkpoint / of.file, good.substr(0, length));
      ASSERT_EQ(outcome_of(checkpoint), Outcome::refused) << of.checkpoint << ' ' << of.file << ' ' << length;
    }
  }
}

TEST(CheckpointFuzzFaults, AFlippedByteIsRefusedOrRead) {
  const CounterRng rng(20261129, "flip");
  for (const DamagedFile& of : kDamaged) {
    const SmallCheckpoint checkpoint(of.checkpoint);
    const std::string good = read_bytes(checkpoint / of.file);
    int refused = 0;
    for (std::uint64_t i = 0; i < 300; i += damaged::stride) {
      write_bytes(checkpoint / of.file, damaged::with_changed_byte(good, 4096, rng, i));  // mostly structure
      refused += outcome_of(checkpoint) == Outcome::refused ? 1 : 0;
    }
    EXPECT_GT(refused, 60 / static_cast<int>(damaged::stride)) << of.checkpoint << ' ' << of.file;
  }
}

TEST(CheckpointFuzzFaults, SeveralReplacedBytesAreRefusedOrRead) {
  const CounterRng rng(20261129, "flips");
  for (const DamagedFile& of : kDamaged) {
    const SmallCheckpoint checkpoint(of.checkpoint);
    const std::string good = read_bytes(checkpoint / of.file);
    const auto byte_of = [](double x) { return x < 0.5 ? '0' + static_cast<int>(x * 20) : static_cast<int>(x * 256); };
    for (std::uint64_t i = 0; i < 200; i += damaged::stride) {
      write_bytes(checkpoint / of.file, damaged::with_replaced_bytes(good, rng, i, byte_of));
      outcome_of(checkpoint);
    }
  }
}

}  // namespace
}  // namespace lacuna
