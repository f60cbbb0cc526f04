#include "process/job_name.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace talaria {
namespace {

TEST(JobNameTest, IsTheProgramAndItsFirstWord) {
  EXPECT_EQ(job_name("npm run dev"), "npm run");
  EXPECT_EQ(job_name("  python3 -u /srv/app.py --port 80"), "python3 /srv/app.py");
  EXPECT_EQ(job_name("/usr/bin/make -j4 all"), "make all");
  EXPECT_EQ(job_name("ls -la"), "ls");
  EXPECT_EQ(job_name("cd app && NODE_ENV=test sudo node server.js"), "node server.js");
  EXPECT_EQ(job_name("cd app"), "cd app");
}

TEST(JobNameTest, CopesWithWhatItCannotSplit) {
  EXPECT_EQ(job_name("echo $(date)"), "echo $(date)");
  EXPECT_EQ(job_name("(sleep 5; echo x)"), "(sleep 5;");
  EXPECT_EQ(job_name(""), "command");
  EXPECT_EQ(job_name("A=1"), "A=1");
}

TEST(JobNameTest, IsOneShortLine) {
  EXPECT_EQ(job_name("echo 'a\nb\tc\x1b[31md'"), "echo a b cd");
  const std::string name = job_name("cat /a/very/long/path/" + std::string(100, 'x') + "/file.txt");
  EXPECT_EQ(count_characters(name), 48u);
  EXPECT_EQ(name, "cat /a/very/long/path/xx…xxxxxxxxxxxxxx/file.txt");
  EXPECT_TRUE(is_utf8(job_name("echo \xFF\xE2\x82")));
  EXPECT_LE(count_characters(job_name(std::string(1'000'000, 'x'))), 48u);
}

}  // namespace
}  // namespace talaria
