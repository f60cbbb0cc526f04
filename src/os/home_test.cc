#include "os/home.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdlib>

#include "os/file.h"
#include "os/random.h"

namespace talaria {
namespace {

class HomeTest : public testing::Test {
 protected:
  void TearDown() override {
    (void)remove_tree(root_);
    for (const char* name : {"TALARIA_HOME", "XDG_RUNTIME_DIR"}) ::unsetenv(name);
  }
  std::string root_ = testing::TempDir() + "home-" + std::to_string(random_u64());
};

TEST_F(HomeTest, IsInTheUsersHomeUnlessSaidOtherwise) {
  ::setenv("HOME", "/some/where", 1);
  ::unsetenv("TALARIA_HOME");
  ::unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(Home::find()->root, "/some/where/.talaria");
  EXPECT_EQ(Home::find()->runtime, "/some/where/.talaria/run");
  ::setenv("TALARIA_HOME", "/else/where/", 1);
  EXPECT_EQ(Home::find()->root, "/else/where");
}

TEST_F(HomeTest, KeepsItsSocketsWhereALogoutDoesNotRemoveThem) {
  ::setenv("XDG_RUNTIME_DIR", testing::TempDir().c_str(), 1);
  ::setenv("TALARIA_HOME", "/a", 1);
  EXPECT_EQ(Home::find()->runtime, "/a/run");
}

TEST_F(HomeTest, PutsTheSocketsOfALongHomeIntoTheRuntimeDirectory) {
  const std::string path = "/" + std::string(100, 'x');
  ::setenv("XDG_RUNTIME_DIR", "/run/user/1", 1);
  ::setenv("TALARIA_HOME", path.c_str(), 1);
  const std::string runtime = Home::find()->runtime;
  EXPECT_TRUE(runtime.starts_with("/run/user/1/talaria/")) << runtime;
  ::setenv("TALARIA_HOME", (path + "y").c_str(), 1);
  EXPECT_NE(Home::find()->runtime, runtime);
}

TEST_F(HomeTest, MakesItsFoldersPrivate) {
  ASSERT_TRUE(make_directories(root_, 0755));
  const Home home{root_, root_ + "/run"};
  ASSERT_TRUE(home.prepare());
  for (const std::string& folder : {home.root, home.runtime, home.jobs(), home.logs(), home.cache()}) {
    struct stat info {};
    ASSERT_EQ(::stat(folder.c_str(), &info), 0) << folder;
    EXPECT_EQ(info.st_mode & 077, 0u) << folder;
  }
}

TEST_F(HomeTest, RefusesTheHomeOfAnotherUser) {
  // Whoever runs this, one of these is someone else's.
  const Home home = ::geteuid() == 0 ? Home{root_, root_ + "/run"} : Home{"/usr", "/usr/run"};
  if (::geteuid() == 0) {
    ASSERT_TRUE(make_directories(root_));
    ASSERT_EQ(::chown(root_.c_str(), 65534, 65534), 0);
  }
  const Result<> prepared = home.prepare();
  ASSERT_FALSE(prepared);
  EXPECT_NE(prepared.error().message().find("belongs to"), std::string::npos) << prepared.error().message();
}

TEST_F(HomeTest, SaysWhatToDoAboutAHomeThatCannotBeWritten) {
  ASSERT_TRUE(make_directories(root_, 0755));
  ASSERT_EQ(::chmod(root_.c_str(), 0555), 0);
  const pid_t child = ::fork();
  if (child == 0) {  // as someone whom file modes hold for
    const bool ordinary = ::geteuid() != 0 || ::setuid(65534) == 0;
    const std::string home = root_ + "/home";
    const Result<> prepared = Home{home, home + "/run"}.prepare();
    const std::string advice =
        ". Talaria writes into its home " + home + ": make it writable, or set TALARIA_HOME to a directory that is";
    ::_exit(ordinary && !prepared && prepared.error().message().ends_with(advice) ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace talaria
