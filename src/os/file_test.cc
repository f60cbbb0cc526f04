#include "os/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "os/random.h"

namespace talaria {
namespace {

class FileTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(make_directories(root_)); }
  void TearDown() override { ASSERT_TRUE(remove_tree(root_)); }
  std::string root_ = testing::TempDir() + "file-" + std::to_string(random_u64());
};

TEST_F(FileTest, WritesAWholeFileAndReadsItBack) {
  ASSERT_TRUE(write_file_atomically(root_ + "/a", "one"));
  ASSERT_TRUE(write_file_atomically(root_ + "/a", "two", 0640));
  EXPECT_EQ(*read_file(root_ + "/a"), "two");
  EXPECT_EQ(*list_directory(root_), std::vector<std::string>{"a"});  // no temporary file is left
}

TEST_F(FileTest, NamesThePathInItsErrors) {
  EXPECT_EQ(read_file(root_ + "/none").error().message(), "open " + root_ + "/none: No such file or directory");
  EXPECT_EQ(read_file(root_ + "/none").error().code(), ErrorCode::not_found);
  EXPECT_FALSE(write_file_atomically(root_ + "/none/a", "x"));
}

TEST_F(FileTest, RefusesToReadMoreThanAsked) {
  ASSERT_TRUE(write_file_atomically(root_ + "/a", std::string(100, 'x')));
  EXPECT_FALSE(read_file(root_ + "/a", 99));
  EXPECT_TRUE(read_file(root_ + "/a", 100));
}

TEST_F(FileTest, MakesAllMissingParents) {
  ASSERT_TRUE(make_directories(root_ + "/a/b/c"));
  ASSERT_TRUE(make_directories(root_ + "/a/b/c"));
  ASSERT_TRUE(write_file_atomically(root_ + "/a/f", ""));
  EXPECT_FALSE(make_directories(root_ + "/a/f/g"));
  EXPECT_FALSE(make_directories(root_ + "/a/f"));
}

TEST_F(FileTest, RemovesATreeWithoutFollowingItsLinks) {
  ASSERT_TRUE(make_directories(root_ + "/keep"));
  ASSERT_TRUE(write_file_atomically(root_ + "/keep/file", "x"));
  ASSERT_TRUE(make_directories(root_ + "/gone/deep"));
  ASSERT_EQ(::symlink((root_ + "/keep").c_str(), (root_ + "/gone/link").c_str()), 0);
  ASSERT_TRUE(remove_tree(root_ + "/gone"));
  EXPECT_TRUE(exists(root_ + "/keep/file"));
  EXPECT_FALSE(exists(root_ + "/gone"));
  EXPECT_TRUE(remove_tree(root_ + "/never was"));
}

TEST_F(FileTest, LocksOutAnotherProcess) {
  FileLock lock = *FileLock::try_take(root_ + "/lock");
  ASSERT_TRUE(lock.held());
  const auto other_gets_it = [&] {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(FileLock::try_take(root_ + "/lock")->held() ? 0 : 1);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status) == 0;
  };
  EXPECT_FALSE(other_gets_it());
  lock = FileLock();
  EXPECT_TRUE(other_gets_it());
}

}  // namespace
}  // namespace talaria
