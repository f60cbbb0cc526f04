#include "sandbox/own_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "sandbox/view.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class OwnPlacesTest : public testing::Test {
 protected:
  OwnPlacesTest() {
    std::string pattern = testing::TempDir() + "own-places.XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    base_ = real_path(pattern);
    work_ = base_ + "/w";
    EXPECT_TRUE(make_directories(work_));
  }
  ~OwnPlacesTest() override { (void)remove_tree(base_); }

  void make(const std::string& path) const { ASSERT_TRUE(make_directories(path)); }
  void put(const std::string& path) const { ASSERT_TRUE(write_file_atomically(path, "x", 0600, Durable::no)); }
  void link(const std::string& target, const std::string& path) const {
    ASSERT_EQ(::symlink(target.c_str(), path.c_str()), 0);
  }
  // "pin", "read" or "hide" and the path below the base.
  std::vector<std::string> guards(const OwnThings& things) const {
    const Result<std::vector<MountStep>> steps = guard_own_places(find_own_places(things), {work_});
    if (!steps) return {steps.error().message()};
    std::vector<std::string> said;
    for (const MountStep& step : *steps) {
      const std::string how = step.kind == MountKind::hide ? "hide" : step.writable ? "pin" : "read";
      said.push_back(how + " " + step.target.substr(base_.size()));
    }
    return said;
  }
  std::string refusal(const OwnThings& things) const {
    const std::vector<std::string> said = guards(things);
    return said.size() == 1 ? said.front() : "no refusal";
  }

  std::string base_, work_;
};

TEST_F(OwnPlacesTest, EveryDirectoryOnTheWayToTheHomeIsPinned) {
  const std::string home = work_ + "/data/deep/th";
  make(home + "/run");
  EXPECT_THAT(guards({home, home + "/run", "", ""}),
              ElementsAre("pin /w/data", "pin /w/data/deep", "hide /w/data/deep/th"));
}

TEST_F(OwnPlacesTest, AHomeElsewhereIsHiddenAndPinsNothing) {
  make(base_ + "/h");
  EXPECT_THAT(guards({base_ + "/h", "", "", ""}), ElementsAre("hide /h"));
}

TEST_F(OwnPlacesTest, ProgramsAndTheirLibraryAreOnlyRead) {
  make(work_ + "/build/bin");
  make(work_ + "/build/lib/talaria");
  put(work_ + "/build/bin/talaria-keeper");
  put(work_ + "/build/bin/other");
  EXPECT_THAT(guards({"", "", work_ + "/build/bin/", work_ + "/build/lib/talaria"}),
              ElementsAre("pin /w/build", "pin /w/build/bin", "read /w/build/bin/talaria-keeper", "pin /w/build/lib",
                          "read /w/build/lib/talaria"));
}

TEST_F(OwnPlacesTest, WhatAFileOfTheHomeLeadsToIsGuardedWhereItIs) {
  make(base_ + "/h");
  make(work_ + "/dot/skills");
  put(work_ + "/dot/talaria.yaml");
  put(work_ + "/dot/secrets");
  link(work_ + "/dot/talaria.yaml", base_ + "/h/config.yaml");
  link("../w/dot/skills", base_ + "/h/skills");
  link(work_ + "/dot/secrets", base_ + "/h/.env");
  EXPECT_THAT(guards({base_ + "/h", "", "", ""}), ElementsAre("hide /h", "pin /w/dot", "hide /w/dot/secrets",
                                                              "read /w/dot/skills", "read /w/dot/talaria.yaml"));
}

TEST_F(OwnPlacesTest, ALinkThatACommandCouldReplaceIsRefused) {
  make(base_ + "/real");
  make(work_ + "/dot");
  link(base_ + "/real", work_ + "/th");
  EXPECT_THAT(refusal({work_ + "/th", "", "", ""}),
              AllOf(HasSubstr(work_ + "/th is a symbolic link where commands in the sandbox may write"),
                    HasSubstr("Name the real place")));
  link(work_ + "/dot", work_ + "/link");
  make(work_ + "/dot/th");
  EXPECT_THAT(refusal({work_ + "/link/th", "", "", ""}), HasSubstr(work_ + "/link is a symbolic link"));
  put(base_ + "/config.yaml");
  link(base_ + "/config.yaml", work_ + "/dot/config.yaml");
  link(work_ + "/dot/config.yaml", base_ + "/real/config.yaml");
  EXPECT_THAT(refusal({base_ + "/real", "", "", ""}), HasSubstr(work_ + "/dot/config.yaml is a symbolic link"));
}

TEST_F(OwnPlacesTest, WhatACommandCouldMakeAndTheDatabaseAreRefused) {
  make(base_ + "/h");
  link(work_ + "/later.yaml", base_ + "/h/config.yaml");
  EXPECT_THAT(refusal({base_ + "/h", "", "", ""}), HasSubstr(work_ + "/later.yaml lies where commands"));
  ASSERT_EQ(::unlink((base_ + "/h/config.yaml").c_str()), 0);
  put(work_ + "/db");
  link(work_ + "/db", base_ + "/h/talaria.db");
  EXPECT_THAT(refusal({base_ + "/h", "", "", ""}), HasSubstr(work_ + "/db lies where commands"));
}

TEST_F(OwnPlacesTest, LinksInARingEnd) {
  make(base_ + "/h");
  link("config.yaml", base_ + "/h/config.yaml");
  EXPECT_THAT(guards({base_ + "/h", "", "", ""}), ElementsAre("hide /h"));
}

TEST_F(OwnPlacesTest, AnotherDirectoryInTheSamePlaceIsAnotherState) {
  const std::string home = work_ + "/data/th";
  make(home);
  const auto state = [&] { return identity_of_own_places(find_own_places({home, "", "", ""}), {work_}); };
  const std::string before = state();
  EXPECT_EQ(state(), before);
  ASSERT_EQ(::rename((work_ + "/data").c_str(), (work_ + "/moved").c_str()), 0);
  make(home);
  EXPECT_NE(state(), before);
  EXPECT_EQ(identity_of_own_places(find_own_places({home, "", "", ""}), {base_ + "/elsewhere"}), "");
}

}  // namespace
}  // namespace talaria
