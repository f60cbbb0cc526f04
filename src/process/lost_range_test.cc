#include "process/lost_range.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(LostRangeTest, OneSentenceSaysHowMuchIsLostAndWhy) {
  EXPECT_EQ(loss_sentence(1, ""), "1 byte of output is no longer kept");
  EXPECT_EQ(loss_sentence(3'670'016, ""), "3,670,016 bytes of output are no longer kept");
  EXPECT_EQ(loss_sentence(1, "the disk was full"), "1 byte of output was lost: the disk was full");
  EXPECT_EQ(loss_sentence(2000, "the disk was full"), "2,000 bytes of output were lost: the disk was full");
}

}  // namespace
}  // namespace talaria
