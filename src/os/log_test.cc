#include "os/log.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include "os/file.h"

namespace talaria {
namespace {

class LogTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/talaria-log-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern), nullptr);
    folder_ = pattern;
    path_ = folder_ + "/a.log";
  }
  void TearDown() override { EXPECT_TRUE(remove_tree(folder_)); }

  std::string folder_;
  std::string path_;
};

TEST_F(LogTest, WritesOneLineAnEventWithItsTime) {
  Result<Log> log = Log::open(path_);
  ASSERT_TRUE(log);
  log->warning("two\nlines");
  EXPECT_THAT(*read_file(path_), testing::MatchesRegex("[0-9-]+T[0-9:]+\\.[0-9][0-9][0-9]Z warning two lines\n"));
}

TEST_F(LogTest, MovesAFullFileAside) {
  ASSERT_TRUE(write_file_atomically(path_, std::string(5 << 20, 'x')));
  Result<Log> log = Log::open(path_);
  ASSERT_TRUE(log);
  log->info("fresh");
  EXPECT_EQ(read_file(path_ + ".1")->size(), size_t{5 << 20});
  EXPECT_THAT(*read_file(path_), testing::EndsWith("info fresh\n"));
}

}  // namespace
}  // namespace talaria
