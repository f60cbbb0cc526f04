#include "store/database_place.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/all_jobs.h"
#include "store/scratch_folder.h"
#include "store/store.h"

namespace talaria {
namespace {

using State = DatabasePlace::State;

class DatabasePlaceTest : public testing::Test {
 protected:
  DatabasePlaceTest() {
    for (int i = 0; i < 300; ++i) insert("before" + std::to_string(i));
  }
  void insert(const std::string& id) {
    ASSERT_TRUE(store_.jobs().insert({.id = id, .output_inline = std::string(10'000, 'x')}));
  }
  void remove(const std::string& suffix) { ASSERT_EQ(::unlink((path_ + suffix).c_str()), 0); }
  // How many steps it takes; something is written between two of them.
  int write_again() {
    for (int steps = 1; steps < 10'000; ++steps) {
      const Result<bool> whole = store_.write_again();
      if (!whole) ADD_FAILURE() << whole.error().message();
      if (!whole || *whole) return steps;
      insert("between" + std::to_string(steps));
    }
    return 0;
  }
  // What another process finds, now and when this one is gone.
  size_t found() {
    Result<Database> other = Database::open_existing(path_);
    if (!other) return 0;
    JobTable jobs(*other);
    return all_jobs(jobs).size();
  }

  const ScratchFolder folder_;
  const std::string path_ = folder_.database();
  Store store_ = *Store::open(path_);
};

TEST_F(DatabasePlaceTest, SeesWhatIsRemovedAndWhatIsReplaced) {
  EXPECT_EQ(store_.place(), State::in_place);
  insert("a");
  ASSERT_TRUE(Store::checkpoint(path_));
  EXPECT_EQ(store_.place(), State::in_place);
  ASSERT_EQ(::rename(path_.c_str(), (path_ + ".moved").c_str()), 0);
  EXPECT_EQ(store_.place(), State::removed);
  EXPECT_FALSE(Database::open_existing(path_)) << "who looks makes no new one";
  ASSERT_TRUE(write_file_atomically(path_, "something else"));
  EXPECT_EQ(store_.place(), State::replaced);
  ASSERT_EQ(::rename((path_ + ".moved").c_str(), path_.c_str()), 0);
  EXPECT_EQ(store_.place(), State::in_place);
  remove("-wal");
  EXPECT_EQ(store_.place(), State::removed);
}

TEST_F(DatabasePlaceTest, ARemovedOneIsWrittenAgainWithAllThatWasInItAndComesMeanwhile) {
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{""}, {"", "-wal", "-shm"}, {"-wal"}, {"-shm"}, {"-wal", "-shm"}}) {
    for (const std::string& name : names) remove(name);
    ASSERT_EQ(store_.place(), State::removed);
    insert("lost and found " + names.front() + std::to_string(names.size()));
    EXPECT_GT(write_again(), 0);
    EXPECT_EQ(store_.place(), State::in_place);
    insert("after " + names.front() + std::to_string(names.size()));
    EXPECT_EQ(found(), all_jobs(store_.jobs()).size());
    EXPECT_FALSE(exists(path_ + "-again"));
    struct stat info {};
    ASSERT_EQ(::stat(path_.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
  }
  const size_t all = all_jobs(store_.jobs()).size();
  EXPECT_GE(all, 310u);
  { const Store gone = std::move(store_); }
  Result<Store> next = Store::open(path_);
  ASSERT_TRUE(next);
  EXPECT_THAT(next->notices(), testing::IsEmpty());
  EXPECT_EQ(all_jobs(next->jobs()).size(), all);
  store_ = *std::move(next);
}

TEST_F(DatabasePlaceTest, WhatSomebodyPutThereMeanwhileIsNotOverwritten) {
  remove("");
  while (!exists(path_ + "-again")) ASSERT_TRUE(store_.write_again());
  ASSERT_TRUE(write_file_atomically(path_, "something else"));
  write_again();
  EXPECT_EQ(*read_file(path_), "something else");
  EXPECT_EQ(store_.place(), State::replaced);
  store_.leave_place();
  EXPECT_FALSE(exists(path_ + "-wal"));
  insert("goes on");
}

TEST_F(DatabasePlaceTest, OneThatCannotBeOpenedAgainIsTriedAgain) {
  for (const char* suffix : {"", "-wal", "-shm"}) remove(suffix);
  ASSERT_EQ(::mkdir((path_ + "-wal").c_str(), 0700), 0);  // where its log would be
  Result<bool> whole = false;
  while (whole && !*whole) whole = store_.write_again();
  EXPECT_FALSE(whole);
  EXPECT_EQ(store_.place(), State::removed);
  EXPECT_FALSE(exists(path_));
  insert("meanwhile");
  ASSERT_EQ(::rmdir((path_ + "-wal").c_str()), 0);
  write_again();
  EXPECT_EQ(store_.place(), State::in_place);
  EXPECT_EQ(found(), all_jobs(store_.jobs()).size());
}

}  // namespace
}  // namespace talaria
