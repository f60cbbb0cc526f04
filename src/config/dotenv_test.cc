#include "config/dotenv.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "os/file.h"

namespace talaria {
namespace {

TEST(DotenvTest, ReadsNamesAndValues) {
  EXPECT_EQ(parse_dotenv("A=1\nexport B = two words # note\n# C=3\n\nD='it''s $x'\nE=\"a\\n\\\"b\\\"\" # n\nF=a#b\nG=\n"
                         "1X=no\nno line\r\nH=crlf\r\nI=\"open\nA=2"),
            (std::map<std::string, std::string>{{"A", "2"},
                                                {"B", "two words"},
                                                {"D", "it"},
                                                {"E", "a\n\"b\""},
                                                {"F", "a#b"},
                                                {"G", ""},
                                                {"H", "crlf"},
                                                {"I", "\"open"}}));
}

TEST(DotenvTest, RefusesAFileThatOthersCanRead) {
  const std::string path = testing::TempDir() + "dotenv-test";
  ASSERT_TRUE(write_file_atomically(path, "A=1\n", 0600, Durable::no));
  EXPECT_EQ(read_dotenv(path)->at("A"), "1");
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  ASSERT_FALSE(read_dotenv(path));
  EXPECT_EQ(read_dotenv(path).error().code(), ErrorCode::denied);
  ASSERT_TRUE(remove_tree(path));
  EXPECT_TRUE(read_dotenv(path)->empty());
}

}  // namespace
}  // namespace talaria
