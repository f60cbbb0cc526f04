#include "api/live_settings.h"

#include <gtest/gtest.h>

#include "os/file.h"

namespace talaria {
namespace {

class LiveSettingsTest : public testing::Test {
 protected:
  LiveSettingsTest() : folder_(testing::TempDir() + "live_settings." + std::to_string(::getpid())) {
    EXPECT_TRUE(make_directories(folder_));
  }
  ~LiveSettingsTest() override { (void)remove_tree(folder_); }

  void write(const std::string& text) { EXPECT_TRUE(write_file_atomically(path(), text)); }
  std::string path() const { return folder_ + "/config.yaml"; }

  std::string folder_;
};

TEST_F(LiveSettingsTest, AMissingFileMeansTheDefaults) {
  LiveSettings settings(path());
  ASSERT_TRUE(settings.current());
  EXPECT_EQ(**settings.current(), Settings());
}

TEST_F(LiveSettingsTest, SeesAChangeAtTheNextLook) {
  LiveSettings settings(path());
  write("exec:\n  timeout: 7\n");
  EXPECT_EQ((*settings.current())->exec.timeout, 7);
  write("exec:\n  timeout: 8\n");
  EXPECT_EQ((*settings.current())->exec.timeout, 8);
  ASSERT_TRUE(remove_tree(path()));
  EXPECT_EQ((*settings.current())->exec.timeout, Settings().exec.timeout);
}

TEST_F(LiveSettingsTest, ABrokenFileIsAnErrorWithItsPlaceUntilItIsMended) {
  write("exec:\n  timeout: 7\n");
  LiveSettings settings(path());
  write("exec:\n  timeout: soon\n");
  Result<std::shared_ptr<const Settings>> broken = settings.current();
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message().find("config.yaml:2:12"), std::string::npos) << broken.error().message();
  EXPECT_EQ(settings.last_good().exec.timeout, 7);
  write("exec:\n  timeout: 9\n");
  EXPECT_EQ((*settings.current())->exec.timeout, 9);
}

}  // namespace
}  // namespace talaria
