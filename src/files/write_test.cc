#include "files/write.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "files/failure.h"
#include "files/files_trial.h"
#include "files/sha256.h"
#include "sandbox/trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;

JsonObject written(const std::string& path, const std::string& bytes, bool created) {
  return {{"path", path}, {"bytes_written", bytes.size()}, {"created", created}, {"sha256", sha256(bytes)}};
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  CHECK(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

TEST(WriteFileTest, MakesAFileWithItsFolders) {
  FilesTrial trial;
  EXPECT_EQ(trial.write("a/b/c.txt", "hello\n"), written("a/b/c.txt", "hello\n", true));
  EXPECT_EQ(trial.content("a/b/c.txt"), "hello\n");
  EXPECT_EQ(trial.write("a/b/c.txt", ""), written("a/b/c.txt", "", false));
  EXPECT_EQ(trial.content("a/b/c.txt"), "");
  EXPECT_THAT(*list_directory(trial.path("a/b")), ElementsAre("c.txt"));
}

TEST(WriteFileTest, KeepsTheMode) {
  FilesTrial trial;
  for (const mode_t mode : {0755, 0600, 0666, 0640}) {
    trial.put("f", "old", mode);
    EXPECT_EQ(error_of(trial.write("f", "new", Overwrite::always)), "");
    EXPECT_EQ(mode_of(trial.path("f")), mode);
  }
}

TEST(WriteFileTest, KeepsTheOwnerOrSaysThatItCannot) {
  FilesTrial trial;
  trial.put("f", "old");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(trial.path("f").c_str(), 1234, 5678), 0);
  }
  struct stat before {};
  ASSERT_EQ(::stat(trial.path("f").c_str(), &before), 0);
  EXPECT_EQ(trial.write("f", "new"), written("f", "new", false));
  struct stat after {};
  ASSERT_EQ(::stat(trial.path("f").c_str(), &after), 0);
  EXPECT_EQ(after.st_uid, before.st_uid);
  EXPECT_EQ(after.st_gid, before.st_gid);
  EXPECT_NE(after.st_ino, before.st_ino);
}

TEST(WriteFileTest, KeepsLineEndsAndByteOrderMark) {
  FilesTrial trial;
  const auto rewritten = [&](const std::string& old, const std::string& content) {
    trial.put("f", old);
    EXPECT_EQ(error_of(trial.write("f", content, Overwrite::always)), "");
    return trial.content("f");
  };
  EXPECT_EQ(rewritten("a\r\nb\r\n", "x\ny\n"), "x\r\ny\r\n");
  EXPECT_EQ(rewritten("a\r\nb\r\nc\n", "x\n"), "x\r\n");
  EXPECT_EQ(rewritten("a\r\nb\nc\n", "x\n"), "x\n");
  EXPECT_EQ(rewritten("a\r\n", "x\r\ny\n"), "x\r\ny\n");
  EXPECT_EQ(rewritten("a\n", "x\r\n"), "x\r\n");
  EXPECT_EQ(rewritten("\xef\xbb\xbf"
                      "a\r\n",
                      "x\n"),
            "\xef\xbb\xbfx\r\n");
  EXPECT_EQ(rewritten("\xef\xbb\xbf"
                      "a\n",
                      "\xef\xbb\xbfx\n"),
            "\xef\xbb\xbfx\n");
  EXPECT_EQ(rewritten(std::string("\xff\xfe"
                                  "a\0",
                                  4),
                      "b"),
            std::string("\xff\xfe"
                        "b\0",
                        4));
  EXPECT_EQ(rewritten("gr\xfc\xdf dich", "größe"),
            "gr\xf6\xdf"
            "e");
}

TEST(WriteFileTest, SaysWhatOfTheOldTextIsNotKept) {
  FilesTrial trial;
  trial.put("f", "gr\xfc\xdf dich");
  JsonObject expected = written("f", "10 €", false);
  expected["note"] = "the file was latin-1 and is utf-8 now: the new content has characters that latin-1 does not have";
  EXPECT_EQ(trial.write("f", "10 €"), expected);
  EXPECT_EQ(trial.content("f"), "10 €");
  for (const size_t before : {size_t{100'000}, size_t{1} << 20, (size_t{3} << 20) - 1}) {
    trial.put("g", std::string(before, 'x') + "\xfc\n");
    expected = written("g", "ü\n", false);
    expected["note"] = "the old content had bytes that were not UTF-8, and they are gone";
    EXPECT_EQ(trial.write("g", "ü\n", Overwrite::always), expected) << before;
  }
  // Characters over the ends of the blocks in which it is looked at.
  for (const size_t missing : {0, 1, 2, 3, 4}) {
    trial.put("g", std::string((size_t{1} << 20) - missing, 'x') + "😀" + std::string(1 << 20, 'x'));
    EXPECT_EQ(trial.write("g", "x", Overwrite::always), written("g", "x", false)) << missing;
  }
}

TEST(WriteFileTest, MakesNoFileOfAPathThatNamesADirectory) {
  FilesTrial trial;
  trial.put("f", "old");
  ASSERT_EQ(::mkdir(trial.path("dir").c_str(), 0700), 0);
  for (const std::string name : {"x/", "f/", "dir/", "new/x//"}) {
    EXPECT_EQ(error_of(trial.write(name, "new")),
              "write " + name + ": a path that ends with / names a directory; give the path of a file in it");
  }
  EXPECT_THAT(trial.names(), ElementsAre("dir", "f"));
  EXPECT_EQ(trial.content("f"), "old");
}

TEST(WriteFileTest, ReturnsWhatWasReadUnchanged) {
  FilesTrial trial;
  for (const std::string text : {"a\nb", "\xef\xbb\xbfx\r\ny\r\n", "", "gr\xfc\xdf dich\n", "mixed\r\nends\n"}) {
    trial.put("f", text);
    trial.write("f", text_or(trial.read_plain("f"), "content"));
    EXPECT_EQ(trial.content("f"), text);
  }
}

TEST(WriteFileTest, WritesWhereALinkLeads) {
  FilesTrial trial;
  trial.put("real/f", "old");
  ASSERT_EQ(::symlink("real/f", trial.path("link").c_str()), 0);
  ASSERT_EQ(::symlink("real/new", trial.path("dangling").c_str()), 0);
  EXPECT_EQ(trial.write("link", "new"), written("link", "new", false));
  EXPECT_EQ(trial.write("dangling", "made"), written("dangling", "made", true));
  EXPECT_EQ(trial.content("real/f"), "new");
  EXPECT_EQ(trial.content("real/new"), "made");
  EXPECT_EQ(trial.files.read_link(trial.path("link")).operator*(), "real/f");
  EXPECT_EQ(trial.gate.verdicts().back().path, trial.path("real/new"));
  ASSERT_EQ(::symlink("loop", trial.path("loop").c_str()), 0);
  EXPECT_EQ(error_of(trial.write("loop", "")), "write loop: Too many levels of symbolic links");
  EXPECT_EQ(error_of(trial.write("missing/../f", "")),
            "write missing/../f: it leads through a folder that is not there (looked for in " + trial.folder + ")");
}

TEST(WriteFileTest, RefusesWhatMayNotBeWritten) {
  FilesTrial trial;
  ASSERT_EQ(::mkdir(trial.path("dir").c_str(), 0700), 0);
  ASSERT_EQ(::mkfifo(trial.path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(error_of(trial.write("dir", "x")), "write dir: it is a directory; give the path of a file in it");
  EXPECT_EQ(error_of(trial.write("fifo", "x")), "write fifo: it is a FIFO, not a regular file");
  trial.put("f", "x");
  EXPECT_EQ(error_of(trial.write("f/g", "x")), "write f/g: Not a directory (looked for in " + trial.folder + ")");
  trial.put(".env", "old");
  ASSERT_EQ(::symlink(".env", trial.path("harmless").c_str()), 0);
  for (const std::string name : {".env", "harmless"}) {
    EXPECT_EQ(error_of(trial.write(name, "x")),
              "write " + name +
                  ": may not write it: it is a credential file; the owner can allow it with files.write.allow in the "
                  "configuration");
  }
  EXPECT_EQ(trial.content(".env"), "old");
  for (const std::string path : {"/etc/talaria-test", "/dev/null", "/proc/self/comm"}) {
    EXPECT_NE(error_of(write_file(trial.files, trial.gate, trial.book, trial.locks, {path, path, "x"})), "") << path;
  }
  EXPECT_THAT(*list_directory(trial.path("dir")), ElementsAre());
}

TEST(WriteFileTest, RefusesReadOnlyFilesLikeAnyWriter) {
  const Ended ended = try_in_child(Who::ordinary_user, [] {
    FilesTrial trial;
    trial.put("f", "old", 0444);
    const std::string problem = error_of(trial.write("f", "new"));
    return problem == "write f: Permission denied" && trial.content("f") == "old" ? 0 : 1;
  });
  EXPECT_EQ(ended, Ended());
}

TEST(WriteFileTest, NamesNoOtherPathThanTheOneThatWasAsked) {
  const Ended ended = try_in_child(Who::ordinary_user, [] {
    FilesTrial trial;
    trial.put("d/f", "old");
    if (::chmod(trial.path("d").c_str(), 0500) != 0) return 2;
    const std::string old = error_of(trial.write("d/f", "new")), made = error_of(trial.write("d/g", "new"));
    const std::string deep = error_of(trial.write("d/e/g", "new"));
    if (::chmod(trial.path("d").c_str(), 0700) != 0) return 2;
    return old == "write d/f: Permission denied; the old file is unchanged" && made == "write d/g: Permission denied" &&
                   deep == "write d/e/g: Permission denied"
               ? 0
               : 1;
  });
  EXPECT_EQ(ended, Ended());
  FilesTrial trial;
  const auto hold = trial.locks.hold({trial.path("f")});
  EXPECT_EQ(reason_of(trial.locks.hold({trial.path("f")}, 0ms).error(), {trial.path("f")}),
            "another call has been writing it for too long; try again when it is done");
}

TEST(WriteFileTest, RefusesToOverwriteWhatChangedSinceItWasRead) {
  FilesTrial trial;
  trial.put("f", "one\n");
  trial.read("f");
  trial.put("f", "two\n");
  EXPECT_EQ(
      trial.write("f", "mine\n"),
      (JsonObject{{"error", "write f: the file changed since it was read; read it again, or write with force=true"},
                  {"path", "f"},
                  {"stale", true}}));
  EXPECT_EQ(trial.content("f"), "two\n");
  EXPECT_EQ(trial.write("f", "mine\n", Overwrite::always), written("f", "mine\n", false));
  EXPECT_EQ(trial.write("f", "again\n"), written("f", "again\n", false));
  trial.put("f", "again\n");  // another file, the same content
  EXPECT_EQ(trial.write("f", "fine\n"), written("f", "fine\n", false));
  ASSERT_EQ(::unlink(trial.path("f").c_str()), 0);
  EXPECT_EQ(trial.write("f", "new\n"), written("f", "new\n", true));
  trial.put("never read", "x");
  EXPECT_EQ(trial.write("never read", "y"), written("never read", "y", false));
}

// In place and within one tick of the clock: neither inode, size nor time tell.
TEST(WriteFileTest, SeesAChangeThatTheClockDoesNotTell) {
  FilesTrial trial;
  const std::string path = trial.put("f", "one\n");
  trial.read("f");
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  ASSERT_TRUE(write_all(open_file(path, O_WRONLY)->get(), "two\n"));
  const timespec times[2] = {status.st_atim, status.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  EXPECT_TRUE(boolean_or(trial.write("f", "mine\n"), "stale"));
}

TEST(WriteFileTest, LeavesTheOldFileWholeWhenTheDiskIsFull) {
  FilesTrial trial;
  trial.put("f", "old");
  const Ended ended = try_in_child(Who::caller, [&] {
    // A limit on the size of files fails a write halfway, as a full disk does.
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{64 << 10, 64 << 10};
    if (::setrlimit(RLIMIT_FSIZE, &small) != 0) return 2;
    const std::string problem = error_of(trial.write("f", std::string(1 << 20, 'x')));
    const std::string other = error_of(trial.write("new/g", std::string(1 << 20, 'x')));
    return problem == "write f: File too large; the old file is unchanged" && other == "write new/g: File too large"
               ? 0
               : 1;
  });
  EXPECT_EQ(ended, Ended());
  EXPECT_EQ(trial.content("f"), "old");
  EXPECT_THAT(trial.names(), ElementsAre("f"));
}

TEST(WriteFileTest, RemovesWhatKilledWritersLeft) {
  FilesTrial trial;
  const std::string old = trial.put(".f.talaria-abcdefgh", "half");
  trial.put(".f.talaria-23456789", "of one at work");
  const std::string other = trial.put(".g.talaria-abcdefgh", "of another file");
  const std::string foreign = trial.put(".f.talaria-notes.txt", "not ours");
  const timespec times[2] = {{1000, 0}, {1000, 0}};
  for (const std::string& path : {old, other, foreign}) ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  trial.write("f", "x");
  EXPECT_THAT(trial.names(), ElementsAre(".f.talaria-23456789", ".f.talaria-notes.txt", ".g.talaria-abcdefgh", "f"));
}

TEST(WriteFileTest, TakesTheLongestNames) {
  FilesTrial trial;
  const std::string name(255, 'n');
  EXPECT_EQ(error_of(trial.write(name, "x")), "");
  EXPECT_EQ(error_of(trial.write(name, "y")), "");
  EXPECT_THAT(trial.names(), ElementsAre(name));
}

// Killed at any moment: the file is one of the two contents, whole.
TEST(WriteFileTest, IsOldOrNewWhenTheWriterIsKilled) {
  FilesTrial trial;
  const std::string contents[2] = {std::string(300'000, 'a') + "\n", std::string(200'000, 'b') + "\n"};
  trial.put("f", contents[0]);
  unsigned random = 1;
  for (int round = 0; round < 25; ++round) {
    const uint64_t before = trial.files.stat(trial.path("f"))->inode;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (int i = 0;; ++i) trial.write("f", contents[i % 2], Overwrite::always);
    }
    // It writes, and then some more, as long as we look that often.
    const auto deadline = Clock::now() + 20s;
    while (trial.files.stat(trial.path("f"))->inode == before && Clock::now() < deadline) ::sched_yield();
    for (int looks = ::rand_r(&random) % 500; looks > 0; --looks) (void)trial.files.stat(trial.path("f"));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const std::string now = trial.content("f");
    ASSERT_TRUE(now == contents[0] || now == contents[1]) << now.size();
  }
}

TEST(WriteFileTest, LetsOneOfFiftyWritersWinWhole) {
  FilesTrial trial;
  std::vector<std::thread> writers;
  std::atomic<int> failures = 0;
  for (int i = 0; i < 50; ++i) {
    writers.emplace_back([&, i] {
      HostFiles files;
      FileGate gate = open_gate();
      const std::string content(10'000 + static_cast<size_t>(i), static_cast<char>('A' + i));
      if (!error_of(write_file(files, gate, trial.book, trial.locks, {trial.path("f"), "f", content})).empty())
        ++failures;
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(failures, 0);
  const std::string now = trial.content("f");
  EXPECT_EQ(now, std::string(10'000 + static_cast<size_t>(now[0] - 'A'), now[0]));
  EXPECT_THAT(trial.names(), ElementsAre("f"));
}

}  // namespace
}  // namespace talaria
