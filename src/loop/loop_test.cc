#include "loop/loop.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/socket.h>

#include <atomic>
#include <new>
#include <optional>
#include <stdexcept>

#include "loop/worker_pool.h"
#include "os/file.h"
#include "os/socket.h"

namespace talaria {
namespace {

class LoopTest : public testing::Test {
 protected:
  // Ends a test that would otherwise wait for ever.
  void run() {
    const Loop::Timer deadline = loop_.after(10s, [this] {
      ADD_FAILURE() << "waited too long";
      loop_.stop();
    });
    loop_.run();
  }

  Loop loop_;
};

TEST_F(LoopTest, CallsTimersInTheOrderOfTheirTimes) {
  std::string order;
  const Loop::Timer late = loop_.after(20ms, [&] { order += "b", loop_.stop(); });
  const Loop::Timer early = loop_.after(1ms, [&] { order += "a"; });
  run();
  EXPECT_EQ(order, "ab");
}

TEST_F(LoopTest, NeverCallsADroppedTimer) {
  std::optional<Loop::Timer> dropped = loop_.after(1ms, [] { FAIL(); });
  const Loop::Timer dropping = loop_.after(0ms, [&] { dropped.reset(); });
  const Loop::Timer end = loop_.after(20ms, [&] { loop_.stop(); });
  run();
}

TEST_F(LoopTest, ATimerMayReplaceItselfFromItsOwnCall) {
  int beats = 0;
  Loop::Timer next;
  std::function<void()> beat = [&] {
    if (++beats == 5) return loop_.stop();
    next = loop_.after(1ms, beat);
  };
  next = loop_.after(1ms, beat);
  run();
  EXPECT_EQ(beats, 5);
}

TEST_F(LoopTest, TellsEachTimeAnFdIsReadable) {
  auto [read_end, write_end] = *make_pipe();
  std::string got;
  const int fd = read_end.get();
  const Loop::Watch watch = *loop_.on_readable(fd, [&] {
    char c;
    ASSERT_EQ(::read(fd, &c, 1), 1);
    got += c;
    if (got.size() == 3) loop_.stop();
  });
  ASSERT_TRUE(write_all(write_end.get(), "abc"));
  run();
  EXPECT_EQ(got, "abc");
}

TEST_F(LoopTest, NeverCallsADroppedWatchAndLeavesItsFdOpen) {
  auto [read_end, write_end] = *make_pipe();
  std::optional<Loop::Watch> watch = *loop_.on_readable(read_end.get(), [] { FAIL(); });
  watch.reset();
  ASSERT_TRUE(write_all(write_end.get(), "x"));
  const Loop::Timer end = loop_.after(10ms, [&] { loop_.stop(); });
  run();
  char c;
  EXPECT_EQ(::read(read_end.get(), &c, 1), 1);
}

TEST_F(LoopTest, AWatchMayBeDroppedFromItsOwnCall) {
  auto [read_end, write_end] = *make_pipe();
  std::optional<Loop::Watch> watch;
  int calls = 0;
  watch = *loop_.on_readable(read_end.get(), [&] { ++calls, watch.reset(); });
  ASSERT_TRUE(write_all(write_end.get(), "xy"));
  const Loop::Timer end = loop_.after(10ms, [&] { loop_.stop(); });
  run();
  EXPECT_EQ(calls, 1);
}

TEST_F(LoopTest, WatchesOneSocketForBothDirections) {
  auto [mine, theirs] = *socket_pair(SOCK_STREAM);
  bool readable = false, writable = false;
  const auto done = [&] {
    if (readable && writable) loop_.stop();
  };
  std::optional<Loop::Watch> write_watch;
  const Loop::Watch read_watch = *loop_.on_readable(mine.get(), [&, fd = mine.get()] {
    char c;
    (void)!::read(fd, &c, 1);
    readable = true, done();
  });
  write_watch = *loop_.on_writable(mine.get(), [&] { writable = true, write_watch.reset(), done(); });
  ASSERT_TRUE(write_all(theirs.get(), "x"));
  run();
  EXPECT_TRUE(readable && writable);
}

size_t open_descriptors() { return list_directory("/proc/self/fd")->size(); }

TEST_F(LoopTest, AWatchTakesNoDescriptor) {
  auto [mine, theirs] = *socket_pair(SOCK_STREAM);
  const size_t before = open_descriptors();
  const Loop::Watch reading = *loop_.on_readable(mine.get(), [] {});
  const Loop::Watch writing = *loop_.on_writable(mine.get(), [] {});
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(LoopTest, SaysWhyAnFdCannotBeWatched) {
  EXPECT_EQ(loop_.on_readable(-1, [] {}).error().number(), EBADF);
  const UniqueFd file = *open_file("/proc/self/exe", O_RDONLY);
  EXPECT_EQ(loop_.on_readable(file.get(), [] {}).error().number(), EPERM);
  auto [mine, theirs] = *socket_pair(SOCK_STREAM);
  const Loop::Watch watch = *loop_.on_readable(mine.get(), [] {});
  EXPECT_EQ(loop_.on_readable(mine.get(), [] {}).error().number(), EEXIST);
}

TEST_F(LoopTest, AnFdIsNotTakenForTheOneThatHadItsNumber) {
  auto [first, first_end] = *make_pipe();
  auto [second, second_end] = *make_pipe();
  auto [fresh, fresh_end] = *make_pipe();
  Loop::Watch one, two, next;
  int calls = 0;
  // Both are ready in the same turn; whoever is first puts the silent pipe in place of the other.
  const auto replace = [&, silent = fresh.get()](Loop::Watch& own, Loop::Watch& other, UniqueFd& fd) {
    ++calls;
    own = {};
    other = {};
    ASSERT_EQ(::dup3(silent, fd.get(), O_CLOEXEC), fd.get());
    next = *loop_.on_readable(fd.get(), [] { FAIL() << "it has nothing to read"; });
  };
  one = *loop_.on_readable(first.get(), [&, &other = second] { replace(one, two, other); });
  two = *loop_.on_readable(second.get(), [&, &other = first] { replace(two, one, other); });
  ASSERT_TRUE(write_all(first_end.get(), "x") && write_all(second_end.get(), "x"));
  const Loop::Timer end = loop_.after(10ms, [&] { loop_.stop(); });
  run();
  EXPECT_EQ(calls, 1);
}

TEST_F(LoopTest, WhatRanOutOfMemoryIsCalledAgain) {
  int rescues = 0, posts = 0, ticks = 0, reads = 0;
  loop_.set_rescue([&](const std::exception&) { ++rescues; });
  auto [read_end, write_end] = *make_pipe();
  ASSERT_TRUE(write_all(write_end.get(), "x"));
  const auto done = [&] {
    if (posts == 2 && ticks == 2 && reads == 2) loop_.stop();
  };
  const auto second_time_only = [&](int& count) {
    if (++count == 1) throw std::bad_alloc();
    done();
  };
  loop_.post([&] { second_time_only(posts); });
  const Loop::Timer timer = loop_.after(0ms, [&] { second_time_only(ticks); });
  Loop::Watch watch;
  watch = *loop_.on_readable(read_end.get(), [&] {
    if (reads == 1) watch = {};
    second_time_only(reads);
  });
  run();
  EXPECT_EQ(rescues, 3);
}

TEST_F(LoopTest, WhatWasDroppedBeforeItThrewIsNotCalledAgain) {
  loop_.set_rescue([](const std::exception&) {});
  int ticks = 0, others = 0;
  Loop::Timer timer;
  timer = loop_.after(0ms, [&] {
    ++ticks;
    timer = {};
    throw std::bad_alloc();
  });
  const Loop::Timer other = loop_.after(0ms, [&] {
    ++others;
    throw std::runtime_error("not a matter of memory");
  });
  const Loop::Timer end = loop_.after(300ms, [&] { loop_.stop(); });
  run();
  EXPECT_EQ(ticks, 1);
  EXPECT_EQ(others, 1);
}

TEST_F(LoopTest, RunsWorkOnOtherThreadsAndComesBackToItsOwn) {
  WorkerPool workers(loop_, 2);
  const std::thread::id own = std::this_thread::get_id();
  std::atomic<int> worked = 0;
  int done = 0;
  for (int i = 0; i < 100; ++i) {
    workers.run(
        [&] {
          EXPECT_NE(std::this_thread::get_id(), own);
          ++worked;
        },
        [&] {
          EXPECT_EQ(std::this_thread::get_id(), own);
          if (++done == 100) loop_.stop();
        });
  }
  run();
  EXPECT_EQ(worked, 100);
}

}  // namespace
}  // namespace talaria
