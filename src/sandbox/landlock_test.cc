#include "sandbox/landlock.h"

#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "os/file.h"
#include "os/random.h"
#include "os/socket.h"
#include "sandbox/trial.h"

namespace talaria {
namespace {

int open_outcome(const std::string& path, int flags) { return outcome(::open(path.c_str(), flags | O_CLOEXEC, 0644)); }

class LandlockTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"/shown", "/project", "/project/a", "/project/b", "/hidden"}) {
      ASSERT_TRUE(make_directories(root_ + name));
      ASSERT_EQ(::chmod((root_ + name).c_str(), 0777), 0);  // so that only Landlock says no
    }
    ASSERT_EQ(::chmod(root_.c_str(), 0755), 0);
    for (const char* name : {"/shown/file", "/project/a/file", "/hidden/file"}) {
      ASSERT_TRUE(write_file_atomically(root_ + name, "text", 0644, Durable::no));
      ASSERT_EQ(::chmod((root_ + name).c_str(), 0666), 0);
    }
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(root_)); }

  LandlockRules rules(int abi = 1000) const {
    LandlockRules rules;
    rules.paths = {{PathAccess::read, "/usr"},
                   {PathAccess::read, root_ + "/shown"},
                   {PathAccess::write, root_ + "/project"},
                   {PathAccess::devices, "/dev"}};
    rules.abi = abi;
    return rules;
  }

  // The exit code of `body` under the rules, as an ordinary user.
  static int under(const LandlockRules& rules, const std::function<int()>& body) {
    const Result<UniqueFd> ruleset = make_ruleset(rules);
    if (!ruleset) {
      ADD_FAILURE() << ruleset.error().message();
      return -1;
    }
    const Ended ended = try_in_child(
        Who::ordinary_user, [&] { return give_up_privileges() && restrict_self(ruleset->get()) == 0 ? body() : 125; });
    EXPECT_EQ(ended.signal, 0);
    return ended.code;
  }

  std::string root_ = testing::TempDir() + "landlock-" + std::to_string(random_u64());
};

TEST_F(LandlockTest, ShowsOnlyWhatTheRulesName) {
  for (int abi = 1; abi <= landlock_abi(); ++abi) {
    const auto opening = [&](const std::string& path, int flags) {
      return under(rules(abi), [&] { return open_outcome(path, flags); });
    };
    EXPECT_EQ(opening(root_ + "/shown/file", O_RDONLY), 0) << abi;
    EXPECT_EQ(opening(root_ + "/shown/file", O_WRONLY), EACCES) << abi;
    EXPECT_EQ(opening(root_ + "/shown/new", O_WRONLY | O_CREAT), EACCES) << abi;
    EXPECT_EQ(opening(root_ + "/shown", O_RDONLY | O_DIRECTORY), 0) << abi;
    EXPECT_EQ(opening(root_ + "/project/a/file", O_RDWR), 0) << abi;
    EXPECT_EQ(opening(root_ + "/project/new", O_WRONLY | O_CREAT), 0) << abi;
    EXPECT_EQ(opening(root_ + "/hidden/file", O_RDONLY), EACCES) << abi;
    EXPECT_EQ(opening(root_ + "/hidden", O_RDONLY | O_DIRECTORY), EACCES) << abi;
    EXPECT_EQ(opening(root_, O_RDONLY | O_DIRECTORY), EACCES) << abi;
    EXPECT_EQ(opening("/etc/passwd", O_RDONLY), EACCES) << abi;
    EXPECT_EQ(opening("/dev/null", O_RDWR | O_TRUNC), 0) << abi;
    EXPECT_EQ(opening("/dev/new", O_WRONLY | O_CREAT), EACCES) << abi;
  }
}

TEST_F(LandlockTest, RunsOnlyProgramsThatAreShown) {
  const auto running = [&](const std::string& program) {
    return under(rules(), [&] { return ::execl(program.c_str(), "true", nullptr) < 0 ? errno : 0; });
  };
  ASSERT_TRUE(write_file_atomically(root_ + "/hidden/true", *read_file("/usr/bin/true"), 0755, Durable::no));
  ASSERT_EQ(::chmod((root_ + "/hidden/true").c_str(), 0755), 0);
  EXPECT_EQ(running("/usr/bin/true"), 0);
  EXPECT_EQ(running(root_ + "/hidden/true"), EACCES);
}

TEST_F(LandlockTest, FollowsNoLinkPastTheRules) {
  ASSERT_EQ(::symlink((root_ + "/hidden/file").c_str(), (root_ + "/project/link").c_str()), 0);
  EXPECT_EQ(under(rules(), [&] { return open_outcome(root_ + "/project/link", O_RDONLY); }), EACCES);
  EXPECT_EQ(under(rules(), [&] { return open_outcome(root_ + "/project/../hidden/file", O_RDONLY); }), EACCES);
}

TEST_F(LandlockTest, ChangesWhatIsInsideAPathForWriting) {
  EXPECT_EQ(under(rules(),
                  [&] {
                    if (::chdir((root_ + "/project").c_str()) != 0) return errno;
                    if (::mkdir("d", 0755) != 0 || ::mkfifo("fifo", 0600) != 0 || ::symlink("x", "symbolic") != 0)
                      return errno;
                    if (::link("a/file", "hard") != 0 || ::rename("hard", "d/moved") != 0) return errno;
                    if (::truncate("a/file", 1) != 0 || ::unlink("d/moved") != 0 || ::rmdir("d") != 0) return errno;
                    sockaddr_un address{AF_UNIX, "socket"};
                    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
                    return outcome(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address));
                  }),
            0);
  EXPECT_EQ(*read_file(root_ + "/project/a/file"), "t");
}

TEST_F(LandlockTest, ChangesNothingOutside) {
  const std::string shown = root_ + "/shown/file", hidden = root_ + "/hidden/file";
  const std::vector<std::function<long()>> changes{
      [&] { return ::unlink(shown.c_str()); },
      [&] { return ::rename(shown.c_str(), (root_ + "/shown/other").c_str()); },
      [&] { return ::mkdir((root_ + "/shown/d").c_str(), 0755); },
      [&] { return ::rmdir((root_ + "/hidden").c_str()); },
      [&] { return ::symlink("x", (root_ + "/hidden/x").c_str()); },
      [&] { return ::mkfifo((root_ + "/hidden/x").c_str(), 0600); },
  };
  for (int abi = 1; abi <= landlock_abi(); ++abi)
    for (const auto& change : changes) EXPECT_EQ(under(rules(abi), [&] { return outcome(change()); }), EACCES) << abi;
  EXPECT_EQ(*list_directory(root_ + "/shown"), std::vector<std::string>{"file"});
  EXPECT_EQ(*list_directory(root_ + "/hidden"), std::vector<std::string>{"file"});
}

TEST_F(LandlockTest, MovesFilesBetweenDirectoriesFromVersion2) {
  for (int abi = 1; abi <= landlock_abi(); ++abi) {
    const auto moving = [&](const std::string& from, const std::string& to) {
      return under(rules(abi), [&] { return outcome(::rename((root_ + from).c_str(), (root_ + to).c_str())); });
    };
    ASSERT_TRUE(write_file_atomically(root_ + "/project/a/moving", "", 0644, Durable::no));
    EXPECT_EQ(moving("/project/a/moving", "/project/b/moved"), abi >= 2 ? 0 : EXDEV) << abi;
    EXPECT_NE(moving("/project/a/file", "/hidden/file"), 0) << abi;
    EXPECT_NE(moving("/hidden/file", "/project/a/file"), 0) << abi;
    EXPECT_NE(moving("/shown/file", "/project/a/file"), 0) << abi;
    // A link would lend a shown file the rights of the folder it is linked into.
    EXPECT_NE(
        under(rules(abi),
              [&] { return outcome(::link((root_ + "/shown/file").c_str(), (root_ + "/project/linked").c_str())); }),
        0)
        << abi;
  }
}

TEST_F(LandlockTest, KeepsFilesFromBeingCutShortFromVersion3) {
  for (int abi = 1; abi <= landlock_abi(); ++abi) {
    ASSERT_EQ(::truncate((root_ + "/shown/file").c_str(), 4), 0);
    EXPECT_EQ(under(rules(abi), [&] { return outcome(::truncate((root_ + "/shown/file").c_str(), 0)); }),
              abi >= 3 ? EACCES : 0)
        << abi;
    EXPECT_EQ(under(rules(abi), [&] { return outcome(::truncate((root_ + "/project/a/file").c_str(), 2)); }), 0) << abi;
  }
}

TEST_F(LandlockTest, KeepsDevicesFromBeingControlledFromVersion5) {
  const auto control = [] {
    termios settings{};
    return outcome(::ioctl(::open("/dev/null", O_RDWR | O_CLOEXEC), TCGETS, &settings));
  };
  for (int abi = 1; abi <= landlock_abi(); ++abi) {
    EXPECT_EQ(under(rules(abi), control), ENOTTY) << abi;
    LandlockRules reading = rules(abi);
    reading.paths = {{PathAccess::write, "/dev"}};
    EXPECT_EQ(under(reading, control), abi >= 5 ? EACCES : ENOTTY) << abi;
  }
}

TEST_F(LandlockTest, SignalsOnlyItsOwnFromVersion6) {
  ASSERT_GE(landlock_abi(), 6) << "this test needs Linux 6.12 or later";
  // A process of the same user, outside; it lives until its socket is closed.
  auto [here, there] = *socket_pair(SOCK_STREAM);
  const pid_t outsider = ::fork();
  if (outsider == 0) {
    here.reset();
    become(Who::ordinary_user);
    char byte = 0;
    ::_exit(::write(there.get(), "x", 1) == 1 && ::read(there.get(), &byte, 1) == 0 ? 0 : 1);
  }
  there.reset();
  char ready = 0;
  ASSERT_EQ(::read(here.get(), &ready, 1), 1);
  for (int abi = 1; abi <= landlock_abi(); ++abi) {
    EXPECT_EQ(under(rules(abi),
                    [&] {
                      if (::kill(::getpid(), 0) != 0) return 98;
                      if (try_in_child(Who::caller, [] { return outcome(::kill(::getppid(), 0)); }) != Ended{})
                        return 99;
                      return outcome(::kill(outsider, 0));
                    }),
              abi >= 6 ? EPERM : 0)
        << abi;
  }
  here.reset();
  int status = -1;
  ASSERT_EQ(::waitpid(outsider, &status, 0), outsider);
  EXPECT_EQ(status, 0);
}

TEST_F(LandlockTest, ReachesAbstractSocketsOutsideUnlessTheyAreScoped) {
  ASSERT_GE(landlock_abi(), 6) << "this test needs Linux 6.12 or later";
  sockaddr_un address{AF_UNIX, {}};
  const std::string name = "talaria-landlock-" + std::to_string(random_u64());
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(listener.get(), where, length), 0);
  ASSERT_EQ(::listen(listener.get(), 64), 0);
  for (int abi = 1; abi <= landlock_abi(); ++abi) {
    LandlockRules scoped = rules(abi);
    scoped.scope_abstract_sockets = true;
    const auto connect = [&] { return outcome(::connect(::socket(AF_UNIX, SOCK_STREAM, 0), where, length)); };
    EXPECT_EQ(under(rules(abi), connect), 0) << abi;
    EXPECT_EQ(under(scoped, connect), abi >= 6 ? EPERM : 0) << abi;
  }
}

TEST_F(LandlockTest, TakesDescriptorsAndSingleFiles) {
  const UniqueFd folder = *open_file(root_ + "/hidden", O_PATH);
  LandlockRules by_descriptor;
  by_descriptor.paths = {{PathAccess::read, "", folder.get()}, {PathAccess::write, "../project/a/file", folder.get()}};
  EXPECT_EQ(under(by_descriptor, [&] { return open_outcome(root_ + "/hidden/file", O_RDONLY); }), 0);
  EXPECT_EQ(under(by_descriptor, [&] { return open_outcome(root_ + "/hidden/file", O_WRONLY); }), EACCES);
  EXPECT_EQ(under(by_descriptor, [&] { return open_outcome(root_ + "/project/a/file", O_RDWR | O_TRUNC); }), 0);
  EXPECT_EQ(under(by_descriptor, [&] { return open_outcome(root_ + "/project/a", O_RDONLY); }), EACCES);
}

TEST_F(LandlockTest, NamesThePathOfARuleThatFails) {
  LandlockRules absent;
  absent.paths = {{PathAccess::read, root_ + "/none"}};
  EXPECT_EQ(make_ruleset(absent).error().message(),
            "open " + root_ + "/none for a Landlock rule: No such file or directory");
}

TEST_F(LandlockTest, SaysThatAKernelHasNoLandlock) {
  const Result<UniqueFd> ruleset = make_ruleset(rules(0));
  ASSERT_FALSE(ruleset);
  EXPECT_EQ(ruleset.error().code(), ErrorCode::unavailable);
}

TEST_F(LandlockTest, RestrictsOnlyOnceNewPrivilegesAreRuledOut) {
  const UniqueFd ruleset = *make_ruleset(rules());
  EXPECT_EQ(try_in_child(Who::ordinary_user, [&] { return restrict_self(ruleset.get()); }),
            Ended{may_gain_privileges() ? EPERM : 0});
  EXPECT_EQ(try_in_child(Who::ordinary_user, [&] { return give_up_privileges() ? restrict_self(-1) : 0; }),
            Ended{EBADF});
}

TEST_F(LandlockTest, HoldsForManyChildrenOfOneRuleset) {
  const UniqueFd ruleset = *make_ruleset(rules());
  for (int child = 0; child < 20; ++child) {
    EXPECT_EQ(try_in_child(Who::caller,
                           [&] {
                             if (!give_up_privileges() || restrict_self(ruleset.get()) != 0) return 125;
                             return open_outcome(root_ + "/hidden/file", O_RDONLY);
                           }),
              Ended{EACCES});
  }
}

}  // namespace
}  // namespace talaria
