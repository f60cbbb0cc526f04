#include "code/error_text.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/utf8.h"
#include "os/file.h"
#include "os/socket.h"

namespace talaria {
namespace {

class ErrorTextTest : public testing::Test {
 protected:
  ErrorTextTest() {
    auto [read_end, write_end] = *make_pipe();
    read_end_ = std::move(read_end);
    write_end_ = std::move(write_end);
  }
  void write(std::string_view text) { ASSERT_TRUE(write_all(write_end_.get(), text)); }
  void run_until(const std::function<bool()>& enough) {
    const Clock::time_point deadline = Clock::now() + 20s;
    std::function<void()> look = [&] {
      const bool late = Clock::now() > deadline;
      EXPECT_FALSE(late);
      if (late || enough()) return loop_.stop();
      look_ = loop_.after(1ms, [&] { look(); });
    };
    loop_.post([&] { look(); });
    loop_.run();
    look_ = {};
  }

  Loop loop_;
  UniqueFd read_end_, write_end_;
  Loop::Timer look_;
};

TEST_F(ErrorTextTest, GivesAllOfWhatFits) {
  ErrorText errors(loop_, std::move(read_end_), 10);
  EXPECT_EQ(errors.take(), ScriptOutput());
  write("0123456789");
  run_until([&] { return errors.total() == 10; });
  EXPECT_EQ(errors.take(), (ScriptOutput{.text = "0123456789", .total_bytes = 10}));
}

TEST_F(ErrorTextTest, GivesHeadAndTailOfWhatDoesNot) {
  ErrorText errors(loop_, std::move(read_end_), 10);
  write("0123456789A");
  run_until([&] { return errors.total() == 11; });
  EXPECT_EQ(errors.take(), (ScriptOutput{.text = "0123\n[stderr truncated: 1 byte left out]\n56789A",
                                         .truncated = true,
                                         .total_bytes = 11,
                                         .left_out_bytes = 1,
                                         .gap_begin = 4,
                                         .gap_end = 41}));
}

TEST_F(ErrorTextTest, NeverSplitsACharacterAndCleansTheText) {
  ErrorText errors(loop_, std::move(read_end_), 10);
  write("abcü012345€xyz\x1b[m");
  errors.drain();
  EXPECT_EQ(errors.take().text, "abc\n[stderr truncated: 11 bytes left out]\nxyz");
  EXPECT_TRUE(is_utf8(errors.take().text));
}

TEST_F(ErrorTextTest, DrainsWhatIsThereAndWaitsForNothing) {
  ErrorText errors(loop_, std::move(read_end_));
  errors.drain();
  write("Traceback");
  errors.drain();
  EXPECT_EQ(errors.take().text, "Traceback");
  EXPECT_FALSE(errors.closed());
  write("!");
  write_end_.reset();
  run_until([&] { return errors.closed(); });
  errors.drain();
  EXPECT_EQ(errors.take().text, "Traceback!");
}

TEST_F(ErrorTextTest, BeginsAnewForTheNextRun) {
  ErrorText errors(loop_, std::move(read_end_), 10);
  write("the first run wrote this");
  errors.drain();
  write("and this");
  errors.reset();
  EXPECT_EQ(errors.take(), ScriptOutput());
  write("second");
  errors.drain();
  EXPECT_EQ(errors.take(), (ScriptOutput{.text = "second", .total_bytes = 6}));
}

TEST_F(ErrorTextTest, AFloodIsCountedExactlyAndKeepsNobodyWaiting) {
  ErrorText errors(loop_, std::move(read_end_));
  const uint64_t total = 200'000'000;
  std::thread flood([this] {
    const std::string piece(1 << 16, 'x');
    uint64_t left = total - 3;
    while (left > 0) {
      const size_t count = std::min<uint64_t>(left, piece.size());
      EXPECT_TRUE(write_all(write_end_.get(), std::string_view(piece).substr(0, count)));
      left -= count;
    }
    EXPECT_TRUE(write_all(write_end_.get(), "end"));
    write_end_.reset();
  });
  int turns = 0;
  run_until([&] { return ++turns > 0 && errors.closed(); });
  flood.join();
  EXPECT_GT(turns, 2) << "nobody else had a turn";
  const ScriptOutput taken = errors.take();
  EXPECT_EQ(taken.total_bytes, total);
  EXPECT_EQ(taken.left_out_bytes, total - 10'000);
  EXPECT_EQ(taken.text, std::string(4000, 'x') + "\n[stderr truncated: 199,990,000 bytes left out]\n" +
                            std::string(5997, 'x') + "end");
}

TEST_F(ErrorTextTest, DrainsAFloodWithoutEnd) {
  ErrorText errors(loop_, std::move(read_end_));
  std::atomic<bool> stop = false;
  std::thread flood([&] {
    const std::string piece(1 << 16, 'x');
    while (!stop) EXPECT_TRUE(write_all(write_end_.get(), piece));
    write_end_.reset();
  });
  for (int i = 0; i < 100; ++i) errors.drain();  // each returns, although there is always more
  stop = true;
  run_until([&] { return errors.closed(); });
  flood.join();
}

}  // namespace
}  // namespace talaria
