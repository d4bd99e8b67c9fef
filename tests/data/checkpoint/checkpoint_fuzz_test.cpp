// Damaged checkpoints: an InputError that names the file, or numbers; never a crash, a hang or a fault of ours.
#include <gtest/gtest.h>

#include "core/base/rng.hpp"
#include "core/model/decoder.hpp"
#include "data/checkpoint/small_checkpoint.hpp"

namespace lacuna {
namespace {

// Forking a process under a sanitizer takes 30 times as long: a sample of the places there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t stride = 16;
#else
constexpr std::size_t stride = 1;
#endif

enum class Outcome { clean, refused };

/// Reads the checkpoint and makes a decoder of it. Anything but an InputError is the test's failure.
Outcome outcome_of(const SmallCheckpoint& checkpoint) {
  try {
    Checkpoint read = checkpoint.read();
    const Decoder decoder(std::move(read.model), std::move(read.weights));
    return Outcome::clean;
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find(checkpoint.folder()), 0U) << error.what();
    return Outcome::refused;
  }
}

struct Damaged {
  const char* checkpoint;
  const char* file;
};
const std::vector<Damaged> kDamaged = {{"gpt2", "model.safetensors"},
                                       {"llama", "model.safetensors"},
                                       {"llama", "config.json"},
                                       {"gpt2", "config.json"},
                                       {"deepseek_v3", "config.json"},
                                       {"deepseek_v3", "model.safetensors.index.json"},
                                       {"deepseek_v3", "model-00001-of-00002.safetensors"}};

TEST(CheckpointFuzzFaults, TruncationAnywhereIsRefused) {
  const CounterRng rng(20261129, "truncation");
  for (const Damaged& damaged : kDamaged) {
    const SmallCheckpoint checkpoint(damaged.checkpoint);
    const std::string good = read_bytes(checkpoint / damaged.file);
    ASSERT_EQ(outcome_of(checkpoint), Outcome::clean);
    std::vector<std::size_t> lengths = {good.size() - 2};  // a text may end in a newline that nobody misses
    for (std::size_t i = 0; i < std::min<std::size_t>(400, good.size() - 1); i += stride) lengths.push_back(i);
    for (std::uint64_t i = 0; i < 100; i += stride)
      lengths.push_back(static_cast<std::size_t>(rng.uniform(i) * static_cast<double>(good.size() - 1)));
    for (const std::size_t length : lengths) {
      write_bytes(checkpoint / damaged.file, good.substr(0, length));
      ASSERT_EQ(outcome_of(checkpoint), Outcome::refused) << damaged.checkpoint << ' ' << damaged.file << ' ' << length;
    }
  }
}

TEST(CheckpointFuzzFaults, AFlippedByteIsRefusedOrRead) {
  const CounterRng rng(20261129, "flip");
  for (const Damaged& damaged : kDamaged) {
    const SmallCheckpoint checkpoint(damaged.checkpoint);
    const std::string good = read_bytes(checkpoint / damaged.file);
    const auto range = static_cast<double>(std::min<std::size_t>(good.size(), 4096));  // mostly structure
    int refused = 0;
    for (std::uint64_t i = 0; i < 300; i += stride) {
      std::string bytes = good;
      const auto place = static_cast<std::size_t>(rng.uniform(2 * i) * range);
      const auto bits = static_cast<unsigned char>(1 + rng.uniform(2 * i + 1) * 255);
      bytes[place] = static_cast<char>(bytes[place] ^ bits);
      write_bytes(checkpoint / damaged.file, bytes);
      refused += outcome_of(checkpoint) == Outcome::refused ? 1 : 0;
    }
    EXPECT_GT(refused, 60 / static_cast<int>(stride)) << damaged.checkpoint << ' ' << damaged.file;
  }
}

TEST(CheckpointFuzzFaults, SeveralReplacedBytesAreRefusedOrRead) {
  const CounterRng rng(20261129, "flips");
  for (const Damaged& damaged : kDamaged) {
    const SmallCheckpoint checkpoint(damaged.checkpoint);
    const std::string good = read_bytes(checkpoint / damaged.file);
    const auto range = static_cast<double>(std::min<std::size_t>(good.size(), 4096));
    for (std::uint64_t i = 0; i < 200; i += stride) {
      std::string bytes = good;
      for (std::uint64_t flip = 0; flip < 8; ++flip) {
        const auto place = static_cast<std::size_t>(rng.uniform(16 * i + 2 * flip) * range);
        const double kind = rng.uniform(16 * i + 2 * flip + 1);
        bytes[place] = static_cast<char>(kind < 0.5 ? '0' + static_cast<int>(kind * 20) : static_cast<int>(kind * 256));
      }
      write_bytes(checkpoint / damaged.file, bytes);
      outcome_of(checkpoint);
    }
  }
}

}  // namespace
}  // namespace lacuna
