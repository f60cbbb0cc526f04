#include "talaria/wording.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(WordingTest, AdviceForAModelNamesOurCommandsOrGoes) {
  EXPECT_EQ(for_people("No job found for x; process list shows the jobs there are"),
            "No job found for x (talaria ps lists the jobs)");
  EXPECT_EQ(for_people("Command timed out after 2 seconds. If it needs longer, call again with a larger timeout (0 = "
                       "none); if it should keep running, start it with background=true and follow it with process "
                       "poll."),
            "Command timed out after 2 seconds.");
  EXPECT_EQ(for_people("Command still running."), "Command still running.");
}

TEST(WordingTest, ALogIsApartFromWhatIsSaidAboutIt) {
  const ToldOutput told = split_log("299\n300\n\n[showing last 2 of 300 lines; pass offset/limit to page]", 2);
  EXPECT_EQ(told.output, "299\n300\n");
  EXPECT_EQ(told.remark, "[showing last 2 of 300 lines; --offset and --limit page, --raw gives all that is kept]");
  EXPECT_EQ(split_log("(no output yet)", 0).output, "");
  EXPECT_EQ(split_log("(no output yet)", 0).remark, "(no output yet)");
  EXPECT_EQ(split_log("a [showing\n", 1).output, "a [showing\n");
  const ToldOutput lost = split_log("1\n\n[showing last 1 of 9 lines; pass offset/limit to page]\nLost.", 1, "Lost.");
  EXPECT_EQ(lost.output, "1\n");
  EXPECT_EQ(lost.remark, "[showing last 1 of 9 lines; --offset and --limit page, --raw gives all that is kept]\nLost.");
  EXPECT_EQ(split_log("(no output recorded)\nLost.", 0, "Lost.").remark, "(no output recorded)\nLost.");
}

TEST(WordingTest, APollIsApartFromWhatIsSaidAboutIt) {
  const ToldOutput told =
      split_poll("a\n\nb\n\n(More output follows: poll again.)\n\nCommand still running.", "a\n\nb\n");
  EXPECT_EQ(told.output, "a\n\nb\n");
  EXPECT_EQ(told.remark, "More output follows: poll again.\nCommand still running.");
  EXPECT_EQ(split_poll("(no new output)\n\nCommand still running.", "").remark,
            "(no new output)\nCommand still running.");
}

}  // namespace
}  // namespace talaria
