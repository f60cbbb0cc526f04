#include "api/events.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "os/file.h"

namespace talaria {
namespace {

class EventBoardTest : public testing::Test {
 protected:
  EventBoardTest() : folder_(testing::TempDir() + "events." + std::to_string(::getpid())) {
    EXPECT_TRUE(make_directories(folder_));
    Result<Store> opened = Store::open(folder_ + "/talaria.db");
    EXPECT_TRUE(opened);
    store_ = std::make_unique<Store>(*std::move(opened));
    board_ = std::make_unique<EventBoard>(loop_, *store_, [](const std::string& text) { ADD_FAILURE() << text; });
  }
  ~EventBoardTest() override { (void)remove_tree(folder_); }

  void add(const std::string& session, const std::string& job, const std::string& kind, const std::string& key = "") {
    EventRow event;
    event.session = session;
    event.job = job;
    event.kind = kind;
    event.key = key;
    event.text = job + " " + kind + key;
    board_->add(event);
  }
  OperationPtr listen(const std::string& session, std::vector<std::string>& heard) {
    return board_->subscribe(session, Delivery::at_once,
                             [&heard](const JsonObject& event) { heard.push_back(text_or(event, "text")); });
  }
  // Everything that was posted so far runs.
  void run_loop() {
    loop_.post([this] { loop_.post([this] { stop_ = loop_.after(0s, [this] { loop_.stop(); }); }); });
    loop_.run();
  }

  std::string folder_;
  Loop loop_;
  Loop::Timer stop_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<EventBoard> board_;
};

using Heard = std::vector<std::string>;

TEST_F(EventBoardTest, ToldFirstWhatWaitedAndEachThingOnce) {
  add("s1", "a", "exit");
  add("s1", "a", "exit");
  add("s1", "a", "pattern", "x");
  add("s2", "b", "exit");
  Heard first, second;
  const OperationPtr one = listen("s1", first);
  const OperationPtr all = listen("", second);
  run_loop();
  EXPECT_EQ(first, (Heard{"a exit", "a patternx"}));
  EXPECT_EQ(second, Heard{"b exit"});
}

TEST_F(EventBoardTest, NothingIsLostWhenNobodyListens) {
  Heard heard;
  OperationPtr listener = listen("s", heard);
  listener.reset();
  add("s", "a", "exit");
  run_loop();
  EXPECT_EQ(heard, Heard{});
  EXPECT_EQ(store_->events().undelivered()->size(), 1u);
}

TEST_F(EventBoardTest, AnExitThatIsKnownIsNotToldButItsPatternsAre) {
  add("s", "a", "pattern", "x");
  add("s", "a", "exit");
  add("s", "b", "exit");
  board_->withdraw_exit("s", "a");
  Heard heard;
  const OperationPtr listener = listen("s", heard);
  run_loop();
  EXPECT_EQ(heard, (Heard{"a patternx", "b exit"}));
}

TEST_F(EventBoardTest, WhatCannotBeStoredIsToldAllTheSameAndOnce) {
  add("s", "a", "exit");
  add("s", "b", "exit");
  Result<Database> holder = Database::open(folder_ + "/talaria.db");
  ASSERT_TRUE(holder && holder->execute("BEGIN IMMEDIATE", "test"));
  add("s", "a", "exit");  // known from before
  add("s", "c", "exit");
  add("s", "c", "exit");
  add("s", "d", "exit");
  board_->withdraw_exit("s", "b");
  board_->withdraw("d");
  Heard first, second;
  OperationPtr listener = listen("s", first);
  run_loop();
  listener = listen("s", second);
  run_loop();
  EXPECT_EQ(first, (Heard{"a exit", "c exit"}));
  EXPECT_EQ(second, Heard{});
  ASSERT_TRUE(holder->execute("COMMIT", "test"));
  store_->write_everything();
  EXPECT_EQ(store_->events().undelivered()->size(), 0u);
  EXPECT_TRUE(*store_->events().known("c", "exit", ""));
  add("s", "c", "exit");
  run_loop();
  EXPECT_EQ(second, Heard{});
}

TEST_F(EventBoardTest, WhatWasNotAcknowledgedGoesToTheNextListener) {
  std::vector<int64_t> first, second;
  const auto noting = [](std::vector<int64_t>& ids) {
    return [&ids](const JsonObject& event) { ids.push_back(integer_or(event, "id")); };
  };
  add("s1", "a", "exit");
  add("s1", "b", "exit");
  OperationPtr one = board_->subscribe("", Delivery::acknowledged, noting(first));
  const OperationPtr two = board_->subscribe("", Delivery::acknowledged, noting(second));
  run_loop();
  ASSERT_EQ(first.size(), 2u);
  EXPECT_TRUE(second.empty());
  EXPECT_TRUE(board_->acknowledge(first[0]));
  EXPECT_FALSE(board_->acknowledge(first[0]));
  one.reset();  // without a word about the other one
  run_loop();
  EXPECT_EQ(second, std::vector<int64_t>{first[1]});
}

TEST_F(EventBoardTest, WhatCannotBeReadIsReadAgainLater) {
  int said = 0;
  board_ = std::make_unique<EventBoard>(loop_, *store_, [&](const std::string&) { ++said; });
  add("s", "a", "exit");
  Result<Database> other = Database::open(folder_ + "/talaria.db");
  ASSERT_TRUE(other && other->execute("ALTER TABLE events RENAME TO hidden", "test"));
  Heard heard;
  const OperationPtr one = listen("s", heard);
  const OperationPtr two = listen("s2", heard);
  run_loop();
  EXPECT_EQ(heard, Heard{});
  EXPECT_EQ(said, 1);
  ASSERT_TRUE(other->execute("ALTER TABLE hidden RENAME TO events", "test"));
  const Loop::Timer deadline = loop_.after(20s, [this] { loop_.stop(); });
  std::function<void()> look = [&] {
    if (!heard.empty()) return loop_.stop();
    stop_ = loop_.after(10ms, look);
  };
  look();
  loop_.run();
  EXPECT_EQ(heard, Heard{"a exit"});
}

TEST_F(EventBoardTest, AnEndThatIsToldBeforeItIsStoredIsPassedOn) {
  Heard told, heard;
  board_->on_end_told([&](const std::string& job) { told.push_back(job); });
  add("s", "stored", "exit");
  Result<Database> holder = Database::open(folder_ + "/talaria.db");
  ASSERT_TRUE(holder && holder->execute("BEGIN IMMEDIATE", "test"));
  add("s", "a", "exit");
  add("s", "a", "pattern", "x");
  const OperationPtr listener = listen("s", heard);
  run_loop();
  EXPECT_EQ(heard.size(), 3u);
  EXPECT_EQ(told, Heard{"a"});
}

TEST_F(EventBoardTest, OfTooManyThatCannotBeStoredTheOldestGoesWithItsWrite) {
  Result<Database> holder = Database::open(folder_ + "/talaria.db");
  ASSERT_TRUE(holder && holder->execute("BEGIN IMMEDIATE", "test"));
  for (int i = 0; i < 5010; ++i) add("s", "j" + std::to_string(i), "exit");
  EXPECT_EQ(store_->waiting(), 5000u);
}

}  // namespace
}  // namespace talaria
