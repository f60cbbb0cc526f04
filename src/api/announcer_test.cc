#include "api/announcer.h"

#include <gtest/gtest.h>

#include <csignal>

namespace talaria {
namespace {

TEST(AnnouncerTest, AnExitEventSaysHowItWent) {
  JobRow row;
  row.id = "ab2c3d4e";
  row.state = JobState::ended;
  row.exit_code = 0;
  EXPECT_EQ(exit_event_text(row, "all good"), "Exec completed (ab2c3d4e, code 0) :: all good");
  EXPECT_EQ(exit_event_text(row, ""), "Exec completed (ab2c3d4e, code 0)");
  row.exit_code.reset();
  row.exit_signal = SIGTERM;
  EXPECT_EQ(exit_event_text(row, "x"), "Exec failed (ab2c3d4e, signal SIGTERM) :: x");
  row.state = JobState::lost;
  row.exit_signal.reset();
  EXPECT_EQ(exit_event_text(row, ""), "Exec lost (ab2c3d4e)");
}

TEST(AnnouncerTest, ASnippetIsOneShortLine) {
  EXPECT_EQ(event_snippet("  a\n\tb  c \n", Keep::end), "a b c");
  const std::string text = "first " + std::string(400, 'x') + " last";
  EXPECT_EQ(event_snippet(text, Keep::end).size(), 180u);
  EXPECT_TRUE(event_snippet(text, Keep::end).ends_with(" last"));
  EXPECT_TRUE(event_snippet(text, Keep::beginning).starts_with("first "));
}

}  // namespace
}  // namespace talaria
