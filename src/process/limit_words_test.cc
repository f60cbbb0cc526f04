#include "process/limit_words.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

constexpr uint64_t gib = 1 << 30;

TEST(LimitWordsTest, SayWhatWasTakenWhatIsAllowedAndWhatToDo) {
  const std::string raise = " If it needs more, the owner can raise it in a profile of sandbox.profiles.";
  EXPECT_EQ(limit_words("memory", 4 * gib, 5 * gib),
            "it and the others of its sandbox took 5 GiB of memory, and 4 GiB are allowed. Files in /tmp, the home and "
            "/dev/shm count, too: remove what is not needed." +
                raise);
  EXPECT_EQ(limit_words("processes", 512, 1513),
            "it and the others of its sandbox had 1,513 processes, and 512 are allowed." + raise);
  EXPECT_EQ(limit_words("disk", gib, 2 * gib),
            "it wrote 2 GiB to the disk of the workspace, and 1 GiB are allowed." + raise);
}

TEST(LimitWordsTest, DoNotSpeakOfRaisingWhatNobodyShouldRaise) {
  EXPECT_EQ(limit_words("disk_floor", 256 << 20, 1 << 20),
            "it wrote while the disk of the workspace had only 1 MiB left; 256 MiB must stay free.");
  EXPECT_EQ(
      limit_words("guarded_files", 100, 101),
      "protected files of the workspace changed 101 times within seconds while it ran, perhaps not by it, and were "
      "put back or taken away each time; 100 are allowed. The violations name them: do not write to them.");
}

TEST(LimitWordsTest, HaveASentenceForLimitsOfAnotherVersion) {
  EXPECT_EQ(limit_words("time", 1, 2), "it reached a limit of its sandbox.");
}

}  // namespace
}  // namespace talaria
