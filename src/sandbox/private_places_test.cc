#include "sandbox/private_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "sandbox/space_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Watched {
 public:
  Watched() { EXPECT_EQ(trial.prepare(), ""); }
  std::vector<std::string> after(const std::string& command) {
    EXPECT_EQ(trial.run(command).status, 0) << command;
    return places().news(trial.space().memory());
  }
  PrivatePlaces& places() {
    if (!places_) places_.emplace(trial.session().space.mounts, trial.home);
    return *places_;
  }
  SpaceTrial trial;

 private:
  std::optional<PrivatePlaces> places_;
};

SPACE_TEST(PrivatePlacesTest, TellsOfFilesThatAPersonWouldLookFor) {
  Watched watched;
  watched.places().catch_up(watched.trial.space().memory());
  EXPECT_THAT(watched.after("true"), IsEmpty());
  EXPECT_THAT(watched.after("echo > ~/report.md; echo > ~/.hidden; mkdir ~/go; echo > ~/go/x"),
              ElementsAre(watched.trial.home + "/report.md"));
  EXPECT_THAT(watched.after("echo more >> ~/report.md; echo > ~/second.txt; rm ~/report.md"),
              ElementsAre(watched.trial.home + "/second.txt"));
  EXPECT_THAT(watched.after("echo > ~/report.md"), IsEmpty());  // it was told already
}

SPACE_TEST(PrivatePlacesTest, TellsOfTmpOnce) {
  Watched watched;
  EXPECT_THAT(watched.after("mktemp > /dev/null; mktemp -d > /dev/null; echo > /tmp/tmpx; mkfifo /tmp/pipe"),
              IsEmpty());
  EXPECT_THAT(watched.after("echo > /tmp/out.txt; echo > /tmp/b.txt"), ElementsAre("/tmp/b.txt", "/tmp/out.txt"));
  EXPECT_THAT(watched.after("echo > /tmp/third.txt; echo > ~/r.txt"), ElementsAre(watched.trial.home + "/r.txt"));
}

SPACE_TEST(PrivatePlacesTest, WhatWasThereBeforeIsNoNews) {
  Watched watched;
  ASSERT_EQ(watched.trial.run("echo > ~/before.txt").status, 0);
  watched.places().catch_up(watched.trial.space().memory());
  EXPECT_THAT(watched.after("echo > ~/after.txt"), ElementsAre(watched.trial.home + "/after.txt"));
}

SPACE_TEST(PrivatePlacesTest, APlaceWithVeryManyEntriesIsLookedAtNoMore) {
  Watched watched;
  (void)watched.after("cd ~; touch .x{1..1200}");
  EXPECT_THAT(watched.after("echo > ~/r.txt"), IsEmpty());
}

}  // namespace
}  // namespace talaria
