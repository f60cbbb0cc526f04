#include "process/output_log.h"

#include <gtest/gtest.h>

#include "os/file.h"
#include "os/random.h"

namespace talaria {
namespace {

class OutputLogTest : public testing::Test {
 protected:
  void TearDown() override { (void)remove_tree(folder_); }

  // Every number from `from` to `to`, a line each: a missing or doubled byte shows.
  static std::string numbers(int from, int to) {
    std::string text;
    for (int i = from; i < to; ++i) text += std::to_string(i) + "\n";
    return text;
  }

  std::string read_all() {
    LogFiles files = *LogFiles::find(folder_);
    std::string all;
    for (uint64_t offset = 0; offset < files.end();) {
      std::string piece = *files.read(offset, 1000);
      offset += piece.size();
      all += piece;
    }
    return all;
  }

  std::string folder_ = testing::TempDir() + "log-" + std::to_string(random_u64());
};

TEST_F(OutputLogTest, GivesBackWhatWasWritten) {
  LogWriter writer(folder_, 1 << 20);
  const std::string text = numbers(0, 5000);
  ASSERT_TRUE(writer.append(text.substr(0, 7)));
  ASSERT_TRUE(writer.append(text.substr(7)));
  EXPECT_EQ(read_all(), text);
  EXPECT_EQ(writer.end(), text.size());
  const LogFiles files = *LogFiles::find(folder_);
  EXPECT_EQ(files.lost_begin(), files.lost_end());
}

TEST_F(OutputLogTest, MakesNothingWhileNothingIsWritten) {
  LogWriter writer(folder_, 1 << 20);
  EXPECT_FALSE(exists(folder_));
  EXPECT_EQ(LogFiles::find(folder_)->end(), 0u);
}

TEST_F(OutputLogTest, KeepsHeadAndTailWithinItsCap) {
  LogWriter writer(folder_, 4000);
  const std::string text = numbers(0, 20000);
  for (size_t at = 0; at < text.size(); at += 777) ASSERT_TRUE(writer.append(text.substr(at, 777)));
  const LogFiles files = *LogFiles::find(folder_);
  uint64_t on_disk = 0;
  for (const auto& segment : files.segments) on_disk += segment.size;
  EXPECT_LE(on_disk, 4000u);
  EXPECT_EQ(files.end(), text.size());
  EXPECT_EQ(files.lost_begin(), 2000u);
  EXPECT_GE(files.end() - files.lost_end(), 1000u);
  uint64_t offset = 2500;  // in the gap
  const std::string tail = *files.read(offset, 100);
  EXPECT_EQ(offset, files.lost_end());
  EXPECT_EQ(tail, text.substr(files.lost_end(), tail.size()));
  EXPECT_EQ(read_all(), text.substr(0, 2000) + text.substr(files.lost_end()));
}

TEST_F(OutputLogTest, LeavesAGapWhereBytesWereLost) {
  LogWriter writer(folder_, 1 << 20);
  ASSERT_TRUE(writer.append("head"));
  writer.skip_to(10);
  ASSERT_TRUE(writer.append("tail"));
  const LogFiles files = *LogFiles::find(folder_);
  EXPECT_EQ(files.lost_begin(), 4u);
  EXPECT_EQ(files.lost_end(), 10u);
  EXPECT_EQ(read_all(), "headtail");
  EXPECT_EQ(files.lost(14), (std::vector<LostRange>{{4, 10}}));
  EXPECT_EQ(files.lost(20), (std::vector<LostRange>{{4, 10}, {14, 20}}));
  EXPECT_EQ(LogFiles().lost(3), (std::vector<LostRange>{{0, 3}}));
  EXPECT_EQ(LogFiles().lost(0), std::vector<LostRange>());
}

TEST_F(OutputLogTest, StartsOverWithNothingLeft) {
  LogWriter writer(folder_, 16);  // 8 bytes of head, then segments of 4
  ASSERT_TRUE(writer.append("abcdefghijklmnop"));
  writer.start_over();
  EXPECT_EQ(LogFiles::find(folder_)->segments.size(), 0u);
  ASSERT_TRUE(writer.append("again"));
  EXPECT_EQ(read_all(), "again");
}

}  // namespace
}  // namespace talaria
