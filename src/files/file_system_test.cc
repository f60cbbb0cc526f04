#include "files/file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "files/files_trial.h"
#include "files/patch_file.h"
#include "files/sandbox_files.h"
#include "sandbox/file_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(FileSystemTest, FindsWhereAPathWillLead) {
  FilesTrial trial;
  trial.put("real/f", "");
  ASSERT_EQ(::symlink("real", trial.path("link").c_str()), 0);
  ASSERT_EQ(::symlink("link/new/deep", trial.path("dangling").c_str()), 0);
  EXPECT_EQ(*trial.files.real_path(trial.path("link/f")), trial.path("real/f"));
  EXPECT_EQ(*trial.files.real_path(trial.path("link/a/b")), trial.path("real/a/b"));
  EXPECT_EQ(*trial.files.real_path(trial.path("dangling/x")), trial.path("real/new/deep/x"));
  EXPECT_EQ(*trial.files.real_path("/nowhere at all"), "/nowhere at all");
  EXPECT_EQ(*trial.files.real_path("/"), "/");
  EXPECT_EQ(trial.files.real_path(trial.path("real/f/x")).error().number(), ENOTDIR);
  EXPECT_EQ(trial.files.real_path("relative").error().code(), ErrorCode::invalid_argument);
}

TEST(FileSystemTest, MakesFoldersAndNamesThose) {
  FilesTrial trial;
  trial.put("d/f", "");
  EXPECT_THAT(*trial.files.make_directories(trial.path("d/x/y")), ElementsAre(trial.path("d/x"), trial.path("d/x/y")));
  EXPECT_THAT(*trial.files.make_directories(trial.path("d/x/y")), ElementsAre());
  EXPECT_FALSE(trial.files.make_directories(trial.path("d/f/y")));
}

TEST(PathLocksTest, HoldAllOrWaitNoLongerThanAsked) {
  PathLocks locks;
  {
    const auto hold = locks.hold({"/a", "/b", "/a"});
    ASSERT_TRUE(hold);
    EXPECT_TRUE(locks.hold({"/c"}, 0ms));
    EXPECT_EQ(locks.hold({"/c", "/b"}, 1ms).error().code(), ErrorCode::timed_out);
    EXPECT_TRUE(locks.hold({"/c"}, 0ms));
  }
  EXPECT_TRUE(locks.hold({"/c", "/b"}, 0ms));
}

TEST(PathLocksTest, LetsTheNextOneIn) {
  PathLocks locks;
  int number = 0;  // guarded by the lock alone
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 200; ++j) {
        const auto hold = locks.hold({"/f", "/" + std::to_string(i)});
        if (hold) ++number;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(number, 1600);
}

TEST(VersionBookTest, ForgetsTheOldest) {
  VersionBook book;
  for (size_t i = 0; i <= VersionBook::most_files; ++i) book.saw("/" + std::to_string(i), {}, "");
  size_t kept = 0;
  for (size_t i = 0; i <= VersionBook::most_files; ++i) kept += book.find("/" + std::to_string(i)) ? 1 : 0;
  EXPECT_EQ(kept, VersionBook::most_files);
  book.forget("/5");
  EXPECT_FALSE(book.find("/5"));
}

// The same tools on a session's files, through its file server.
SPACE_TEST(SandboxFilesTest, ReadsWritesAndPatchesInTheSandbox) {
  FileTrial space;
  FileClient client = space.files();
  SandboxFiles files(client);
  FileGate gate = open_gate();
  VersionBook book;
  PathLocks locks;
  const std::string path = space.workspace + "/d/f.txt";
  EXPECT_EQ(error_of(write_file(files, gate, book, locks, {path, "f", "one\ntwo\n"})), "");
  EXPECT_EQ(text_or(talaria::read_file(files, gate, book, {.path = path, .shown_path = "f"}), "content"),
            "1|one\n2|two");
  EXPECT_EQ(error_of(patch_file({files, gate, book, locks}, {path, "f", {"two", "2", false}})), "");
  EXPECT_EQ(space.run("cat " + path + "; stat -c %a " + path).output, "one\n2\n644\n");
  EXPECT_EQ(space.run("chmod 750 " + path + "; printf 'a\\r\\n' > " + path).status, 0);
  EXPECT_TRUE(boolean_or(write_file(files, gate, book, locks, {path, "f", "x\n"}), "stale"));
  EXPECT_EQ(error_of(write_file(files, gate, book, locks, {path, "f", "x\n", Overwrite::always})), "");
  EXPECT_EQ(space.run("od -c " + path + " | head -1; stat -c %a " + path).output, "0000000   x  \\r  \\n\n750\n");
  EXPECT_THAT(error_of(write_file(files, gate, book, locks, {"/outside", "o", "x"})), HasSubstr("write o: "));
  EXPECT_THAT(error_of(talaria::read_file(files, gate, book, {.path = "/proc/self/status", .shown_path = "e"})),
              HasSubstr("it belongs to a process"));
  EXPECT_EQ(space.run("ls -A " + space.workspace + "/d").output, "f.txt\n");
}

}  // namespace
}  // namespace talaria
