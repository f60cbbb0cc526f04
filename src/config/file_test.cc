#include "config/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>
#include <thread>

#include "config/edit.h"
#include "config/settings.h"
#include "os/file.h"

namespace talaria {
namespace {

class ConfigFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "configXXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ + "/config.yaml";
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(folder_)); }

  void put(std::string_view text, mode_t mode = 0600) {
    ASSERT_TRUE(write_file_atomically(path_, text, mode, Durable::no));
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
  }
  std::string content() { return *read_file(path_); }
  mode_t mode() {
    struct stat info {};
    ::stat(path_.c_str(), &info);
    return info.st_mode & 07777;
  }
  Result<> set(const std::string& key, const std::string& value) {
    return edit_config_file(path_, [&](std::string_view text) { return set_key(text, key, value); });
  }

  std::string folder_;
  std::string path_;
};

TEST_F(ConfigFileTest, ANewFileIsPrivate) {
  ASSERT_TRUE(set("exec.timeout", "5"));
  EXPECT_EQ(content(), "exec:\n  timeout: 5\n");
  EXPECT_EQ(mode(), 0600u);
}

TEST_F(ConfigFileTest, KeepsTheModeWhateverTheUmask) {
  put("a: 1\n", 0664);
  ASSERT_TRUE(set("a", "2"));
  EXPECT_EQ(content(), "a: 2\n");
  EXPECT_EQ(mode(), 0664u);
}

TEST_F(ConfigFileTest, FollowsALinkAndReplacesItsTarget) {
  const std::string target = folder_ + "/dotfiles.yaml";
  ASSERT_TRUE(write_file_atomically(target, "a: 1\n", 0600, Durable::no));
  ASSERT_EQ(::symlink("dotfiles.yaml", path_.c_str()), 0);
  ASSERT_TRUE(set("a", "2"));
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_EQ(*read_file(target), "a: 2\n");
}

TEST_F(ConfigFileTest, FillsALinkWhoseTargetIsMissing) {
  ASSERT_EQ(::symlink((folder_ + "/later.yaml").c_str(), path_.c_str()), 0);
  ASSERT_TRUE(set("a", "2"));
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_EQ(content(), "a: 2\n");
}

TEST_F(ConfigFileTest, ALoopOfLinksIsAnError) {
  ASSERT_EQ(::symlink("config.yaml", path_.c_str()), 0);
  EXPECT_FALSE(set("a", "2"));
}

TEST_F(ConfigFileTest, AnInvalidFileIsNamedAndLeftAlone) {
  put("a: 1\n\tb: 2\n");
  const Result<> edited = set("a", "2");
  ASSERT_FALSE(edited);
  EXPECT_EQ(edited.error().message(), path_ + ":2:1: a tab is used to indent; YAML allows only spaces there");
  EXPECT_EQ(content(), "a: 1\n\tb: 2\n");
}

TEST_F(ConfigFileTest, AFailedEditLeavesTheFileAlone) {
  put("a: 1\n");
  EXPECT_FALSE(set("exec.timeout", "abc"));
  EXPECT_FALSE(edit_config_file(path_, [](std::string_view) { return Result<std::string>(std::string("a: [")); }));
  EXPECT_EQ(content(), "a: 1\n");
}

TEST_F(ConfigFileTest, AnEditThatChangesNothingDoesNotTouchTheFile) {
  put("a: 1\n");
  struct stat before {};
  struct stat after {};
  ASSERT_EQ(::stat(path_.c_str(), &before), 0);
  ASSERT_TRUE(set("a", "1"));
  ASSERT_EQ(::stat(path_.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(ConfigFileTest, AMissingFolderIsNamed) {
  path_ = folder_ + "/none/config.yaml";
  const Result<> edited = set("a", "1");
  ASSERT_FALSE(edited);
  EXPECT_THAT(edited.error().message(), testing::HasSubstr(folder_ + "/none/config.yaml"));
}

TEST_F(ConfigFileTest, ThreadsDoNotLoseEachOthersEdits) {
  put("# kept\nexec: {host: auto}\n");
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([this, i] { EXPECT_TRUE(set("extra.key" + std::to_string(i), std::to_string(i))); });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = content();
  EXPECT_TRUE(text.starts_with("# kept\n"));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(get_key(text, "extra.key" + std::to_string(i))->value_or("-"), std::to_string(i));
  }
}

TEST_F(ConfigFileTest, ProcessesDoNotLoseEachOthersEdits) {
  std::vector<pid_t> children;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(set("extra.key" + std::to_string(i), "x") ? 0 : 1);
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(get_key(content(), "extra.key" + std::to_string(i))->value_or("-"), "x");
}

}  // namespace
}  // namespace talaria
