#include "api/output.h"

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
}

}  // namespace
}  // namespace talaria
