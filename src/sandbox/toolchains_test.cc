#include "sandbox/toolchains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "os/file.h"
#include "os/random.h"

namespace talaria {
namespace {

class ToolchainsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(make_directories(home_)); }
  void TearDown() override { ASSERT_TRUE(remove_tree(root_)); }

  std::string folder(const std::string& name) {
    EXPECT_TRUE(make_directories(home_ + "/" + name));
    return home_ + "/" + name;
  }
  Toolchains find(std::map<std::string, std::string> environment) const {
    return find_toolchains(environment, {home_}, {home_});
  }
  std::map<std::string, std::string> shown(const std::vector<std::string>& names) const {
    std::map<std::string, std::string> paths;
    for (const std::string& name : names) paths[home_ + "/" + name] = home_ + "/" + name;
    return paths;
  }

  std::string root_ = testing::TempDir() + "tools-" + std::to_string(random_u64());
  std::string home_ = root_ + "/home";
};

TEST_F(ToolchainsTest, ShowsWhatAKnownToolNeeds) {
  const std::string path = folder(".pyenv/shims") + ":" + folder(".cargo/bin") + ":" + folder(".local/bin");
  folder(".cargo/registry");
  folder(".rustup/toolchains");
  folder(".local/share/keyrings");
  EXPECT_EQ(find({{"PATH", path}}).shown, shown({".cargo/bin", ".cargo/registry", ".local/bin", ".pyenv", ".rustup"}));
}

TEST_F(ToolchainsTest, ShowsOnlyTheDirectoryOnPathOfAnUnknownTool) {
  folder("tools/secrets");
  EXPECT_EQ(find({{"PATH", folder("tools/bin") + ":/usr/bin:relative:"}}).shown, shown({"tools/bin"}));
}

TEST_F(ToolchainsTest, ShowsActiveEnvironments) {
  EXPECT_EQ(find({{"VIRTUAL_ENV", folder("envs/x")}, {"CONDA_PREFIX", folder("conda/y")}}).shown,
            shown({"envs/x", "conda/y"}));
}

TEST_F(ToolchainsTest, NeverShowsAHomeOrAPlaceOfSecrets) {
  const std::string path = home_ + ":" + root_ + ":" + folder(".ssh") + ":" + folder(".aws/bin") + ":" +
                           folder(".config") + ":" + home_ + "/missing";
  EXPECT_EQ(find({{"PATH", path}, {"VIRTUAL_ENV", home_}}).shown, shown({}));
}

TEST_F(ToolchainsTest, CoversCredentialsInsideWhatItShows) {
  ASSERT_TRUE(write_file_atomically(folder(".nvm") + "/.npmrc", "token"));
  EXPECT_EQ(find({{"PATH", folder(".nvm/versions/node/v20/bin")}}),
            (Toolchains{shown({".nvm"}), {home_ + "/.nvm/.npmrc"}}));
}

TEST_F(ToolchainsTest, FollowsALinkToWhereTheToolIs) {
  folder("opt/tool/bin");
  ASSERT_EQ(::symlink("opt/tool", (home_ + "/current").c_str()), 0);
  EXPECT_EQ(find({{"PATH", home_ + "/current/bin"}}).shown,
            (std::map<std::string, std::string>{{home_ + "/current/bin", home_ + "/opt/tool/bin"},
                                                {home_ + "/opt/tool/bin", home_ + "/opt/tool/bin"}}));
  ASSERT_EQ(::symlink(".ssh", (home_ + "/innocent").c_str()), 0);
  folder(".ssh");
  EXPECT_EQ(find({{"PATH", home_ + "/innocent"}}).shown, shown({}));
}

}  // namespace
}  // namespace talaria
