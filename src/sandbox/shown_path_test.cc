#include "sandbox/shown_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

MountStep step(MountKind kind, const std::string& target, const std::string& source = "", bool writable = false) {
  MountStep made;
  made.kind = kind;
  made.target = target;
  made.source = source;
  made.writable = writable;
  return made;
}

// What keeps it from being shown, or nothing.
std::string problem(const std::string& target, const std::string& source) {
  MountPlan view;
  view.steps = {step(MountKind::hide, "/root"),
                step(MountKind::tmpfs, "/tmp", "", true),
                step(MountKind::mirror, "/var/tmp", "/tmp", true),
                step(MountKind::bind, "/srv/project", "/srv/project", true),
                step(MountKind::mirror, "/srv/project/.git", "/srv/project/.git", true),
                step(MountKind::hide, "/opt/tools/server.sock"),
                step(MountKind::bind, "/opt/readable", "/opt/readable")};
  const Result<> checked = check_shown_path(view, {target, source});
  return checked ? "" : checked.error().message();
}
std::string problem(const std::string& path) { return problem(path, path); }

TEST(ShownPathTest, MayBeInAHiddenPlaceButNotBeOrHoldOne) {
  EXPECT_EQ(problem("/root/.talaria/skills/pdf"), "");
  EXPECT_EQ(problem("/tmp/skill", "/srv/skill"), "");
  EXPECT_EQ(problem("/root"), "it is /root, which is the sandbox's own or hidden in it");
  EXPECT_EQ(problem("/srv/x", "/root"), "it is /root, which is the sandbox's own or hidden in it");
  EXPECT_EQ(problem("/opt/tools"), "it holds /opt/tools/server.sock, which is the sandbox's own or hidden in it");
  EXPECT_EQ(problem("/var"), "it holds /var/tmp, which is the sandbox's own or hidden in it");
  EXPECT_EQ(problem("/srv/x", "/tmp"), "it is /tmp, which is the sandbox's own or hidden in it");
}

TEST(ShownPathTest, CoversNothingThatCommandsMayWrite) {
  EXPECT_EQ(problem("/srv/project"), "it is /srv/project, which commands may write");
  EXPECT_EQ(problem("/srv"), "it holds /srv/project, which commands may write");
  EXPECT_EQ(problem("/srv/project/skills"), "");
  EXPECT_EQ(problem("/srv/project/.git"), "");
  EXPECT_EQ(problem("/opt/readable"), "");
  EXPECT_EQ(problem("/srv/projects"), "");
}

TEST(ShownPathTest, IsAWholePathInItsPlainestFormAndOnADisk) {
  for (const std::string path : {"", "/", "relative", "/a//b", "/a/./b", "/a/../b", "/a/"}) {
    EXPECT_EQ(problem(path), "only a whole path in its plainest form can be shown") << path;
    EXPECT_EQ(problem("/a", path), "only a whole path in its plainest form can be shown") << path;
  }
  EXPECT_NE(problem(std::string("/a\0b", 4)), "");
  EXPECT_NE(problem("/" + std::string(5000, 'a')), "");
  EXPECT_EQ(problem("/dev/shm/x"), "what is in /dev is not on a disk");
  EXPECT_EQ(problem("/a", "/proc/1/root"), "what is in /proc is not on a disk");
  EXPECT_EQ(problem("/sys"), "what is in /sys is not on a disk");
}

TEST(ShownPathTest, OrdersAndAnswersArriveAsTheyWereSent) {
  const ShowOrder order{{{{"/a", "/b"}, 1, 2}, {{"/c", "/d\n\xff"}, UINT64_MAX, 0}}, {1}};
  EXPECT_EQ(*decode_show_order(encode(order)), order);
  EXPECT_EQ(*decode_show_order(encode(ShowOrder{})), ShowOrder{});
  const ShowAnswer answer{{{ShowState::shown}, {ShowState::failed, "why"}, {}}, true};
  EXPECT_EQ(*decode_show_answer(encode(answer)), answer);
}

TEST(ShownPathTest, WhatIsBrokenIsRefused) {
  const std::string order = encode(ShowOrder{{{{"/a", "/b"}, 1, 2}}, {0}});
  for (size_t length = 0; length < order.size(); ++length) EXPECT_FALSE(decode_show_order(order.substr(0, length)));
  EXPECT_FALSE(decode_show_order(order + "x"));
  EXPECT_FALSE(decode_show_order(encode(ShowOrder{{}, {0}})));
  const std::string answer = encode(ShowAnswer{{{ShowState::failed, "why"}}, true});
  for (size_t length = 0; length < answer.size(); ++length) EXPECT_FALSE(decode_show_answer(answer.substr(0, length)));
  EXPECT_FALSE(decode_show_answer(answer + "x"));
  std::string unknown = answer;
  unknown[5] = 9;
  EXPECT_FALSE(decode_show_answer(unknown));
}

}  // namespace
}  // namespace talaria
