#include "os/lock_holder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/file.h"
#include "os/socket.h"

namespace talaria {
namespace {

class LockHolderTest : public testing::Test {
 protected:
  LockHolderTest() {
    char name[] = "/tmp/talaria-lock-XXXXXX";
    root_ = ::mkdtemp(name);
  }
  ~LockHolderTest() override { EXPECT_TRUE(remove_tree(root_)); }
  std::string lock() const { return root_ + "/lock"; }

  std::string root_;
};

TEST_F(LockHolderTest, NobodyHoldsAFileThatIsAbsentOrFree) {
  EXPECT_EQ(*holder_of(lock()), LockHolder());
  { const FileLock taken = *FileLock::try_take(lock()); }
  EXPECT_EQ(*holder_of(lock()), LockHolder());
  EXPECT_TRUE(FileLock::try_take(lock())->held()) << "asking must not leave it locked";
}

TEST_F(LockHolderTest, NamesTheProcessThatHoldsIt) {
  auto [ready, say_ready] = *make_pipe();
  auto [go, say_go] = *make_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    say_go.reset();
    const FileLock taken = *FileLock::try_take(lock());
    taken.sign();
    char byte = 0;
    (void)!::write(say_ready.get(), "x", 1);
    (void)!::read(go.get(), &byte, 1);
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready.get(), &byte, 1), 1);
  EXPECT_EQ(*holder_of(lock()), (LockHolder{true, child}));
  EXPECT_EQ(*read_file(lock()), std::to_string(child) + "\n");
  say_go.reset();
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(*holder_of(lock()), LockHolder());
}

TEST_F(LockHolderTest, ALockKnowsWhetherItsFileIsStillThere) {
  const FileLock taken = *FileLock::try_take(lock());
  EXPECT_TRUE(taken.is_at(lock()));
  ::unlink(lock().c_str());
  EXPECT_FALSE(taken.is_at(lock()));
  ASSERT_TRUE(write_file_atomically(lock(), ""));
  EXPECT_FALSE(taken.is_at(lock()));
}

TEST_F(LockHolderTest, OnlyAProcessOfThatNameIsOurProgram) {
  const Result<std::string> name = read_file("/proc/self/comm");
  ASSERT_TRUE(name);
  EXPECT_TRUE(is_our_program(::getpid(), name->substr(0, name->size() - 1)));
  EXPECT_FALSE(is_our_program(::getpid(), "talaria-gateway"));
  EXPECT_FALSE(is_our_program(0, "talaria-gateway"));
}

}  // namespace
}  // namespace talaria
