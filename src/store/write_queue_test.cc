#include "store/write_queue.h"

#include <gmock/gmock.h>

#include "store/all_jobs.h"
#include "store/scratch_folder.h"
#include "store/store.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WriteQueueTest : public testing::Test {
 protected:
  PendingWrite insert(const std::string& id) {
    return {"job:" + id, [this, id]() -> Result<> {
              TRY(store_.jobs().insert({.id = id}));
              return ok;
            }};
  }
  // Somebody's, that refuses jobs whose id begins with an x.
  void make_trigger() {
    Result<Database> other = Database::open(folder_.database());
    ASSERT_TRUE(other && other->execute("CREATE TRIGGER no BEFORE INSERT ON jobs WHEN new.id LIKE 'x%' BEGIN SELECT "
                                        "RAISE(ROLLBACK, 'no x here'); END",
                                        "test"));
  }
  void drop_trigger() {
    Result<Database> other = Database::open(folder_.database());
    ASSERT_TRUE(other && other->execute("DROP TRIGGER no", "test"));
  }
  std::vector<std::string> stored_ids() {
    std::vector<std::string> ids;
    for (const JobRow& row : all_jobs(store_.jobs())) ids.push_back(row.id);
    return ids;
  }

  const ScratchFolder folder_;
  const std::string path_ = folder_.database();
  Store store_ = *Store::open(path_);
};

TEST_F(WriteQueueTest, WhatMeetsALockWaitsInMemoryAndIsWrittenAfterwards) {
  Result<Database> holder = Database::open(path_);
  ASSERT_TRUE(holder && holder->execute("BEGIN IMMEDIATE", "test"));
  int stored = 0;
  const auto counted = [&](PendingWrite change) {
    change.stored = [&stored] { ++stored; };
    return change;
  };
  EXPECT_TRUE(store_.write_now(counted(insert("a"))));
  store_.write_soon(counted(insert("b")));
  ASSERT_TRUE(store_.trouble());
  EXPECT_TRUE(means_locked(*store_.trouble())) << store_.trouble()->message();
  EXPECT_FALSE(store_.write_waiting());
  EXPECT_EQ(store_.waiting(), 2u);
  EXPECT_EQ(stored, 0);
  ASSERT_TRUE(holder->execute("COMMIT", "test"));
  EXPECT_TRUE(store_.write_waiting());
  EXPECT_FALSE(store_.trouble());
  EXPECT_EQ(stored, 2);
  EXPECT_EQ(all_jobs(store_.jobs()).size(), 2u);
}

TEST_F(WriteQueueTest, AChangeThatTheTablesRefuseStopsNoOther) {
  std::vector<std::string> refused;
  store_.set_write_events({{}, [&](const Error& error) { refused.push_back(error.message()); }});
  const auto offset = [&](const std::string& job) {
    return PendingWrite{"offset:" + job, [this, job] { return store_.jobs().set_reader_offset(job, "me", 1); }};
  };
  store_.write_soon(offset("unknown"));
  store_.write_soon(insert("a"));
  EXPECT_TRUE(store_.write_now(offset("a")));
  EXPECT_EQ(*store_.jobs().reader_offset("a", "me"), 1u);
  EXPECT_EQ(refused.size(), 1u);
  EXPECT_EQ(store_.write_now(offset("other")).error().code(), ErrorCode::not_found);
  EXPECT_EQ(store_.waiting(), 0u);
}

TEST_F(WriteQueueTest, OfSeveralChangesToTheSameOnlyTheLastIsWrittenAndNotBeforeItIsDue) {
  std::vector<int> written;
  const auto change = [&](int number, Clock::duration delay) {
    return PendingWrite{"one",
                        [&written, number]() -> Result<> {
                          written.push_back(number);
                          return ok;
                        },
                        {},
                        delay};
  };
  store_.write_soon(change(1, 1h));
  EXPECT_TRUE(store_.write_waiting());
  EXPECT_EQ(store_.waiting(), 1u);
  store_.write_soon(change(2, 0ms));
  store_.write_soon(change(3, 1h));
  EXPECT_TRUE(store_.write_waiting());
  EXPECT_EQ(written, std::vector<int>{3});
  store_.write_soon(change(4, 1h));
  store_.write_everything();
  EXPECT_EQ(written, (std::vector<int>{3, 4}));
}

TEST_F(WriteQueueTest, OneThatFailsForAReasonOfItsOwnHoldsNoOtherBack) {
  make_trigger();
  for (const char* id : {"a", "x1", "b", "x2", "c"}) store_.write_soon(insert(id));
  EXPECT_TRUE(store_.write_waiting());
  EXPECT_FALSE(store_.trouble());
  EXPECT_THAT(stored_ids(), ElementsAre("a", "b", "c"));
  ASSERT_TRUE(store_.failing());
  EXPECT_EQ(store_.failing()->count, 2u);
  EXPECT_THAT(store_.failing()->error.message(), HasSubstr("no x here"));
  EXPECT_TRUE(store_.write_now(insert("d")));
  EXPECT_THAT(stored_ids(), ElementsAre("a", "b", "c", "d"));
  drop_trigger();
  store_.write_everything();
  EXPECT_THAT(stored_ids(), ElementsAre("a", "b", "c", "d", "x1", "x2"));
  EXPECT_FALSE(store_.failing());
}

TEST_F(WriteQueueTest, OneThatFailsAloneForAMinuteIsDroppedWithItsReason) {
  make_trigger();
  Result<Database> database = Database::open(path_);
  ASSERT_TRUE(database);
  JobTable jobs(*database);
  WriteQueue queue(*database);
  const auto add = [&](const std::string& id, const std::string& after) {
    queue.add({id,
               [&jobs, id]() -> Result<> {
                 TRY(jobs.insert({.id = id}));
                 return ok;
               },
               {},
               {},
               after},
              Clock::time_point());
  };
  const auto keys_refused_at = [&](Clock::duration time) {
    std::vector<std::string> keys;
    Result<std::vector<WriteQueue::Refusal>> refused = queue.write_due(Clock::time_point() + time);
    EXPECT_TRUE(refused);
    for (const WriteQueue::Refusal& refusal : *refused) keys.push_back(refusal.key);
    return keys;
  };
  add("x", "");
  add("a", "x");
  add("b", "");
  EXPECT_THAT(keys_refused_at(0s), IsEmpty());
  EXPECT_THAT(keys_refused_at(30s), IsEmpty());
  EXPECT_THAT(stored_ids(), ElementsAre("b")) << "what builds on it waits with it";
  EXPECT_THAT(keys_refused_at(61s), ElementsAre("x"));
  EXPECT_THAT(keys_refused_at(61s), IsEmpty());
  EXPECT_THAT(stored_ids(), ElementsAre("b", "a"));
  EXPECT_EQ(queue.size(), 0u);
}

TEST_F(WriteQueueTest, ALockIsNoReasonOfItsOwnAlsoForOneThatFailedAlone) {
  make_trigger();
  store_.write_soon(insert("x"));
  EXPECT_TRUE(store_.write_waiting());
  Result<Database> holder = Database::open(path_);
  ASSERT_TRUE(holder && holder->execute("BEGIN IMMEDIATE", "test"));
  store_.write_soon(insert("a"));
  EXPECT_FALSE(store_.write_waiting());
  EXPECT_TRUE(store_.trouble() && means_locked(*store_.trouble()));
  EXPECT_EQ(store_.waiting(), 2u);
}

TEST_F(WriteQueueTest, InsideABatchNothingIsWrittenAndNobodyWaitsForIt) {
  EXPECT_TRUE(store_.batch([&]() -> Result<> {
    store_.write_soon(insert("a"));
    store_.write_everything();
    return ok;
  }));
  EXPECT_THAT(stored_ids(), IsEmpty());
  store_.write_everything();
  EXPECT_THAT(stored_ids(), ElementsAre("a"));
}

}  // namespace
}  // namespace talaria
