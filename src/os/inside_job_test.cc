#include "os/inside_job.h"

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "os/file.h"
#include "os/socket.h"

namespace talaria {
namespace {

// A shell that runs until its stdin closes, with a child that does too.
class Child {
 public:
  explicit Child(std::vector<const char*> environment) {
    auto pipe = make_pipe();
    input_ = std::move(pipe->second);
    auto ready = make_pipe();
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, pipe->first.get(), 0);
    posix_spawn_file_actions_adddup2(&files, ready->second.get(), 1);
    environment.push_back(nullptr);
    // The inner shell's environment is empty: only its parent's tells where it runs.
    const char* arguments[] = {"sh", "-c", "env -i sh -c 'echo $$; read x'; exit 0", nullptr};
    EXPECT_EQ(::posix_spawn(&pid_, "/bin/sh", &files, nullptr, const_cast<char**>(arguments),
                            const_cast<char**>(environment.data())),
              0);
    posix_spawn_file_actions_destroy(&files);
    ready->second.reset();
    char text[32] = {};
    EXPECT_GT(::read(ready->first.get(), text, sizeof text - 1), 0);
    inner_ = std::stoi(text);
  }
  ~Child() {
    input_.reset();
    ::waitpid(pid_, nullptr, 0);
  }

  pid_t inner() const { return inner_; }

 private:
  UniqueFd input_;
  pid_t pid_ = 0;
  pid_t inner_ = 0;
};

TEST(InsideJobTest, SeesAJobAboveAProcessThatHidIt) {
  const Child child({"TALARIA_JOB=abcdefgh", "PATH=/usr/bin:/bin"});
  EXPECT_TRUE(runs_inside_job(child.inner(), 0));
}

TEST(InsideJobTest, LeavesOtherProcessesAlone) {
  const Child child({"PATH=/usr/bin:/bin"});
  EXPECT_FALSE(runs_inside_job(child.inner(), 0));
}

TEST(InsideJobTest, CountsWhatIsBelowTheKeeper) {
  const Child child({"PATH=/usr/bin:/bin"});
  EXPECT_TRUE(runs_inside_job(child.inner(), ::getpid()));
}

TEST(InsideJobTest, KnowsAKeeperByItsName) {
  const std::string before = *read_file("/proc/self/comm");
  ASSERT_EQ(::prctl(PR_SET_NAME, "talaria-keeper"), 0);
  const Child child({"PATH=/usr/bin:/bin"});
  EXPECT_TRUE(runs_inside_job(child.inner()));
  ASSERT_EQ(::prctl(PR_SET_NAME, before.substr(0, before.size() - 1).c_str()), 0);
  EXPECT_FALSE(runs_inside_job(child.inner()));
}

TEST(InsideJobTest, DoesNotTrustAProcessThatIsGone) { EXPECT_TRUE(runs_inside_job(1 << 22, 0)); }

}  // namespace
}  // namespace talaria
