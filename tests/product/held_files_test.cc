// Files that make whoever opens them wait: a FIFO where an ignore file is looked for, a file that somebody leased.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class HeldFilesTest : public testing::Test {
 protected:
  HeldFilesTest() {
    put("a.txt", "needle\n");
    put("sub/b.txt", "needle\n");
  }
  std::string path(const std::string& name) { return house_.workspace() + "/" + name; }
  void put(const std::string& name, const std::string& content) {
    ASSERT_TRUE(make_directories(path(name).substr(0, path(name).rfind('/')), 0755));
    ASSERT_TRUE(write_file_atomically(path(name), content, 0644, Durable::no));
  }
  JsonObject search(const std::string& where = ".") {
    return house_.call("search_files", {{"pattern", "needle"}, {"path", where}});
  }
  // Both files are found, and the answer names the one that would have held it.
  void expect_found_past(const std::string& trap) {
    const JsonObject result = search();
    EXPECT_EQ(integer_or(details_of(result), "total_count"), 2) << trap;
    EXPECT_THAT(text_of(result),
                AllOf(HasSubstr("a.txt:1:needle"), HasSubstr("sub/b.txt:1:needle"), HasSubstr(trap + " is a FIFO")));
  }

  House house_;
};

TEST_F(HeldFilesTest, AFifoForAnIgnoreFileDoesNotHoldASearch) {
  for (const char* name : {".ignore", ".rgignore", ".gitignore", "sub/.ignore"}) {
    ASSERT_EQ(::mkfifo(path(name).c_str(), 0644), 0);
    expect_found_past(name);
    ASSERT_EQ(::unlink(path(name).c_str()), 0);
  }
}

TEST_F(HeldFilesTest, NorDoesOneOfARepositoryOrAboveThePathOrBehindALink) {
  ASSERT_TRUE(make_directories(path(".git/info"), 0755));
  ASSERT_EQ(::mkfifo(path(".git/info/exclude").c_str(), 0644), 0);
  expect_found_past(".git/info/exclude");
  ASSERT_TRUE(remove_tree(path(".git")));

  put("sub/.git", "gitdir: " + path("own") + "\n");
  ASSERT_TRUE(make_directories(path("own"), 0755));
  ASSERT_EQ(::mkfifo(path("own/commondir").c_str(), 0644), 0);
  expect_found_past(path("own/commondir"));
  ASSERT_TRUE(remove_tree(path("own")));

  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0644), 0);
  ASSERT_EQ(::symlink("pipe", path(".ignore").c_str()), 0);
  expect_found_past(".ignore");
  EXPECT_THAT(text_of(search("sub")), AllOf(HasSubstr("sub/b.txt:1:needle"), HasSubstr(".ignore is a FIFO")));
}

TEST_F(HeldFilesTest, AFifoIsNotSearchedItself) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0644), 0);
  const JsonObject result = search("pipe");
  EXPECT_TRUE(boolean_or(result, "isError"));
  EXPECT_EQ(text_of(result), "search in pipe: it is a FIFO, neither a file nor a directory");
}

TEST_F(HeldFilesTest, NoCommandInTheSandboxLeasesAFile) {
  const JsonObject result = house_.exec(
      "python3 -c '\nimport fcntl\n"
      "for kind in (fcntl.F_WRLCK, fcntl.F_RDLCK):\n"
      "  try: fcntl.fcntl(open(\"a.txt\"), fcntl.F_SETLEASE, kind); print(\"leased\")\n"
      "  except OSError as error: print(error.strerror)'");
  EXPECT_EQ(text_of(result), "Invalid argument\nInvalid argument\n");
}

// A program of the owner's may lease a file, as file servers do. Whoever would have to wait is told so.
TEST_F(HeldFilesTest, AFileThatIsLeasedOutsideIsNotWaitedFor) {
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGIO, &ignored, &before), 0);
  UniqueFd leased(::open(path("a.txt").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::fcntl(leased.get(), F_SETLEASE, F_WRLCK), 0);
  const std::string why = "another process holds it by a lease; try again";
  EXPECT_THAT(text_of(house_.call("read_file", {{"path", "a.txt"}})), HasSubstr(why));
  EXPECT_THAT(text_of(house_.call("patch", {{"path", "a.txt"}, {"old_string", "needle"}, {"new_string", "x"}})),
              HasSubstr(why));
  leased.reset();
  EXPECT_EQ(text_of(house_.call("read_file", {{"path", "a.txt"}})), "1|needle");
  ASSERT_EQ(::sigaction(SIGIO, &before, nullptr), 0);
}

}  // namespace
}  // namespace talaria
