#include "talaria/ending.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(EndingTest, LeavesOneWordToTheShellAndQuotesSeveral) {
  EXPECT_EQ(command_from_words({"echo $HOME | wc -c"}), "echo $HOME | wc -c");
  EXPECT_EQ(command_from_words({"echo", "$HOME", "a b", "it's", ""}), "echo '$HOME' 'a b' 'it'\\''s' ''");
  EXPECT_EQ(command_from_words({"ls", "-la", "/tmp"}), "ls -la /tmp");
}

TEST(EndingTest, GivesTheCommandsOwnCode) {
  EXPECT_EQ(exit_code_of({{"status", "completed"}, {"exitCode", 0}}), 0);
  EXPECT_EQ(exit_code_of({{"status", "completed"}, {"exitCode", 3}}), 3);
  EXPECT_EQ(exit_code_of({{"status", "failed"}, {"exitCode", 127}, {"reason", "not-found"}}), 127);
  EXPECT_EQ(exit_code_of({{"status", "running"}}), 0);
}

TEST(EndingTest, GivesOurCodesWhereThereIsNone) {
  EXPECT_EQ(exit_code_of({{"status", "failed"}, {"exitSignal", "SIGKILL"}, {"reason", "signal"}}), 137);
  EXPECT_EQ(exit_code_of({{"status", "failed"}, {"exitSignal", "SIGTERM"}, {"reason", "timeout"}}), 124);
  EXPECT_EQ(exit_code_of({{"status", "denied"}}), 126);
  EXPECT_EQ(exit_code_of({{"status", "pending_approval"}}), 126);
  EXPECT_EQ(exit_code_of({{"status", "lost"}, {"exitCode", nullptr}}), 125);
  EXPECT_EQ(exit_code_of({}), 125);
}

}  // namespace
}  // namespace talaria
