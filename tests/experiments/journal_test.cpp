#include "experiments/harness/journal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "core/base/error.hpp"
#include "data/temporary_directory.hpp"
#include "experiments/harness/journal_frame.hpp"
#include "experiments/harness/run_difference.hpp"

namespace lacuna {
namespace {

using Indices = std::vector<std::int64_t>;

std::vector<std::string> frames_of(const std::string& file, ScannedFrames* scanned = nullptr) {
  std::vector<std::string> payloads;
  const int fd = ::open(file.c_str(), O_RDONLY);
  try {
    const ScannedFrames found =
        scan_frames(fd, file, [&](std::uint64_t, std::string_view payload) { payloads.emplace_back(payload); });
    if (scanned != nullptr) *scanned = found;
  } catch (...) {
    ::close(fd);
    throw;
  }
  ::close(fd);
  return payloads;
}

TEST(JournalFrame, HoldsTheStandardChecksums) {
  // CRC-32 of "123456789" is 0xCBF43926 (the check value of ITU-T V.42)
  const std::string bytes = frame_of(0, "123456789");
  EXPECT_EQ(bytes.substr(24, 4), "\x26\x39\xF4\xCB");
  EXPECT_EQ(bytes.size(), kFrameHeadBytes + 9);
}

TEST(JournalFrame, FramesComeBackAsTheyWereWritten) {
  const TemporaryDirectory directory;
  std::mt19937 random(20261129);
  std::vector<std::string> payloads;
  std::string bytes;
  for (const std::size_t size : {0, 1, 7, 4096, 1'100'000}) {
    std::string payload(size, '\0');
    for (char& c : payload) c = static_cast<char>(random());
    bytes += frame_of(payloads.size(), payload);
    payloads.push_back(payload);
  }
  write_bytes(directory / "j", bytes);
  ScannedFrames scanned;
  EXPECT_EQ(frames_of(directory / "j", &scanned), payloads);
  EXPECT_EQ(scanned.frames, 5u);
  EXPECT_EQ(scanned.sound_bytes, bytes.size());
  EXPECT_EQ(scanned.torn_bytes, 0u);
}

/// Four frames, and where each ends.
struct FourFrames {
  std::vector<std::string> payloads = {"what the run is", "first unit", "second unit, longer", ""};
  std::string bytes;
  std::vector<std::size_t> ends;
  FourFrames() {
    for (std::size_t i = 0; i < payloads.size(); ++i) {
      bytes += frame_of(i, payloads[i]);
      ends.push_back(bytes.size());
    }
  }
};

TEST(JournalFrameFaults, CutAnywhereTheWholeFramesAreLeft) {
  const TemporaryDirectory directory;
  const FourFrames whole;
  for (std::size_t size = 0; size <= whole.bytes.size(); ++size) {
    write_bytes(directory / "j", whole.bytes.substr(0, size));
    ScannedFrames scanned;
    const std::vector<std::string> found = frames_of(directory / "j", &scanned);
    const auto expected =
        static_cast<std::size_t>(std::ranges::count_if(whole.ends, [&](std::size_t end) { return end <= size; }));
    ASSERT_EQ(found.size(), expected) << size;
    EXPECT_TRUE(std::equal(found.begin(), found.end(), whole.payloads.begin()));
    EXPECT_EQ(scanned.torn_bytes, size - (expected > 0 ? whole.ends[expected - 1] : 0));
  }
}

TEST(JournalFrameFaults, ADamagedByteIsNeverReadAsAFrame) {
  const TemporaryDirectory directory;
  const FourFrames whole;
  int refused = 0, dropped = 0;
  for (std::size_t at = 0; at < whole.bytes.size(); ++at)
    for (const int flip : {1, 0x80, 0xFF}) {
      std::string bytes = whole.bytes;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      write_bytes(directory / "j", bytes);
      const std::size_t frame = std::ranges::upper_bound(whole.ends, at) - whole.ends.begin();
      try {
        ASSERT_EQ(frames_of(directory / "j").size(), 3u) << at;  // only the last one can pass for a torn tail
        ASSERT_EQ(frame, 3u) << at;
        ++dropped;
      } catch (const EnvironmentError& error) {
        const std::string message = error.what();
        EXPECT_EQ(message.find(directory / "j"), 0u) << message;
        EXPECT_TRUE(message.find("damaged") != std::string::npos || message.find("not a journal") != std::string::npos);
        ++refused;
      }
    }
  EXPECT_EQ(dropped + refused, static_cast<int>(3 * whole.bytes.size()));
  EXPECT_EQ(dropped, static_cast<int>(3 * kFrameHeadBytes));  // the last frame is a head alone
}

TEST(JournalFrameFaults, FramesOutOfOrderAreDamage) {
  const TemporaryDirectory directory;
  write_bytes(directory / "j", frame_of(0, "a") + frame_of(2, "c"));
  EXPECT_THROW(frames_of(directory / "j"), EnvironmentError);
  write_bytes(directory / "j", frame_of(0, "a") + std::string(100, '\0') + frame_of(1, "b"));
  EXPECT_THROW(frames_of(directory / "j"), EnvironmentError);
  write_bytes(directory / "j", frame_of(0, "a") + std::string(100, '\0'));  // what a power loss may leave
  EXPECT_EQ(frames_of(directory / "j").size(), 1u);
}

TEST(JournalRecord, IsReadAsItWasWritten) {
  std::string records;
  append_unit_begin(records, "unit \xCE\xB2");
  append_slab(records, "/path/a/b", hdf5::NumberType::i64, Indices{1, -2}, Indices{3, 1LL << 40}, "values");
  append_unit_end(records);
  append_seal(records, "digest");
  std::string seen;
  const RecordVisitor visitor{
      .unit_begin = [&](std::string_view key, std::size_t end) { seen += fmt::format("{}@{} ", key, end); },
      .slab =
          [&](const Slab& slab) {
            EXPECT_EQ(slab.type, hdf5::NumberType::i64);
            EXPECT_EQ(slab.start, (Indices{1, -2}));
            EXPECT_EQ(slab.count, (Indices{3, 1LL << 40}));
            seen += fmt::format("{} {} ", slab.path, slab.values);
          },
      .unit_end = [&](std::size_t end) { seen += fmt::format("end@{} ", end); },
      .seal = [&](std::string_view digest) { seen += digest; }};
  EXPECT_TRUE(visit_records(records, visitor));
  EXPECT_EQ(seen, "unit \xCE\xB2@16 /path/a/b values end@83 digest");
  for (const std::size_t cut : {5, 20, 60, 81}) EXPECT_FALSE(visit_records(records.substr(0, cut), {})) << cut;
  EXPECT_FALSE(visit_records("\x09", {}));
}

RunIdentity identity(const std::string& facts = "k = 1\n", bool replaces = false) {
  return {.facts = facts, .replaces = replaces, .resume_command = "program --resume"};
}

/// A journal with units "a" and "b", each of one slab of its key's bytes.
void write_two_units(const std::filesystem::path& file, bool replaces = false) {
  const auto journal = Journal::begin(file, identity("k = 1\n", replaces));
  for (const std::string key : {"a", "b"}) {
    journal->begin_unit(key);
    journal->slab("/x", hdf5::NumberType::u8, Indices{0}, Indices{1}, key);
    journal->end_unit();
  }
}

std::string replayed(const Journal& journal, const std::string& key) {
  std::string values;
  journal.replay(key, [&](const Slab& slab) { values += slab.values; });
  return values;
}

TEST(Journal, GivesTheUnitsBack) {
  const TemporaryDirectory directory;
  write_two_units(directory / "r.h5");
  const auto journal = Journal::resume(directory / "r.h5", identity());
  EXPECT_EQ(journal->finished_units(), 2u);
  EXPECT_TRUE(journal->holds("a") && journal->holds("b") && !journal->holds("c"));
  EXPECT_EQ(replayed(*journal, "a") + replayed(*journal, "b"), "ab");
  EXPECT_EQ(journal->sealed(), "");
}

TEST(Journal, OfAUnitThatDidNotEndHoldsNothingOfIt) {
  const TemporaryDirectory directory;
  write_two_units(directory / "r.h5");
  const std::string large(5 << 20, 'c');  // more than is gathered: it is on the disk before the unit ends
  {
    const auto journal = Journal::resume(directory / "r.h5", identity());
    journal->begin_unit("c");
    journal->slab("/x", hdf5::NumberType::u8, Indices{0}, Indices{5 << 20}, large);
    journal->slab("/x", hdf5::NumberType::u8, Indices{0}, Indices{1}, "-");
  }
  {
    const auto journal = Journal::resume(directory / "r.h5", identity());
    EXPECT_EQ(journal->finished_units(), 2u);
    journal->begin_unit("c");
    journal->slab("/x", hdf5::NumberType::u8, Indices{0}, Indices{5 << 20}, large);
    journal->slab("/x", hdf5::NumberType::u8, Indices{0}, Indices{1}, "+");
    journal->end_unit();
    journal->begin_unit("d");
    journal->slab("/x", hdf5::NumberType::u8, Indices{0}, Indices{1}, "d");
    journal->end_unit();
  }
  const auto journal = Journal::resume(directory / "r.h5", identity());
  EXPECT_EQ(journal->finished_units(), 4u);
  EXPECT_TRUE(replayed(*journal, "c") == large + "+");
  EXPECT_EQ(replayed(*journal, "d"), "d");
}

TEST(Journal, IsNotMadeForARunOfAMoment) {
  const TemporaryDirectory directory;
  {
    const auto journal = Journal::begin(directory / "r.h5", identity());
    journal->begin_unit("a");
    journal->end_unit();
    journal->seal("digest");
    journal->remove();
  }
  EXPECT_FALSE(std::filesystem::exists(directory / "r.h5.journal"));
}

TEST(Journal, WithoutAFinishedUnitIsNotLeftBehind) {
  const TemporaryDirectory directory;
  {
    const auto journal = Journal::begin(directory / "r.h5", identity());
    journal->begin_unit("a");
    journal->slab("/x", hdf5::NumberType::u8, Indices{0}, Indices{5 << 20}, std::string(5 << 20, 'a'));
    journal->slab("/x", hdf5::NumberType::u8, Indices{0}, Indices{1}, "-");
    EXPECT_TRUE(std::filesystem::exists(directory / "r.h5.journal")) << "more than is gathered";
  }
  EXPECT_FALSE(std::filesystem::exists(directory / "r.h5.journal")) << "there is nothing to go on with";
}

TEST(JournalFaults, AnUnfinishedRunIsNotReplacedSilently) {
  const TemporaryDirectory directory;
  write_two_units(directory / "r.h5");
  const std::string before = read_bytes(directory / "r.h5.journal");
  const std::string message = message_of<EnvironmentError>([&] { Journal::begin(directory / "r.h5", identity()); });
  EXPECT_NE(message.find("r.h5.journal: holds 2 finished units of an unfinished run (--resume continues it"),
            std::string::npos)
      << message;
  EXPECT_EQ(read_bytes(directory / "r.h5.journal"), before);
  const auto journal = Journal::begin(directory / "r.h5", identity("k = 1\n", true));
  EXPECT_FALSE(std::filesystem::exists(directory / "r.h5.journal"));
  ASSERT_EQ(journal->notes().size(), 1u);
  EXPECT_NE(journal->notes().front().find("removed with its 2 finished units"), std::string::npos);
}

TEST(JournalFaults, OfAnotherRunIsRefusedAndLeftAsItIs) {
  const TemporaryDirectory directory;
  write_two_units(directory / "r.h5");
  const std::string before = read_bytes(directory / "r.h5.journal");
  EXPECT_NE(message_of<UsageError>([&] {
              Journal::resume(directory / "r.h5", identity("k = 2\n"));
            }).find("r.h5.journal: error: is of another run: k = 1 there, 2 here"),
            std::string::npos);
  std::filesystem::rename(directory / "r.h5.journal", directory / "s.h5.journal");
  EXPECT_NE(message_of<UsageError>([&] {
              Journal::resume(directory / "s.h5", identity());
            }).find("output = r.h5 there, s.h5 here"),
            std::string::npos);
  EXPECT_EQ(read_bytes(directory / "s.h5.journal"), before);
  write_bytes(directory / "t.h5.journal", frame_of(0, "lacuna journal 2\nk = 1\n"));
  EXPECT_NE(message_of<UsageError>([&] { Journal::resume(directory / "t.h5", identity()); }).find("another version"),
            std::string::npos);
}

TEST(JournalFaults, AFileThatIsNoJournalIsNeverRemoved) {
  const TemporaryDirectory directory;
  write_bytes(directory / "r.h5.journal", "notes of mine");
  for (const bool replaces : {false, true})
    EXPECT_NE(message_of<EnvironmentError>([&] {
                Journal::begin(directory / "r.h5", identity("", replaces));
              }).find("is not a journal"),
              std::string::npos);
  EXPECT_THROW(Journal::resume(directory / "r.h5", identity("")), EnvironmentError);
  EXPECT_EQ(read_bytes(directory / "r.h5.journal"), "notes of mine");
}

TEST(JournalFaults, DamagedAtAnyByteItIsRefusedOrLosesItsTail) {
  const TemporaryDirectory directory;
  write_two_units(directory / "r.h5");
  const std::string good = read_bytes(directory / "r.h5.journal");
  int refused = 0, shorter = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    write_bytes(directory / "r.h5.journal", bytes);
    try {
      const auto journal = Journal::resume(directory / "r.h5", identity());
      EXPECT_EQ(journal->finished_units(), 0u) << at;  // both are in one frame, the last
      ASSERT_GE(journal->notes().size(), 1u);
      ++shorter;
    } catch (const EnvironmentError&) {
      EXPECT_EQ(read_bytes(directory / "r.h5.journal"), bytes) << at;
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
  EXPECT_GT(shorter, 50);
}

TEST(JournalFaults, TwoProcessesCannotHaveOneJournal) {
  const TemporaryDirectory directory;
  write_two_units(directory / "r.h5");
  const auto journal = Journal::resume(directory / "r.h5", identity());
  const pid_t pid = ::fork();
  if (pid == 0) {
    int code = 99;
    try {
      Journal::resume(directory / "r.h5", identity());
      code = 0;
    } catch (const Error& error) {
      code = static_cast<int>(error.code());
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(ExitCode::environment));
}

TEST(RunDifference, NamesTheFirstFactThatDiffers) {
  EXPECT_EQ(run_difference("a = 1\nb = 2\n", "a = 1\nb = 3\nc = 4\n"), "b = 2 there, 3 here");
  EXPECT_EQ(run_difference("a = 1\n", "a = 1\nb = \n"), "b = unset is new here");
  EXPECT_EQ(run_difference("a = 1\nb = 2\n", "a = 1\n"), "b = 2 is there alone");
  EXPECT_LT(run_difference("a = " + std::string(10'000, '1') + "\n", "a = 2\n").size(), 200u);
}

}  // namespace
}  // namespace lacuna
