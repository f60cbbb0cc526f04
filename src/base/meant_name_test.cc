#include "base/meant_name.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(MeantNameTest, FindsTheNameThatAnotherSpellingMeans) {
  const std::vector<std::string> names = {"command",        "cwd", "workdir",   "yieldMs", "timeout",
                                          "timeoutSeconds", "env", "sessionId", "path"};
  EXPECT_EQ(meant_name("cmd", names), "command");  // though cwd is one letter away
  EXPECT_EQ(meant_name("working_directory", names), "workdir");
  EXPECT_EQ(meant_name("dir", names), "workdir");
  EXPECT_EQ(meant_name("yield_ms", names), "yieldMs");
  EXPECT_EQ(meant_name("session_id", names), "sessionId");
  EXPECT_EQ(meant_name("id", names), "sessionId");
  EXPECT_EQ(meant_name("file_path", names), "path");
  EXPECT_EQ(meant_name("timout", names), "timeout");
  EXPECT_EQ(meant_name("timeout_sec", names), "timeout");
  EXPECT_EQ(meant_name("ccwd", names), "cwd");
  EXPECT_EQ(meant_name("xommand", names), "command");
}

TEST(MeantNameTest, GuessesNothingWhereNothingIsNear) {
  for (const char* word : {"", "_", "c", "verbose", "language"}) {
    EXPECT_EQ(meant_name(word, {"command", "workdir", ""}), "") << word;
  }
}

TEST(MeantNameTest, AsksAtTheEndOfASentence) {
  EXPECT_EQ(did_you_mean("sandbx", {"gateway", "sandbox"}), "; did you mean sandbox?");
  EXPECT_EQ(did_you_mean("mars", {"gateway", "sandbox"}), "");
  EXPECT_EQ(did_you_mean_one_of("sandbx", {"gateway", "sandbox"}),
            "; did you mean sandbox? There are gateway, sandbox");
  EXPECT_EQ(did_you_mean_one_of("mars", {"gateway", "sandbox"}), "; there are gateway, sandbox");
  EXPECT_EQ(did_you_mean_sentence("sandbx", {"gateway", "sandbox"}), " Did you mean sandbox?");
}

}  // namespace
}  // namespace talaria
