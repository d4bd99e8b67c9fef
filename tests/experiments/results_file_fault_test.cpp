// Results files when something goes wrong: one EnvironmentError, and no file or the old one, untouched.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>

#include "core/base/error.hpp"
#include "data/temporary_directory.hpp"
#include "experiments/harness/journal.hpp"
#include "experiments/harness/results_file.hpp"

namespace lacuna {
namespace {

using Indices = std::vector<std::int64_t>;

/// Writes [rows, 1000] doubles a row at a time; `after_row` is called after each.
std::string write_rows(
    const std::string& file, std::int64_t rows, bool force = false,
    const std::function<void(std::int64_t)>& after_row = [](std::int64_t) {},
    Compression compression = Compression::none, std::int64_t rows_of_chunk = 1) {
  ResultsFile results(file, force, compression);
  ResultsGroup group = results.group("/exact");
  Indices labels(rows);
  for (std::int64_t i = 0; i < rows; ++i) labels[i] = i;
  group.dimension({"row", labels, "1", "row"});
  group.dimension({"column", Indices(1000), "1", "column"});
  ResultsVariable x =
      group.variable({"x", VariableType::f64, {"row", "column"}, "1", "x", {}}, Indices{rows_of_chunk, 1000});
  std::vector<double> values(1000);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(row * 1000) + i);
    x.write(Indices{row, 0}, Indices{1, 1000}, std::span<const double>(values));
    after_row(row);
  }
  return results.finish();
}

/// Runs `work` in a child process and returns its status of waitpid; 99 when it throws.
int status_of_child(const std::function<int()>& work) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    int code = 99;
    try {
      code = work();
    } catch (const Error& error) {
      code = static_cast<int>(error.code());
    } catch (...) {
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status); }

/// The names in a directory.
std::vector<std::string> listing(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

void expect_refused(const std::string& file, const std::string& why, bool force = false) {
  const std::string message = message_of<EnvironmentError>([&] { ResultsFile(file, force, Compression::none); });
  EXPECT_NE(message.find(why), std::string::npos) << message;
}

TEST(ResultsFileFaults, AnExistingFileIsKeptWithoutForce) {
  const TemporaryDirectory directory;
  write_bytes(directory / "r.h5", "precious");
  expect_refused(directory / "r.h5", "r.h5: already exists");
  EXPECT_EQ(read_bytes(directory / "r.h5"), "precious");
  EXPECT_EQ(listing(directory.path()), (std::vector<std::string>{"r.h5"}));
  std::filesystem::create_symlink("nowhere", directory / "dangling.h5");
  expect_refused(directory / "dangling.h5", "already exists");
}

TEST(ResultsFileFaults, ForceReplacesOnlyWhenFinished) {
  const TemporaryDirectory directory;
  write_bytes(directory / "r.h5", "old");
  { ResultsFile unfinished(directory / "r.h5", true, Compression::none); }
  EXPECT_EQ(read_bytes(directory / "r.h5"), "old");
  EXPECT_EQ(listing(directory.path()), (std::vector<std::string>{"r.h5"}));
  const std::string digest = write_rows(directory / "r.h5", 3, true);
  EXPECT_EQ(content_sha256(directory / "r.h5"), digest);
}

TEST(ResultsFileFaults, NamesThatCannotBeFilesAreRefused) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "folder");
  expect_refused(directory / "folder", "folder: is a directory", true);
  expect_refused(directory / "folder/", "is not the name of a file", true);
  expect_refused(directory / "missing/r.h5", "missing: no such directory");
  EXPECT_FALSE(std::filesystem::exists(directory / "missing"));
  write_bytes(directory / "file", "");
  expect_refused(directory / "file/r.h5", "file: is not a directory");
  expect_refused("/dev/null", "is not a regular file", true);
  ::mkfifo((directory / "pipe").c_str(), 0600);
  expect_refused(directory / "pipe", "is not a regular file", true);
  expect_refused(directory / std::string(250, 'x'), "File name too long");
  std::filesystem::create_directory(directory / "r.h5.partial");
  expect_refused(directory / "r.h5", "r.h5.partial");
  std::filesystem::create_symlink(directory / "file", directory / "s.h5.partial");
  expect_refused(directory / "s.h5", "s.h5.partial");
}

TEST(ResultsFileFaults, AReadOnlyDirectoryIsNamed) {
  const TemporaryDirectory directory;
  ::chmod(directory.path().c_str(), 0555);
  const int code = exit_code(status_of_child([&] {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::setuid(nobody) != 0) return 77;  // root may write anywhere
    expect_refused(directory / "r.h5", "r.h5.partial: cannot be created: Permission denied");
    return testing::Test::HasFailure() ? 1 : 0;
  }));
  if (code == 77) GTEST_SKIP() << "root cannot become another user";
  EXPECT_EQ(code, 0);
}

TEST(ResultsFileFaults, AFileMadeMeanwhileIsKeptAndTheResultsToo) {
  const TemporaryDirectory directory;
  const std::string message = message_of<EnvironmentError>([&] {
    write_rows(directory / "r.h5", 3, false, [&](std::int64_t) { write_bytes(directory / "r.h5", "another's"); });
  });
  EXPECT_NE(message.find("r.h5.partial"), std::string::npos) << message;
  EXPECT_EQ(read_bytes(directory / "r.h5"), "another's");
  EXPECT_EQ(content_sha256(directory / "r.h5.partial").size(), 64U);
}

TEST(ResultsFileFaults, TwoWritersOfOneFileAreRefused) {
  const TemporaryDirectory directory;
  ResultsFile first(directory / "r.h5", false, Compression::none);
  expect_refused(directory / "r.h5", "r.h5.partial: another process is writing it");
  const int code = exit_code(status_of_child([&] {
    ResultsFile second(directory / "r.h5", false, Compression::none);
    return 0;
  }));
  EXPECT_EQ(code, static_cast<int>(ExitCode::environment));
  EXPECT_TRUE(std::filesystem::exists(directory / "r.h5.partial"));
  first.finish();
  EXPECT_EQ(listing(directory.path()), (std::vector<std::string>{"r.h5"}));
}

TEST(ResultsFileFaults, AKilledWriterLeavesNothingInTheWay) {
  const TemporaryDirectory directory;
  const std::string whole = write_rows(directory / "whole.h5", 20);
  for (const std::int64_t last : {0, 1, 7, 19}) {
    const int status = status_of_child([&] {
      write_rows(directory / "r.h5", 20, false, [&](std::int64_t row) {
        if (row == last) ::raise(SIGKILL);
      });
      return 0;
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(listing(directory.path()), (std::vector<std::string>{"r.h5.partial", "whole.h5"}));
  }
  EXPECT_EQ(write_rows(directory / "r.h5", 20), whole);
  EXPECT_EQ(listing(directory.path()), (std::vector<std::string>{"r.h5", "whole.h5"}));
}

/// As write_rows with force. A killed writer's reading child holds the lock until the kernel has ended it too.
std::string write_rows_after_a_kill(const std::filesystem::path& file) {
  for (int attempt = 0;; ++attempt) try {
      return write_rows(file, 100, true);
    } catch (const EnvironmentError& error) {
      if (attempt == 500 || std::string(error.what()).find("another process") == std::string::npos) throw;
      ::usleep(10'000);
    }
}

TEST(ResultsFileFaults, AWriterKilledAtAnyTimeLeavesNothingOrAll) {
  const TemporaryDirectory directory;
  const std::string whole = write_rows(directory / "whole.h5", 100);
  for (int microseconds = 200; microseconds < 40'000; microseconds += microseconds / 3) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      try {
        write_rows_after_a_kill(directory / "r.h5");
      } catch (...) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    ::usleep(microseconds);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    const bool is_there = std::filesystem::exists(directory / "r.h5");
    EXPECT_TRUE(!is_there || content_sha256(directory / "r.h5") == whole);
  }
  EXPECT_EQ(write_rows_after_a_kill(directory / "r.h5"), whole);
}

TEST(ResultsFileFaults, AFileSizeLimitIsAnEnvironmentError) {
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

TEST(ResultsFileFaults, ExitAfterAFailedWriteIsAsUsual) {
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

/// Gives the calling process a file system of `kilobytes` at `directory`; false where that is not permitted.
bool mount_small_disk(const std::string& directory, int kilobytes) {
  const auto id = ::geteuid();
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/uid_map") << fmt::format("0 {} 1", id);
  }
  ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  return ::mount("none", directory.c_str(), "tmpfs", 0, fmt::format("size={}k", kilobytes).c_str()) == 0;
}

TEST(ResultsFileFaults, AFullDiskIsAnEnvironmentErrorWhereverItFills) {
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

TEST(ResultsFileFaults, AFullDiskUnderTheJournalKeepsTheUnitsThatFitted) {
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

TEST(ResultsFileFaults, AFileSizeLimitUnderTheJournalIsAnEnvironmentError) {
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

TEST(ResultsFileFaults, TheMessageOfAFullDiskSaysSo) {
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

TEST(ResultsFileFaults, NothingIsWrittenAfterAFailedWrite) {
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

TEST(ResultsFileFaults, FewDescriptorsAreAnEnvironmentError) {
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

TEST(ResultsFileFaults, DamagedFilesHaveNoDigest) {
  const TemporaryDirectory directory;
  const std::string digest = write_rows(directory / "r.h5", 5);
  const std::string good = read_bytes(directory / "r.h5");
  std::mt19937 random(20261129);
  int refused = 0;
  for (int i = 0; i < 100; ++i) {
    std::string bytes = good;
    bytes[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
    write_bytes(directory / "damaged.h5", bytes);
    try {
      const std::string other = content_sha256(directory / "damaged.h5");  // space that nothing uses, or an attribute
      refused += other != digest ? 1 : 0;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find(directory / "damaged.h5"), 0U) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 60);  // most of the file is checksummed data
  for (std::size_t size = 0; size < good.size(); size += good.size() / 50) {
    write_bytes(directory / "damaged.h5", good.substr(0, size));
    EXPECT_THROW(content_sha256(directory / "damaged.h5"), InputError);
  }
  EXPECT_THROW(content_sha256(directory / "missing.h5"), InputError);
}

}  // namespace
}  // namespace lacuna
