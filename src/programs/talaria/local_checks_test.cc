#include "talaria/local_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "os/file.h"

namespace talaria {
namespace {

using testing::HasSubstr;

// As somebody whom modes concern: root may write everywhere.
JsonObject home_check(const std::string& home) {
  const bool root = ::geteuid() == 0;
  ::setenv("TALARIA_HOME", home.c_str(), 1);
  EXPECT_EQ(root ? ::seteuid(65534) : 0, 0);
  const JsonArray checks = local_checks();
  EXPECT_EQ(root ? ::seteuid(0) : 0, 0);
  for (const Json& item : checks) {
    if (text_or(item.as_object(), "name") == "home") return item.as_object();
  }
  return {};
}

class LocalChecksTest : public testing::Test {
 protected:
  LocalChecksTest() {
    char name[] = "/tmp/talaria-checks-XXXXXX";
    root_ = ::mkdtemp(name);
    home_ = root_ + "/home";
    EXPECT_TRUE(make_directories(home_));
    for (const std::string& path : {root_, home_}) {
      EXPECT_EQ(::geteuid() == 0 ? ::chown(path.c_str(), 65534, 65534) : 0, 0);
    }
  }
  ~LocalChecksTest() override {
    ::chmod(root_.c_str(), 0700);
    ::chmod(home_.c_str(), 0700);
    EXPECT_TRUE(remove_tree(root_));
  }
  std::string root_, home_;
};

TEST_F(LocalChecksTest, AHomeThatCannotBeWrittenIsAnErrorWithTheFix) {
  ::chmod(home_.c_str(), 0700);
  EXPECT_EQ(text_or(home_check(home_), "state"), "ok");
  ::chmod(home_.c_str(), 0500);
  const JsonObject check = home_check(home_);
  EXPECT_EQ(text_or(check, "state"), "error");
  EXPECT_THAT(text_or(check, "detail"), HasSubstr("cannot be written"));
  EXPECT_THAT(text_or(check, "fix"), HasSubstr("chmod u+rwx " + home_));
}

TEST_F(LocalChecksTest, AHomeThatCannotBeMadeIsAnError) {
  EXPECT_EQ(text_or(home_check(home_ + "/deep/er"), "state"), "ok");
  ::chmod(home_.c_str(), 0500);
  EXPECT_EQ(text_or(home_check(home_ + "/deep/er"), "state"), "error");
}

TEST_F(LocalChecksTest, AHomeThatIsAFileIsAnError) {
  ASSERT_TRUE(write_file_atomically(home_ + "/file", ""));
  EXPECT_THAT(text_or(home_check(home_ + "/file"), "detail"), HasSubstr("is not a directory"));
}

}  // namespace
}  // namespace talaria
