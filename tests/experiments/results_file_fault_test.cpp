// Results files when something goes wrong: one EnvironmentError, and no file or the old one, untouched.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>

#include "core/base/error.hpp"
#include "data/temporary_directory.hpp"
#include "experiments/harness/results_file.hpp"
#include "experiments/written_rows.hpp"

namespace lacuna {
namespace {

using testing_results::exit_code;
using testing_results::listing;
using testing_results::status_of_child;
using testing_results::write_rows;

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
