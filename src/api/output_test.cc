#include "api/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "os/file.h"
#include "process/output_log.h"

namespace talaria {
namespace {

TEST(OutputTest, ASourceOverTextReadsAnyPart) {
  const ByteSource source = source_of("0123456789");
  EXPECT_EQ(source.size, 10u);
  EXPECT_EQ(*source.read(3, 4), "3456");
  EXPECT_EQ(*source.read(8, 100), "89");
  EXPECT_EQ(*source.read(10, 1), "");
}

TEST(OutputTest, TheFirstBytesOfASourceEndThere) {
  const ByteSource source = first_of(source_of("0123456789"), 4);
  EXPECT_EQ(source.size, 4u);
  EXPECT_EQ(*source.read(2, 100), "23");
  EXPECT_EQ(*source.read(4, 1), "");
  EXPECT_EQ(first_of(source_of("01"), 4).size, 2u);
}

class OutputFilesTest : public testing::Test {
 protected:
  OutputFilesTest() : folder_(testing::TempDir() + "output." + std::to_string(::getpid())) {}
  ~OutputFilesTest() override { (void)remove_tree(folder_); }
  std::string folder_;
};

TEST_F(OutputFilesTest, NoFilesAreNoOutput) { EXPECT_EQ(source_of_files(folder_)->size, 0u); }

TEST_F(OutputFilesTest, ASourceOverFilesKnowsWhatIsLost) {
  LogWriter writer(folder_, 16);  // 8 bytes of head, then segments of 4
  ASSERT_TRUE(writer.append("abcdefghijklmnopqrstuvwx"));
  const Result<ByteSource> source = source_of_files(folder_);
  ASSERT_TRUE(source);
  EXPECT_EQ(source->size, 24u);
  EXPECT_EQ(source->lost_begin, 8u);
  EXPECT_EQ(source->lost_end, 16u);
  EXPECT_EQ(*source->read(0, 100), "abcdefgh");
  EXPECT_EQ(*source->read(16, 4), "qrst");
  EXPECT_EQ(*source->read(10, 4), "");
  EXPECT_EQ(source->lost, (std::vector<LostRange>{{8, 16}}));
}

TEST_F(OutputFilesTest, WhatIsMissingAtTheEndIsLostToo) {
  LogWriter writer(folder_, 1 << 20);
  ASSERT_TRUE(writer.append("head"));
  writer.skip_to(10);
  ASSERT_TRUE(writer.append("tail"));
  const ByteSource source = *source_of_files(folder_, 20);
  EXPECT_EQ(source.size, 20u);
  EXPECT_EQ(source.lost, (std::vector<LostRange>{{4, 10}, {14, 20}}));
  const ByteSource longer = with_head(source, "headHEAD");
  EXPECT_EQ(longer.lost, (std::vector<LostRange>{{8, 10}, {14, 20}}));
  EXPECT_EQ(*longer.read(2, 100), "adHEAD");
  EXPECT_EQ(*longer.read(10, 100), "tail");
  EXPECT_EQ(with_head(source, "0123456789").lost, (std::vector<LostRange>{{14, 20}}));
  EXPECT_EQ(*with_head(source, "0123456789").read(8, 100), "89tail");
}

TEST_F(OutputFilesTest, RemovedFilesAreNamedAsTheReason) {
  EXPECT_THAT(source_of_files(folder_, 5)->lost_because, testing::HasSubstr("somebody removed them"));
  EXPECT_EQ(source_of_files(folder_)->lost_because, "");
}

TEST(OutputTest, TheReasonOfALossIsTheKeepersWarning) {
  EXPECT_EQ(loss_reason(""), "");
  EXPECT_EQ(loss_reason("no terminal could be had (x); running with pipes instead"), "");
  EXPECT_EQ(loss_reason("x; part of the output was lost: write to /j: No space left on device"), "the disk was full");
  EXPECT_EQ(loss_reason("part of the output was lost: write to /j: Input/output error"),
            "it could not be written (write to /j: Input/output error)");
}

}  // namespace
}  // namespace talaria
