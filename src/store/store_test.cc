#include "store/store.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "store/all_jobs.h"
#include "store/inspection.h"
#include "store/migrations.h"
#include "store/scratch_folder.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

class StoreTest : public testing::Test {
 protected:
  Store open() {
    Result<Store> opened = Store::open(path_);
    if (!opened) ADD_FAILURE() << opened.error().message();
    CHECK(opened);
    return *std::move(opened);
  }
  // Files in the folder that are not of the database in use.
  std::vector<std::string> kept() {
    std::vector<std::string> names;
    const std::vector<std::string> all = *list_directory(folder_.path());
    for (const std::string& name : all) {
      if (name.starts_with("talaria.db.")) names.push_back(name);
    }
    return names;
  }
  void fill(int count) {
    Store store = open();
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(store.jobs().insert({.id = "job" + std::to_string(i), .command = std::string(500, 'x')}));
    }
  }
  // What `work` returns in a process of its own; -1 when it was killed.
  static int in_child(const std::function<int()>& work) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(work());
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  static bool says_full(const Error& error) { return error.message().find("the disk is full") != std::string::npos; }
  void expect_fresh(const std::string& notice, const std::string& file) {
    Store store = open();
    EXPECT_THAT(store.notices(), ElementsAre(MatchesRegex(notice)));
    EXPECT_THAT(all_jobs(store.jobs()), IsEmpty());
    EXPECT_THAT(kept(), testing::Contains(MatchesRegex(file)));
    EXPECT_TRUE(store.jobs().insert({.id = "new"}));
  }

  ScratchFolder folder_;
  const std::string path_ = folder_.database();
};

TEST_F(StoreTest, MakesWhatIsAbsentOrEmpty) {
  {
    Store store = open();
    EXPECT_THAT(store.notices(), IsEmpty());
    struct stat info {};
    for (const char* suffix : {"", "-wal", "-shm"}) {
      ASSERT_EQ(::stat((path_ + suffix).c_str(), &info), 0) << suffix;
      EXPECT_EQ(info.st_mode & 0777, 0600u) << suffix;
    }
  }
  ASSERT_TRUE(write_file_atomically(path_, ""));
  EXPECT_THAT(open().notices(), IsEmpty());
}

TEST_F(StoreTest, KeepsEverythingAcrossARestart) {
  const SessionRow session{.id = "s", .name = "n", .workspace = "/w", .cwd = "/w"};
  const JobRow job{.id = "j", .session = "s", .command = "make", .output_inline = "done"};
  {
    Store store = open();
    ASSERT_TRUE(store.sessions().create(session));
    ASSERT_TRUE(store.jobs().insert(job));
    ASSERT_TRUE(store.jobs().set_reader_offset("j", "cli", 9));
    ASSERT_TRUE(*store.events().add({.session = "s", .job = "j", .kind = "exit"}));
    ASSERT_TRUE(store.meta().set("stamp", "1"));
    ASSERT_TRUE(store.meta().set("stamp", "2"));
  }
  EXPECT_FALSE(exists(path_ + "-wal"));
  Store store = open();
  EXPECT_THAT(store.notices(), IsEmpty());
  EXPECT_EQ(*store.sessions().find("s"), session);
  EXPECT_EQ(*store.jobs().find("j"), job);
  EXPECT_EQ(*store.jobs().reader_offset("j", "cli"), 9u);
  EXPECT_EQ(store.events().undelivered()->size(), 1u);
  EXPECT_EQ(*store.meta().get("stamp"), "2");
  ASSERT_TRUE(store.meta().remove("stamp"));
  EXPECT_EQ(*store.meta().get("stamp"), std::nullopt);
}

TEST_F(StoreTest, KeepsWhatAKilledProcessCommitted) {
  EXPECT_EQ(in_child([&] {
              Store store = open();
              for (int i = 0; i < 100; ++i) (void)store.jobs().insert({.id = "job" + std::to_string(i)});
              (void)store.batch([&]() -> Result<> {
                TRY(store.jobs().insert({.id = "uncommitted"}));
                ::kill(::getpid(), SIGKILL);
                return ok;
              });
              return 0;
            }),
            -1);
  EXPECT_GT(size_of(path_ + "-wal"), 0);
  Store store = open();
  EXPECT_THAT(store.notices(), IsEmpty());
  EXPECT_EQ(all_jobs(store.jobs()).size(), 100u);
  EXPECT_EQ(*store.jobs().find("uncommitted"), std::nullopt);
}

TEST_F(StoreTest, SetsGarbageAside) {
  const std::string garbage(10'000, 'g');
  ASSERT_TRUE(write_file_atomically(path_, garbage));
  expect_fresh(
      path_ + " cannot be used .*damaged.* It was set aside as " + path_ + "\\.corrupt-.* a fresh one was made",
      "talaria\\.db\\.corrupt-[0-9]+T[0-9]+Z");
  EXPECT_EQ(*read_file(folder_.path() + "/" + kept().front()), garbage);
}

TEST_F(StoreTest, NeverSetsOneAsideOverAnother) {
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(write_file_atomically(path_, std::string(5000, static_cast<char>('a' + i))));
    EXPECT_EQ(open().notices().size(), 1u);
  }
  EXPECT_EQ(kept().size(), 5u);
}

TEST_F(StoreTest, SetsATruncatedFileAside) {
  fill(200);
  ASSERT_EQ(::truncate(path_.c_str(), size_of(path_) / 2), 0);
  expect_fresh(".*damaged.*", "talaria\\.db\\.corrupt-.*");
}

TEST_F(StoreTest, SetsAFileWithADamagedPageAside) {
  fill(200);
  std::string content = *read_file(path_);
  content.replace(content.size() / 2, 3000, 3000, '\xa5');
  ASSERT_TRUE(write_file_atomically(path_, content));
  expect_fresh(".*damaged.*", "talaria\\.db\\.corrupt-.*");
}

TEST_F(StoreTest, SetsAFileWithoutOneOfItsTablesAside) {
  fill(1);
  ASSERT_TRUE(Database::open(path_)->execute("DROP TABLE events", "test"));
  expect_fresh(".*it has no table events.*", "talaria\\.db\\.corrupt-.*");
}

TEST_F(StoreTest, SetsANewerFileAsideWithItsLog) {
  fill(3);
  const int version = newest_version() + 6;
  {
    Result<Database> newer = Database::open(path_);
    ASSERT_TRUE(newer && newer->execute("PRAGMA user_version = " + std::to_string(version), "test"));
  }
  ASSERT_GT(size_of(path_ + "-wal"), 0);
  const std::string label = "newer-v" + std::to_string(version);
  expect_fresh(path_ + " was written by a newer Talaria \\(version " + std::to_string(version) +
                   " of the tables.*set aside as " + path_ + "\\." + label + "-.*",
               "talaria\\.db\\." + label + "-[0-9]+T[0-9]+Z");
  Result<Database> old = Database::open(folder_.path() + "/" + kept().front());
  ASSERT_TRUE(old);
  EXPECT_EQ(*version_of(*old), version);
  EXPECT_EQ(all_jobs(*std::make_unique<JobTable>(*old)).size(), 3u);
}

TEST_F(StoreTest, SetsAnotherProgramsFileAside) {
  ASSERT_TRUE(Database::open(path_)->execute("CREATE TABLE bookmarks (url TEXT)", "test"));
  expect_fresh(".* is a database of another program.*", "talaria\\.db\\.foreign-.*");
}

TEST_F(StoreTest, SetsALogWithoutItsFileAside) {
  EXPECT_EQ(in_child([&] {
              fill(3);
              Store store = open();
              ::_exit(0);
              return 0;
            }),
            0);
  ASSERT_GT(size_of(path_ + "-wal"), 0);
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  expect_fresh(".*its log .*-wal is there.*", "talaria\\.db\\.corrupt-.*-wal");
}

TEST_F(StoreTest, OpensAndReadsWhileAnotherProcessWrites) {
  fill(1);
  Result<Database> holder = Database::open(path_);
  ASSERT_TRUE(holder && holder->execute("BEGIN IMMEDIATE", "test"));
  Result<Store> opened = Store::open(path_);
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ(all_jobs(opened->jobs()).size(), 1u);
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(StoreTest, OpensWhenAProcessThatHadItForItselfLetsGo) {
  fill(1);
  std::optional<Database> holder = *Database::open(path_, Database::Sharing::alone);
  ASSERT_TRUE(holder->execute("BEGIN IMMEDIATE; COMMIT", "test"));
  Result<Database> refused = Database::open(path_);
  EXPECT_TRUE(!refused && means_locked(refused.error()));
  Result<Store> opened = invalid("not run");
  std::thread opener([&] { opened = Store::open(path_); });
  holder.reset();
  opener.join();
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_TRUE(*opened->jobs().find("job0"));
}

TEST_F(StoreTest, TheLogStaysShortWhileLoadLasts) {
  Store store = open();
  int stored = 0;
  int64_t longest = 0;
  const auto write_one = [&] {
    store.write_soon({std::to_string(stored), [&store, id = std::to_string(stored)]() -> Result<> {
                        TRY(store.jobs().insert({.id = id, .output_inline = std::string(20'000, 'x')}));
                        return ok;
                      }});
    ++stored;
    while (!store.write_waiting()) std::this_thread::yield();
    longest = std::max(longest, size_of(path_ + "-wal"));
  };
  // Each checkpoint runs beside writers who do not stop for it.
  for (int round = 0; round < 30; ++round) {
    Result<> done = invalid("not run");
    std::atomic<bool> running = true;
    std::thread worker([&] {
      done = Store::checkpoint(path_);
      running = false;
    });
    for (int i = 0; i < 50 || (running && i < 100); ++i) write_one();
    worker.join();
    ASSERT_TRUE(done) << done.error().message();
  }
  EXPECT_GT(stored * 20'000, 30'000'000);
  EXPECT_LT(longest, 20 << 20);  // without a checkpoint that ends it, all of the 30 MB and more
  EXPECT_EQ(all_jobs(store.jobs()).size(), static_cast<size_t>(stored));
}

TEST_F(StoreTest, SaysWhyItCannotBeMade) {
  EXPECT_THAT(Store::open(folder_.path() + "/missing/talaria.db").error().message(),
              HasSubstr("missing/talaria.db: No such file or directory"));
  ASSERT_EQ(::mkdir(path_.c_str(), 0700), 0);
  Result<Store> opened = Store::open(path_);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message(), HasSubstr(path_));
  EXPECT_TRUE(exists(path_));
}

TEST_F(StoreTest, SaysThatTheDiskIsFullAndGoesOnWhenItIsNot) {
  EXPECT_EQ(in_child([&] {
              ::signal(SIGXFSZ, SIG_IGN);
              Store store = open();
              // A file may not grow: to SQLite the same as a disk that has no room, as any user.
              const rlimit tight{200'000, RLIM_INFINITY};
              ::setrlimit(RLIMIT_FSIZE, &tight);
              int stored = 0;
              Result<JobRow> last = JobRow{};
              while (last && stored < 1000) {
                last = store.jobs().insert({.id = "job" + std::to_string(stored), .command = std::string(9000, 'x')});
                if (last) ++stored;
              }
              if (last || !says_full(last.error())) return 1;
              const rlimit wide{RLIM_INFINITY, RLIM_INFINITY};
              ::setrlimit(RLIMIT_FSIZE, &wide);
              if (!store.jobs().insert({.id = "after"})) return 2;
              return all_jobs(store.jobs()).size() == static_cast<size_t>(stored) + 1 ? 0 : 3;
            }),
            0);
  Store store = open();
  EXPECT_THAT(store.notices(), IsEmpty());
  EXPECT_TRUE(*store.jobs().find("after"));
}

TEST_F(StoreTest, SaysThatTheDiskIsTooFullToMakeOne) {
  EXPECT_EQ(in_child([&] {
              ::signal(SIGXFSZ, SIG_IGN);
              const rlimit tight{1000, RLIM_INFINITY};
              ::setrlimit(RLIMIT_FSIZE, &tight);
              Result<Store> opened = Store::open(path_);
              if (opened) return 1;
              return says_full(opened.error()) ? 0 : 2;
            }),
            0);
  EXPECT_THAT(open().notices(), IsEmpty());
}

TEST_F(StoreTest, DoesABatchWhollyOrNotAtAll) {
  Store store = open();
  Result<> failed = store.batch([&]() -> Result<> {
    TRY(store.jobs().insert({.id = "a"}));
    return store.batch([&]() -> Result<> { return invalid("no"); });
  });
  EXPECT_EQ(failed.error(), invalid("no"));
  EXPECT_THAT(all_jobs(store.jobs()), IsEmpty());
  EXPECT_TRUE(store.batch([&]() -> Result<> {
    TRY(store.jobs().insert({.id = "a"}));
    TRY(store.jobs().insert({.id = "b"}));
    return ok;
  }));
  EXPECT_EQ(all_jobs(store.jobs()).size(), 2u);
}

TEST_F(StoreTest, ShowsASecondConnectionWhatTheFirstWrote) {
  Store first = open();
  Store second = open();
  ASSERT_TRUE(first.jobs().insert({.id = "a"}));
  EXPECT_EQ(*second.jobs().find("a"), JobRow{.id = "a"});
  ASSERT_TRUE(second.jobs().remove("a"));
  EXPECT_EQ(*first.jobs().find("a"), std::nullopt);
}

TEST_F(StoreTest, IsDirtyUntilACheckpointIsNoted) {
  Store store = open();
  EXPECT_TRUE(store.dirty());
  store.note_checkpoint();
  EXPECT_FALSE(store.dirty());
  ASSERT_TRUE(store.jobs().unfinished());
  EXPECT_FALSE(store.dirty());
  ASSERT_TRUE(store.jobs().insert({.id = "a"}));
  EXPECT_TRUE(store.dirty());
}

TEST_F(StoreTest, CheckpointMovesALongLogIntoTheFileWhileTheStoreIsUsed) {
  Store store = open();
  int stored = 0;
  const auto insert = [&] {
    const JobRow row{.id = std::to_string(stored++), .output_inline = std::string(60'000, 'x')};
    // The last step of a checkpoint holds writers up for a moment.
    while (!store.jobs().insert(row)) std::this_thread::yield();
  };
  for (int i = 0; i < 100; ++i) insert();
  EXPECT_LT(size_of(path_), 100'000);
  Result<> done = invalid("not run");
  std::thread worker([&] { done = Store::checkpoint(path_); });
  for (int i = 0; i < 20; ++i) insert();
  worker.join();
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_GT(size_of(path_), 100 * 60'000);
  // All of the log is in the file now, or will be with one more: then it starts over.
  ASSERT_TRUE(Store::checkpoint(path_));
  insert();
  EXPECT_LT(size_of(path_ + "-wal"), 1'000'000);
  EXPECT_EQ(all_jobs(store.jobs()).size(), static_cast<size_t>(stored));
}

TEST_F(StoreTest, CheckpointOfAShortLogLeavesTheFile) {
  fill(3);
  Store store = open();
  const int64_t before = size_of(path_);
  ASSERT_TRUE(store.jobs().insert({.id = "a", .output_inline = std::string(60'000, 'x')}));
  ASSERT_TRUE(Store::checkpoint(path_));
  EXPECT_EQ(size_of(path_), before);
  EXPECT_TRUE(Store::checkpoint(folder_.path() + "/absent.db"));
}

}  // namespace
}  // namespace talaria
