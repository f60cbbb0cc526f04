#include "store/event_table.h"

#include <gmock/gmock.h>

#include "store/scratch_folder.h"
#include "store/store.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

EventRow event(const std::string& job, const std::string& key = "") {
  return {.session = "s", .job = job, .kind = "exit", .key = key, .text = "ended", .created_ms = 100};
}

class EventTableTest : public testing::Test {
 protected:
  EventTableTest() : store_(*Store::open(folder_.database())), events_(store_.events()) {}
  EventRow add(EventRow row) {
    const Result<std::optional<int64_t>> id = events_.add(row);
    CHECK(id && *id);
    row.id = **id;
    return row;
  }

  ScratchFolder folder_;
  Store store_;
  EventTable& events_;
};

TEST_F(EventTableTest, KeepsEveryFieldOldestFirst) {
  const EventRow first = add({.session = "s",
                              .job = "a",
                              .kind = "pattern",
                              .key = "1",
                              .text = "seen",
                              .details_json = R"({"line":3})",
                              .created_ms = 7,
                              .created_skew_ms = -5});
  const EventRow second = add({.session = "t", .job = "a", .kind = "exit"});
  EXPECT_THAT(*events_.undelivered(), ElementsAre(first, second));
  EXPECT_THAT(*events_.undelivered("t"), ElementsAre(second));
  EXPECT_THAT(*events_.undelivered("u"), IsEmpty());
}

TEST_F(EventTableTest, IgnoresARepeatedEvent) {
  const EventRow first = add(event("a", "1"));
  EXPECT_EQ(*events_.add(event("a", "1")), std::nullopt);
  ASSERT_TRUE(*events_.mark_delivered(first.id, 200));
  EXPECT_EQ(*events_.add(event("a", "1")), std::nullopt);
  const EventRow other = add(event("a", "2"));
  EXPECT_THAT(*events_.undelivered(), ElementsAre(other));
}

TEST_F(EventTableTest, LetsExactlyOneCallDeliver) {
  const EventRow row = add(event("a"));
  Result<Store> second = Store::open(folder_.database());
  ASSERT_TRUE(second);
  EXPECT_TRUE(*events_.mark_delivered(row.id, 200));
  EXPECT_FALSE(*events_.mark_delivered(row.id, 201));
  EXPECT_FALSE(*second->events().mark_delivered(row.id, 202));
  EXPECT_FALSE(*events_.mark_delivered(row.id + 1, 203));
  EXPECT_THAT(*events_.undelivered(), IsEmpty());
}

TEST_F(EventTableTest, WithdrawsWhatAJobHasNotTold) {
  add(event("a"));
  const EventRow other = add(event("b"));
  ASSERT_TRUE(events_.withdraw("a", 200));
  EXPECT_THAT(*events_.undelivered(), ElementsAre(other));
  EXPECT_EQ(*events_.add(event("a")), std::nullopt);
}

TEST_F(EventTableTest, ListsInPieces) {
  const EventRow first = add(event("a", "1")), second = add(event("a", "2")), third = add(event("b", "1"));
  EXPECT_THAT(*events_.undelivered({}, 0, 2), ElementsAre(first, second));
  EXPECT_THAT(*events_.undelivered({}, second.id, 2), ElementsAre(third));
  EXPECT_THAT(*events_.undelivered(third.session, third.id, 2), IsEmpty());
}

TEST_F(EventTableTest, FindsWhatNobodyWasToldOfAJobsEnd) {
  const EventRow end = add({.session = "s", .job = "a", .kind = "exit"});
  add({.session = "s", .job = "a", .kind = "pattern"});
  add({.session = "s", .job = "b", .kind = "exit"});
  EXPECT_THAT(*events_.untold_ends("s", "a"), ElementsAre(end.id));
  EXPECT_THAT(*events_.untold_ends("t", "a"), IsEmpty());
  ASSERT_TRUE(*events_.mark_delivered(end.id, 200));
  EXPECT_THAT(*events_.untold_ends("s", "a"), IsEmpty());
}

TEST_F(EventTableTest, GivesUpTheOldestThatNobodyCameFor) {
  const EventRow first = add(event("a", "1")), second = add(event("a", "2")), third = add(event("a", "3"));
  EXPECT_EQ(*events_.give_up(0, 3, 200), 0);
  EXPECT_EQ(*events_.give_up(0, 2, 200), 1);
  EXPECT_THAT(*events_.undelivered(), ElementsAre(second, third));
  EXPECT_EQ(*events_.add(event("a", "1")), std::nullopt);
  EXPECT_EQ(*events_.give_up(second.created_ms + 1, 100, 200, 1), 1);
  EXPECT_THAT(*events_.undelivered(), ElementsAre(third));
}

TEST_F(EventTableTest, PrunesWhatWasToldOfJobsThatAreGone) {
  ASSERT_TRUE(store_.jobs().insert({.id = "here"}));
  const EventRow here = add(event("here")), gone = add(event("gone")), waiting = add(event("gone", "waiting"));
  ASSERT_TRUE(*events_.mark_delivered(here.id, 200));
  ASSERT_TRUE(*events_.mark_delivered(gone.id, 200));
  using Place = EventTable::PrunePlace;
  EXPECT_EQ(*events_.prune(200, {}), Place());
  EXPECT_EQ(*events_.prune(201, {}, 1), (Place{200, here.id}));
  EXPECT_EQ(*events_.prune(201, {200, here.id}, 1), (Place{200, gone.id}));
  EXPECT_EQ(*events_.prune(201, {200, gone.id}, 1), (Place{200, gone.id}));
  EXPECT_THAT(*events_.undelivered(), ElementsAre(waiting));
  EXPECT_EQ(*events_.add(event("here")), std::nullopt);
  EXPECT_NE(*events_.add(event("gone")), std::nullopt);
}

TEST_F(EventTableTest, ForgetsWhatWasToldOfAJobWithTheJob) {
  ASSERT_TRUE(*events_.mark_delivered(add(event("a", "1")).id, 200));
  const EventRow waiting = add(event("a", "2"));
  ASSERT_TRUE(events_.forget_job("a"));
  EXPECT_THAT(*events_.undelivered(), ElementsAre(waiting));
  EXPECT_NE(*events_.add(event("a", "1")), std::nullopt);
}

TEST_F(EventTableTest, NeverGivesAnIdTwice) {
  const EventRow first = add(event("a"));
  ASSERT_TRUE(*events_.mark_delivered(first.id, 200));
  ASSERT_TRUE(events_.forget_job("a"));
  EXPECT_GT(add(event("a")).id, first.id);
}

}  // namespace
}  // namespace talaria
