#include "config/dotenv.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "os/file.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Variables = std::map<std::string, std::string>;

class DotenvTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "dotenvXXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ + "/.env";
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(folder_)); }

  void put(std::string_view text, mode_t mode = 0600) {
    ASSERT_TRUE(write_file_atomically(path_, text, 0600, Durable::no));
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
  }
  std::string content() { return *read_file(path_); }
  mode_t mode_of(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0);
    return info.st_mode & 07777;
  }
  std::string refusal() {
    const Result<> set = set_dotenv(path_, "A", "hush-hush");
    EXPECT_FALSE(set);
    std::string message = set ? "" : set.error().message();
    EXPECT_THAT(message, Not(HasSubstr("hush")));
    return message;
  }

  std::string folder_;
  std::string path_;
};

TEST_F(DotenvTest, RefusesToReadAFileThatOthersCanRead) {
  put("A=1\n");
  EXPECT_EQ(read_dotenv(path_)->at("A"), "1");
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  ASSERT_FALSE(read_dotenv(path_));
  EXPECT_EQ(read_dotenv(path_).error().code(), ErrorCode::denied);
  ASSERT_TRUE(remove_tree(path_));
  EXPECT_TRUE(read_dotenv(path_)->empty());
}

TEST_F(DotenvTest, ANewFileIsPrivateWhateverTheUmask) {
  const mode_t before = ::umask(0);
  const Result<> set = set_dotenv(path_, "A", "1");
  ::umask(before);
  ASSERT_TRUE(set) << set.error().message();
  EXPECT_EQ(content(), "A=1\n");
  EXPECT_EQ(mode_of(path_), 0600u);
}

TEST_F(DotenvTest, SetsChangesAndRemoves) {
  put("# keys\nA=1\n", 0400);
  ASSERT_TRUE(set_dotenv(path_, "B", "two words"));
  ASSERT_TRUE(set_dotenv(path_, "A", "3"));
  EXPECT_EQ(content(), "# keys\nA=3\nB='two words'\n");
  EXPECT_EQ(mode_of(path_), 0600u);
  EXPECT_THAT(*unset_dotenv(path_, {"B", "C", "B"}), ElementsAre("B"));
  EXPECT_EQ(content(), "# keys\nA=3\n");
  EXPECT_THAT(list_directory(folder_).operator*(), ElementsAre(".env", ".env.lock"));
}

TEST_F(DotenvTest, SetsSeveralAtOnceAndKeepsWhatIsThere) {
  put("A=1\nEMPTY=\n");
  ASSERT_TRUE(set_dotenv(path_, Variables{{"A", "2"}, {"B", "3"}, {"EMPTY", "4"}}, Existing::keep));
  EXPECT_EQ(content(), "A=1\nEMPTY=4\nB=3\n");
  ASSERT_TRUE(set_dotenv(path_, Variables{{"A", "2"}}, Existing::overwrite));
  EXPECT_EQ(content(), "A=2\nEMPTY=4\nB=3\n");
  EXPECT_FALSE(set_dotenv(path_, Variables{{"C", "5"}, {"no name", "6"}}, Existing::keep));
  EXPECT_EQ(content(), "A=2\nEMPTY=4\nB=3\n");
}

TEST_F(DotenvTest, WhatIsNotChangedIsNotTouched) {
  put("A=1\n");
  struct stat before {
  }, after{};
  ASSERT_EQ(::stat(path_.c_str(), &before), 0);
  ASSERT_TRUE(set_dotenv(path_, "A", "1"));
  EXPECT_TRUE(unset_dotenv(path_, {"B"})->empty());
  ASSERT_EQ(::stat(path_.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(DotenvTest, ALinkStaysALink) {
  const std::string target = folder_ + "/elsewhere";
  ASSERT_EQ(::symlink("elsewhere", path_.c_str()), 0);
  ASSERT_TRUE(set_dotenv(path_, "A", "1"));
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_EQ(*read_file(target), "A=1\n");
  EXPECT_EQ(mode_of(target), 0600u);
  ASSERT_EQ(::chmod(target.c_str(), 0640), 0);
  EXPECT_THAT(refusal(), HasSubstr("chmod 600 " + target));
}

TEST_F(DotenvTest, RefusesWhatIsNotAPrivateFileOfOurs) {
  put("A=1\n", 0604);
  EXPECT_THAT(refusal(), HasSubstr("can be read by others; run: chmod 600 " + path_));
  EXPECT_EQ(content(), "A=1\n");
  ASSERT_TRUE(remove_tree(path_));
  ASSERT_EQ(::mkdir(path_.c_str(), 0700), 0);
  EXPECT_THAT(refusal(), HasSubstr("is a directory"));
  ASSERT_EQ(::rmdir(path_.c_str()), 0);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("is not a file"));
  ASSERT_TRUE(remove_tree(path_));
  ASSERT_EQ(::symlink(".env", path_.c_str()), 0);
  EXPECT_THAT(refusal(), HasSubstr("Too many levels of symbolic links"));
  path_ = folder_ + "/none/.env";
  EXPECT_THAT(refusal(), HasSubstr(folder_ + "/none/"));
}

TEST_F(DotenvTest, SaysBeforehandWhetherItCouldBeChanged) {
  EXPECT_TRUE(check_dotenv(path_));
  put("A=1\n");
  EXPECT_TRUE(check_dotenv(path_));
  put("A=1\n", 0644);
  EXPECT_EQ(check_dotenv(path_).error().message(), refusal());
  EXPECT_FALSE(check_dotenv(folder_ + "/none/.env"));
}

TEST_F(DotenvTest, RefusesAnotherUsersFile) {
  put("A=1\n");
  // As root it can be given away; as an ordinary user, one of the system's is another's.
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(path_.c_str(), 12345, 12345), 0);
  } else {
    ASSERT_TRUE(remove_tree(path_));
    ASSERT_EQ(::symlink("/etc/passwd", path_.c_str()), 0);
  }
  EXPECT_THAT(refusal(), AllOf(HasSubstr(" belongs to "), HasSubstr("run as its owner")));
}

TEST_F(DotenvTest, AFileThatWouldBecomeTooLargeStaysAsItIs) {
  const std::string large = "# " + std::string((1 << 20) - 10, 'x') + "\n";
  put(large);
  EXPECT_THAT(refusal(), HasSubstr("would become larger than 1 MiB"));
  EXPECT_EQ(content(), large);
  put(large + large);
  EXPECT_THAT(refusal(), HasSubstr("larger than"));
}

TEST_F(DotenvTest, ProcessesDoNotLoseEachOthersVariables) {
  put("# first\n");
  std::vector<pid_t> children;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(set_dotenv(path_, "KEY" + std::to_string(i), "value " + std::to_string(i)) ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  Variables wanted;
  for (int i = 0; i < 20; ++i) wanted["KEY" + std::to_string(i)] = "value " + std::to_string(i);
  EXPECT_EQ(*read_dotenv(path_), wanted);
  EXPECT_TRUE(content().starts_with("# first\n"));
}

}  // namespace
}  // namespace talaria
