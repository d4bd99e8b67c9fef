#include "data/base/guarded_child.hpp"

#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <vector>

#include "data/temporary_directory.hpp"

namespace lacuna {
namespace {

const ChildLimits usual{.memory_bytes = std::int64_t{1} << 28, .cpu_seconds = 5};

TEST(GuardedChild, OutputArrivesInOrder) {
  std::vector<std::int64_t> many(1'000'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::int64_t>(i * i);
  GuardedChild child("file", usual, [&](ChildOutput& output) {
    output.write_integer(-3);
    output.write_real(0.5);
    output.write_text("é");
    output.write_integers(many);
    output.write_reals({});
  });
  EXPECT_EQ(child.read_integer(), -3);
  EXPECT_EQ(child.read_real(), 0.5);
  EXPECT_EQ(child.read_text(10), "é");
  EXPECT_EQ(child.read_integers(many.size()), many);
  EXPECT_TRUE(child.read_reals(0).empty());
  child.finish();
}

TEST(GuardedChild, ErrorsOfTheChildAreThrownHere) {
  EXPECT_EQ(message_of<InputError>([] {
              GuardedChild child("trace.h5", usual, [](ChildOutput&) { throw InputError("dataset 'q' is missing"); });
              child.read_integer();
            }),
            "trace.h5: dataset 'q' is missing");
  EXPECT_THROW(
      {
        GuardedChild child("f", usual, [](ChildOutput&) { throw EnvironmentError("no"); });
        child.finish();
      },
      EnvironmentError);
  EXPECT_THROW(
      {
        GuardedChild child("f", usual, [](ChildOutput&) { throw std::runtime_error("no"); });
        child.finish();
      },
      InternalError);
}

TEST(GuardedChild, AnUnreadChildIsKilled) {
  GuardedChild child("f", usual, [](ChildOutput& output) {
    while (true) output.write_integer(1);
  });
  EXPECT_EQ(child.read_integer(), 1);
}

TEST(GuardedChildFaults, ACrashIsAnInputError) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) {
    const std::string message = message_of<InputError>([&] {
      GuardedChild child("trace.h5", usual, [&](ChildOutput& output) {
        output.write_integer(1);
        ::signal(signal, SIG_DFL);
        ::raise(signal);
      });
      child.read_integer();
      child.read_integer();
    });
    EXPECT_TRUE(message.starts_with("trace.h5: damaged: its reader crashed")) << message;
  }
}

TEST(GuardedChildFaults, AnEndlessLoopIsStopped) {
  const std::string message = message_of<InputError>([&] {
    GuardedChild child("trace.h5", {.memory_bytes = 1 << 28, .cpu_seconds = 1}, [&](ChildOutput&) {
      while (true) std::atomic_signal_fence(std::memory_order_seq_cst);
    });
    child.read_integer();
  });
  EXPECT_NE(message.find("took more than 1 s"), std::string::npos) << message;
}

TEST(GuardedChildFaults, AHugeAllocationIsRefused) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's allocator ends the process instead of throwing";
#endif
  const std::string message = message_of<InputError>([&] {
    GuardedChild child("trace.h5", usual, [&](ChildOutput& output) {
      const std::vector<char> huge(std::size_t{1} << 30, 'x');
      output.write(huge.data(), 1);
    });
    child.read_integer();
  });
  EXPECT_NE(message.find("more memory"), std::string::npos) << message;
}

TEST(GuardedChildFaults, TooLittleAndTooMuchAreInputErrors) {
  EXPECT_THROW(
      {
        GuardedChild child("f", usual, [](ChildOutput& output) { output.write("abc", 3); });
        child.read_integer();
      },
      InputError);
  EXPECT_THROW(
      {
        GuardedChild child("f", usual, [](ChildOutput& output) { output.write("abc", 3); });
        child.finish();
      },
      InputError);
  EXPECT_THROW(
      {
        GuardedChild child("f", usual,
                           [](ChildOutput& output) { output.write_integers(std::vector<std::int64_t>(9)); });
        child.read_integers(8);
      },
      InputError);
}

TEST(GuardedChildFaults, FewDescriptorsAreAnEnvironmentError) {
  std::vector<int> taken;
  while (true) {
    const int fd = ::dup(0);
    if (fd < 0) break;
    taken.push_back(fd);
  }
  EXPECT_THROW(GuardedChild("f", usual, [](ChildOutput&) {}), EnvironmentError);
  for (const int fd : taken) ::close(fd);
}

TEST(GuardedChildFaults, InterruptsOfTheParentLoseNothing) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &action, &before);  // without SA_RESTART: calls return EINTR
  const itimerval often{{0, 500}, {0, 500}};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  std::vector<std::int64_t> many(2'000'000, 7);
  GuardedChild child("f", usual, [&](ChildOutput& output) { output.write_integers(many); });
  EXPECT_EQ(child.read_integers(many.size()), many);
  child.finish();
  const itimerval never{};
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
}

}  // namespace
}  // namespace lacuna
