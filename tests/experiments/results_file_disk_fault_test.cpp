// Results files and journals when the disk is full, a file may not grow or no descriptor is left: one EnvironmentError,
// and no file or the old one, untouched.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include "core/base/error.hpp"
#include "data/temporary_directory.hpp"
#include "experiments/harness/journal.hpp"
#include "experiments/harness/results_file.hpp"
#include "experiments/written_rows.hpp"

namespace lacuna {
namespace {

using testing_results::exit_code;
using testing_results::Indices;
using testing_results::listing;
using testing_results::mount_small_disk;
using testing_results::status_of_child;
using testing_results::write_rows;

TEST(ResultsFileDiskFaults, AFileSizeLimitIsAnEnvironmentError) {
  const TemporaryDirectory directory;
  write_bytes(directory / "old.h5", "old");
  for (const Compression compression : {Compression::none, Compression::deflate}) {
    for (const int kilobytes : {0, 1, 3, 5, 10, 20, 50, 100, 120}) {
      const int status = status_of_child([&] {
        const rlimit limit{static_cast<rlim_t>(kilobytes) * 1024, static_cast<rlim_t>(kilobytes) * 1024};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        write_rows(
            directory / "old.h5", 25, true, [](std::int64_t) {}, compression, 3);
        return 0;
      });
      EXPECT_EQ(exit_code(status), static_cast<int>(ExitCode::environment)) << kilobytes << " kB";
      EXPECT_EQ(listing(directory.path()), (std::vector<std::string>{"old.h5"})) << kilobytes << " kB";
      EXPECT_TRUE(read_bytes(directory / "old.h5") == "old");
    }
  }
}

TEST(ResultsFileDiskFaults, ExitAfterAFailedWriteIsAsUsual) {
  const TemporaryDirectory directory;
  const pid_t pid = ::fork();
  if (pid == 0) {
    const rlimit limit{20'000, 20'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_rows(directory / "r.h5", 100);
    } catch (const EnvironmentError&) {
      ::close(STDOUT_FILENO);  // no second summary of the tests
      std::exit(4);
    }
    std::exit(0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(exit_code(status), 4);
}

TEST(ResultsFileDiskFaults, AFullDiskIsAnEnvironmentErrorWhereverItFills) {
  const TemporaryDirectory directory;
  constexpr int not_permitted = 77;
  constexpr int wrong = 78;
  int full = 0;
  int fits = 0;
  // 25 rows of 8000 bytes and about 20 kB around them; a tmpfs gives whole pages
  for (const std::int64_t rows_of_chunk : {1, 4}) {
    for (int kilobytes = 4; kilobytes <= 256; kilobytes += 4) {
      const int code = exit_code(status_of_child([&] {
        if (!mount_small_disk(directory.path(), kilobytes)) return not_permitted;
        try {
          const std::string digest = write_rows(
              directory / "r.h5", 25, false, [](std::int64_t) {}, Compression::none, rows_of_chunk);
          return content_sha256(directory / "r.h5") == digest ? 0 : wrong;
        } catch (const EnvironmentError& error) {
          if (!listing(directory.path()).empty()) return wrong;
          if (std::string(error.what()).find((directory / "r.h5.partial") + ": ") != 0) return wrong;
          return static_cast<int>(ExitCode::environment);
        }
      }));
      if (code == not_permitted) GTEST_SKIP() << "no permission to mount a small disk";
      ASSERT_TRUE(code == 0 || code == static_cast<int>(ExitCode::environment)) << kilobytes << " kB: " << code;
      (code == 0 ? fits : full) += 1;
    }
  }
  EXPECT_GT(full, 20);
  EXPECT_GT(fits, 2);
}

/// Units that write the same MiB each: the journal grows, the results do not.
std::string write_units(const std::string& file, std::unique_ptr<Journal> journal, int units) {
  ResultsFile results(file, false, Compression::none, std::move(journal));
  ResultsGroup group = results.group("/exact");
  constexpr std::int64_t size = 1 << 17;
  group.dimension({"row", Indices(size), "1", "row"});
  ResultsVariable x = group.variable({"x", VariableType::f64, {"row"}, "1", "x", {}}, Indices{size});
  for (int i = 0; i < units; ++i)
    results.unit(std::to_string(i), [&] {
      const std::vector<double> values(size, i);
      x.write(Indices{0}, Indices{size}, std::span<const double>(values));
    });
  return results.finish();
}

TEST(ResultsFileDiskFaults, AFullDiskUnderTheJournalKeepsTheUnitsThatFitted) {
  const TemporaryDirectory directory;
  const std::string file = directory / "r.h5";
  const int code = exit_code(status_of_child([&] {
    if (!mount_small_disk(directory.path(), 64 << 10)) return 77;
    const std::string whole = write_units(directory / "whole.h5", nullptr, 20);
    std::filesystem::remove(directory / "whole.h5");
    const RunIdentity identity{.facts = "", .replaces = false, .resume_command = ""};
    if (::mount("none", directory.path().c_str(), "tmpfs", MS_REMOUNT, "size=12m") != 0) return 77;
    std::string message;
    try {
      write_units(file, Journal::begin(file, identity), 20);
    } catch (const EnvironmentError& error) {
      message = error.what();
    }
    if (message != file + ".journal: cannot be written: No space left on device") return 1;
    if (listing(directory.path()) != std::vector<std::string>{"r.h5.journal"}) return 2;
    if (::mount("none", directory.path().c_str(), "tmpfs", MS_REMOUNT, "size=64m") != 0) return 77;
    auto journal = Journal::resume(file, identity);
    if (journal->finished_units() == 0 || journal->finished_units() > 10) return 3;
    return write_units(file, std::move(journal), 20) == whole && listing(directory.path()).size() == 1 ? 0 : 4;
  }));
  if (code == 77) GTEST_SKIP() << "no permission to mount a small disk";
  EXPECT_EQ(code, 0);
}

TEST(ResultsFileDiskFaults, AFileSizeLimitUnderTheJournalIsAnEnvironmentError) {
  const TemporaryDirectory directory;
  const std::string file = directory / "r.h5";
  const RunIdentity identity{.facts = "", .replaces = false, .resume_command = ""};
  const int status = status_of_child([&] {
    const rlimit limit{10 << 20, 10 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    write_units(file, Journal::begin(file, identity), 20);
    return 0;
  });
  EXPECT_EQ(exit_code(status), static_cast<int>(ExitCode::environment));
  const auto journal = Journal::resume(file, identity);
  EXPECT_GE(journal->finished_units(), 4u);
  EXPECT_LT(journal->finished_units(), 10u);
}

TEST(ResultsFileDiskFaults, TheMessageOfAFullDiskSaysSo) {
  const TemporaryDirectory directory;
  const int code = exit_code(status_of_child([&] {
    if (!mount_small_disk(directory.path(), 64)) return 77;
    try {
      write_rows(directory / "r.h5", 25);
      return 1;
    } catch (const EnvironmentError& error) {
      const std::string message = error.what();
      const bool says_so = message.find("/exact/x") != std::string::npos &&
                           message.find("No space left on device") != std::string::npos && message.size() < 300;
      if (!says_so) write_bytes("/dev/stderr", message);
      return says_so ? 0 : 2;
    }
  }));
  if (code == 77) GTEST_SKIP() << "no permission to mount a small disk";
  EXPECT_EQ(code, 0);
}

TEST(ResultsFileDiskFaults, NothingIsWrittenAfterAFailedWrite) {
  const TemporaryDirectory directory;
  const int code = exit_code(status_of_child([&] {
    ResultsFile results(directory / "r.h5", false, Compression::none);
    ResultsGroup group = results.group("/exact");
    group.dimension({"row", Indices(100), "1", "row"});
    ResultsVariable x = group.variable({"x", VariableType::f64, {"row"}, "1", "x", {}}, Indices{100});
    const rlimit limit{0, 0};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::vector<double> values(100);
    int failures = 0;
    for (int i = 0; i < 3; ++i) {
      try {
        i < 2 ? x.write(Indices{0}, Indices{100}, std::span<const double>(values))
              : static_cast<void>(results.finish());
      } catch (const EnvironmentError& error) {
        failures += i == 0 || std::string(error.what()).find("earlier write failed") != std::string::npos ? 1 : 0;
      }
    }
    return failures;
  }));
  EXPECT_EQ(code, 3);
}

TEST(ResultsFileDiskFaults, FewDescriptorsAreAnEnvironmentError) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers need descriptors themselves, to look at memory";
#endif
  const TemporaryDirectory directory;
  for (int left = 0; left < 8; ++left) {
    const int code = exit_code(status_of_child([&] {
      std::vector<int> taken;
      while (true) {
        const int fd = ::open("/dev/null", O_RDONLY);
        if (fd < 0) break;
        taken.push_back(fd);
      }
      for (int i = 0; i < left; ++i) ::close(taken[i]);
      write_rows(directory / "r.h5", 3, true);
      return 0;
    }));
    EXPECT_TRUE(code == static_cast<int>(ExitCode::environment) || (code == 0 && left >= 3)) << left << ": " << code;
    EXPECT_FALSE(std::filesystem::exists(directory / "r.h5.partial"));
  }
}

}  // namespace
}  // namespace lacuna
