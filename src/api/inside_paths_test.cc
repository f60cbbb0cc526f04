#include "api/inside_paths.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

MountStep step(MountKind kind, const std::string& target, bool writable, const std::string& source = "") {
  MountStep one;
  one.kind = kind;
  one.target = target;
  one.source = source.empty() ? target : source;
  one.writable = writable;
  return one;
}

// A private home with a workspace and toolchains in it, as sandboxes have it.
View usual() {
  View view;
  view.mounts.steps = {
      step(MountKind::hide, "/home/other", false),       step(MountKind::tmpfs, "/tmp", true),
      step(MountKind::mirror, "/var/tmp", true, "/tmp"), step(MountKind::tmpfs, "/home/me", true),
      step(MountKind::bind, "/home/me/.pyenv", false),   step(MountKind::bind, "/home/me/.local/share/uv", false),
      step(MountKind::bind, "/home/me/work", true),      step(MountKind::mirror, "/home/me/work/.git/config", false)};
  return view;
}

TEST(InsidePathsTest, TheSystemAndWhatIsShownAreTheSameInside) {
  const View view = usual();
  for (const std::string path : {"/usr/bin/python3", "/home/me/.pyenv/shims/python3", "/home/me/work/.venv/bin/python3",
                                 "/home/me/work/.git/config", "/home/me/.local/share/uv/python"}) {
    EXPECT_FALSE(differs_inside(view, path)) << path;
  }
}

TEST(InsidePathsTest, WhatIsHiddenOrPrivateDiffers) {
  const View view = usual();
  for (const std::string path : {"/tmp/venv", "/var/tmp/venv", "/home/me/bin/python3", "/home/other/x", "/home/me"}) {
    EXPECT_TRUE(differs_inside(view, path)) << path;
  }
}

TEST(InsidePathsTest, WhatLiesInAWritablePlaceOfTheMachineIsThereAnyway) {
  View view = usual();
  for (const std::string path : {"/home/me/work", "/home/me/work/skills/one", "/home/me/work/.git/config"}) {
    EXPECT_TRUE(is_in_writable_place(view, path)) << path;
  }
  for (const std::string path : {"/usr/share/x", "/tmp/x", "/var/tmp/x", "/home/me/x", "/home/me/.pyenv/x"}) {
    EXPECT_FALSE(is_in_writable_place(view, path)) << path;
  }
  view.mounts.steps.push_back(step(MountKind::hide, "/home/me/work/own", false));
  EXPECT_FALSE(is_in_writable_place(view, "/home/me/work/own/skills/one"));
  view.mounts.read_only_root = false;
  EXPECT_TRUE(is_in_writable_place(view, "/usr/share/x"));
}

TEST(InsidePathsTest, WhatIsMountedReadOnlyCannotBeChanged) {
  const View view = usual();
  for (const std::string path :
       {"/usr/bin/python3.11", "/home/me/.pyenv/versions/3.11/bin/python3", "/home/me/.pyenv"}) {
    EXPECT_FALSE(can_be_changed_inside(view, path)) << path;
  }
}

TEST(InsidePathsTest, WhatIsWritableOrCanBeMovedAsideCanBeChanged) {
  const View view = usual();
  for (const std::string path : {"/tmp/x", "/var/tmp/x", "/home/me/x", "/home/me/work/.venv/bin/python3",
                                 "/home/me/.local/share/uv/python/bin/python3", "/home/me/work/.git/config"}) {
    EXPECT_TRUE(can_be_changed_inside(view, path)) << path;
  }
}

TEST(InsidePathsTest, OnlyARealPathInItsPlainestFormIsFixed) {
  const View view = usual();
  EXPECT_TRUE(is_fixed_inside(view, "/usr/bin"));
  for (const std::string path : {"//usr/bin", "/usr//bin", "/usr/bin/", "/usr/./bin", "/usr/bin/../bin", "usr/bin", "",
                                 "/usr/nothing", "/proc/self", "/tmp"}) {
    EXPECT_FALSE(is_fixed_inside(view, path)) << path;
  }
}

TEST(InsidePathsTest, WhatIsShownElsewhereCountsAsWritableThere) {
  View view = usual();
  view.mounts.steps.push_back(step(MountKind::bind, "/run/talaria/lib", false, "/home/me/work/build/lib"));
  EXPECT_TRUE(is_shown_writable(view, "/home/me/work/build/lib"));
  EXPECT_TRUE(is_shown_writable(view, "/home/me"));
  EXPECT_FALSE(is_shown_writable(view, "/home/me/.pyenv"));
  EXPECT_FALSE(is_shown_writable(view, "/tmp/lib"));
  view.mounts.read_only_root = false;
  EXPECT_TRUE(is_shown_writable(view, "/usr"));
}

TEST(InsidePathsTest, NothingIsSafeWhereTheRootCanBeWritten) {
  View view;
  view.mounts.read_only_root = false;
  EXPECT_TRUE(can_be_changed_inside(view, "/usr/bin/python3"));
  EXPECT_FALSE(differs_inside(view, "/usr/bin/python3"));
}

}  // namespace
}  // namespace talaria
