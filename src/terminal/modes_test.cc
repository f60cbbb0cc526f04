#include "terminal/modes.h"

#include <gtest/gtest.h>

#include <utility>

namespace talaria {
namespace {

using Modes = std::pair<bool, bool>;  // bracketed paste, application cursor

Modes modes_after(std::string_view output) {
  ModeTracker tracker;
  tracker.feed(output);
  return {tracker.bracketed_paste(), tracker.application_cursor()};
}

TEST(ModesTest, StartsWithEverythingOff) { EXPECT_EQ(modes_after("plain text \xC2\xA9\n"), Modes(false, false)); }

TEST(ModesTest, FollowsEachMode) {
  EXPECT_EQ(modes_after("\x1b[?2004h"), Modes(true, false));
  EXPECT_EQ(modes_after("\x1b[?1h"), Modes(false, true));
  EXPECT_EQ(modes_after("\x1b[?2004hx\x1b[?2004l"), Modes(false, false));
  EXPECT_EQ(modes_after("\x1b[?1;2004h"), Modes(true, true));
  EXPECT_EQ(modes_after("\x1b[?25;1;2004;7h\x1b[?1l"), Modes(true, false));
  EXPECT_EQ(modes_after("\xC2\x9B?2004h"), Modes(true, false));
}

TEST(ModesTest, IgnoresOtherSequences) {
  EXPECT_EQ(modes_after("\x1b[2004h\x1b[1h\x1b[?12004h\x1b[?11h\x1b[?1s\x1b[?1$p"), Modes(false, false));
  EXPECT_EQ(modes_after("\x1b[?2004" + std::string(500, ';') + "1h"), Modes(false, false));
  EXPECT_EQ(modes_after("\x1b[?20\x18"
                        "04h"),
            Modes(false, false));
  EXPECT_EQ(modes_after("\x1b[?20\n04h"), Modes(true, false));
}

TEST(ModesTest, ResetsSwitchEverythingOff) {
  EXPECT_EQ(modes_after("\x1b[?1;2004h\x1b"
                        "c"),
            Modes(false, false));
  EXPECT_EQ(modes_after("\x1b[?1;2004h\x1b[!p"), Modes(false, false));
  EXPECT_EQ(modes_after("\x1b[?1;2004hc"), Modes(true, true));
}

TEST(ModesTest, SequencesMaySplitAnywhere) {
  const std::string output = "a\x1b[?1;2004hb\x1b[31m\xC2\x9B?1l\x1b]0;t\x07\x1b\x1b[?25l";
  const Modes whole = modes_after(output);
  EXPECT_EQ(whole, Modes(true, false));
  for (size_t cut = 0; cut <= output.size(); ++cut) {
    ModeTracker tracker;
    tracker.feed(std::string_view(output).substr(0, cut));
    tracker.feed(std::string_view(output).substr(cut));
    EXPECT_EQ(Modes(tracker.bracketed_paste(), tracker.application_cursor()), whole) << cut;
  }
}

}  // namespace
}  // namespace talaria
