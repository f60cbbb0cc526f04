// Events: kept while nobody listens, delivered once, and none that nobody needs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::HasSubstr;

// Somebody who listens.
class Listener {
 public:
  Listener(House& house, const JsonObject& params) : client_(house.connect()) {
    Result<JsonObject> subscribed = client_.call_object("events/subscribe", params);
    // A gateway that a test has just killed may not be all dead yet.
    for (int attempt = 0; attempt < 10 && !subscribed; ++attempt) {
      client_ = house.connect();
      subscribed = client_.call_object("events/subscribe", params);
    }
    EXPECT_TRUE(subscribed) << subscribed.error().message();
    if (subscribed) subscription_ = integer_or(*subscribed, "subscription");
  }

  RpcClient& client() { return client_; }
  int64_t subscription() const { return subscription_; }

  JsonObject next() {
    const auto deadline = Clock::now() + 20s;
    while (Clock::now() < deadline) {
      while (const std::optional<RpcMessage> message = client_.next()) {
        const auto* notice = std::get_if<RpcNotification>(&*message);
        if (notice && notice->method == "events/event") return *object_or_null(notice->params, "event");
      }
      pollfd entry{client_.fd(), POLLIN, 0};
      if (::poll(&entry, 1, 1000) > 0 && !client_.receive()) break;
    }
    ADD_FAILURE() << "no event came";
    return {};
  }

 private:
  RpcClient client_;
  int64_t subscription_ = 0;
};

class EventsTest : public testing::Test {
 protected:
  std::string start(const std::string& command, JsonObject more = {}) {
    more["background"] = true;
    return id_of(house_.exec(command, std::move(more)));
  }
  // Until it is over, without asking in a way that counts as having been told.
  void await_end(const std::string& id) {
    await(id + " to end", [&] {
      const JsonObject listed = house_.process("list", "");
      for (const Json& row : details_of(listed).at("sessions").as_array()) {
        if (text_or(row.as_object(), "sessionId") == id) return text_or(row.as_object(), "status") != "running";
      }
      return false;
    });
  }
  void configure(const std::string& key, const std::string& value) {
    ASSERT_EQ(house_.run({"config", "set", key, value}).code, 0);
  }
  // Events come in the order they were made: when this one is the next, there was none before it.
  void expect_nothing_before(Listener& listener, const std::string& mark) {
    const std::string id = start("echo " + mark);
    const JsonObject event = listener.next();
    EXPECT_EQ(text_or(event, "job"), id) << write_json(event);
    EXPECT_THAT(text_or(event, "text"), HasSubstr(mark));
  }
  Listener listen() { return Listener(house_, {{"all", true}}); }

  PlainHouse house_;
};

TEST_F(EventsTest, AnExitNobodyHeardIsKeptAndDeliveredOnce) {
  const JsonObject started = house_.exec("echo last words; exit 3", {{"background", true}});
  const std::string id = id_of(started);
  await_end(id);
  house_.kill_gateway();
  {
    Listener first = listen();
    const JsonObject event = first.next();
    EXPECT_EQ(text_or(event, "job"), id);
    EXPECT_EQ(text_or(event, "kind"), "exit");
    EXPECT_EQ(text_or(event, "session"), text_or(details_of(started), "agentSession"));
    EXPECT_EQ(text_or(event, "text"), "Exec completed (" + id + ", code 3) :: last words");
    EXPECT_GE(integer_or(event, "createdAt"), integer_or(details_of(started), "startedAt"));
    EXPECT_GT(integer_or(event, "id"), 0);
    ASSERT_TRUE(object_or_null(event, "details"));
    EXPECT_EQ(integer_or(*object_or_null(event, "details"), "exitCode"), 3);
  }
  Listener second = listen();
  expect_nothing_before(second, "marked");
  house_.kill_gateway();
  Listener third = listen();
  expect_nothing_before(third, "again");
}

TEST_F(EventsTest, AJobThatEndsWhileThereIsNoGatewayIsAnnouncedByTheNext) {
  const std::string id = start("while [ ! -e go ]; do sleep 0.02; done; echo unheard; exit 2");
  house_.kill_gateway();
  ASSERT_TRUE(write_file_atomically(house_.workspace() + "/go", ""));
  await("the job to end", [&] { return exists(house_.home().job(id) + "/meta.json"); });
  Listener listener = listen();
  EXPECT_EQ(text_or(listener.next(), "text"), "Exec completed (" + id + ", code 2) :: unheard");
  expect_nothing_before(listener, "next");
}

TEST_F(EventsTest, ASignalAndATimeoutAreNamed) {
  Listener listener = listen();
  const std::string aborted = start("kill -ABRT $$");
  EXPECT_EQ(text_or(listener.next(), "text"), "Exec failed (" + aborted + ", signal SIGABRT)");
  const std::string late = start("sleep 60", {{"timeout", 0.1}});
  const JsonObject event = listener.next();
  EXPECT_EQ(text_or(event, "job"), late);
  EXPECT_EQ(text_or(*object_or_null(event, "details"), "reason"), "timeout");
}

TEST_F(EventsTest, APatternIsAnnouncedOnceWhenItIsSeen) {
  Listener listener = listen();
  const std::string id = start("echo booting; echo ready on 8080; echo ready on 8081; sleep 60",
                               {{"notify", JsonArray{"pattern:ready on \\d+", "pattern:never"}}});
  const JsonObject event = listener.next();
  EXPECT_EQ(text_or(event, "kind"), "pattern");
  EXPECT_EQ(text_or(event, "job"), id);
  EXPECT_THAT(text_or(event, "text"), HasSubstr(":: ready on 8080"));
  EXPECT_EQ(text_or(*object_or_null(event, "details"), "line"), "ready on 8080");
  house_.kill_gateway();
  Listener later = listen();
  expect_nothing_before(later, "marked");
}

TEST_F(EventsTest, APatternSeenWhileNobodyListensIsKept) {
  const std::string id = start("echo ready; sleep 60", {{"notify", JsonArray{"pattern:^ready$", "exit"}}});
  house_.process("wait", id, {{"until", "ready"}, {"timeout", 20000}});
  Listener listener = listen();
  EXPECT_EQ(text_or(listener.next(), "kind"), "pattern");
}

TEST_F(EventsTest, ACancelledJobDoesNotAnnounceItself) {
  Listener listener = listen();
  house_.process("kill", start("echo x; sleep 60"));
  house_.process("remove", start("echo x; sleep 60"));
  const std::string signalled = start("echo x; sleep 60");
  house_.process("kill", signalled, {{"signal", "TERM"}});
  await_end(signalled);
  expect_nothing_before(listener, "marked");
}

TEST_F(EventsTest, WhoSawTheEndIsNotToldAgain) {
  house_.process("wait", start("sleep 0.1; echo x; exit 1"), {{"timeout", 20000}});
  const std::string waited_late = start("echo x; exit 1");
  await_end(waited_late);
  house_.process("wait", waited_late, {{"timeout", 20000}});
  const std::string polled = start("echo x; exit 1");
  await_end(polled);
  house_.process("poll", polled);
  house_.exec("echo foreground; exit 1");
  EXPECT_EQ(house_.run({"exec", "echo cli; exit 1"}).code, 1);
  Listener listener = listen();
  expect_nothing_before(listener, "marked");
}

TEST_F(EventsTest, SilentSuccessIsWorthAnEventOnlyWhenAskedFor) {
  Listener listener = listen();
  await_end(start("true"));
  const std::string asked = start("true", {{"notify", true}});
  EXPECT_EQ(text_or(listener.next(), "job"), asked);
  const std::string failed = start("false");
  EXPECT_EQ(text_or(listener.next(), "text"), "Exec completed (" + failed + ", code 1)");
  configure("exec.notify_on_exit_empty_success", "true");
  const std::string silent = start("true");
  EXPECT_EQ(text_or(listener.next(), "text"), "Exec completed (" + silent + ", code 0)");
}

TEST_F(EventsTest, ExitsAreNotAnnouncedWhenSwitchedOff) {
  Listener listener = listen();
  await_end(start("echo x", {{"notify", false}}));
  configure("exec.notify_on_exit", "false");
  await_end(start("echo x"));
  const std::string asked = start("echo x", {{"notify", JsonArray{"exit"}}});
  EXPECT_EQ(text_or(listener.next(), "job"), asked);
}

TEST_F(EventsTest, AListenerHearsItsOwnSessionOnly) {
  const std::string session = text_or(details_of(house_.exec("true")), "agentSession");
  const std::string other_folder = house_.environment()["HOME"] + "/other";
  ASSERT_TRUE(make_directories(other_folder));
  RpcClient client = house_.connect();
  const Result<JsonObject> other = client.call_object(
      "tools/call", {{"name", "exec"},
                     {"arguments", JsonObject{{"command", "echo other; exit 1"}, {"background", true}}},
                     {"client", "cli"},
                     {"session", JsonObject{{"cwd", other_folder}}}});
  ASSERT_TRUE(other);
  await("the other session's job to end", [&] { return house_.run({"ps", "--running", "-q"}).out.empty(); });
  Listener mine(house_, {{"session", session}});
  expect_nothing_before(mine, "mine");
  Listener theirs(house_, {{"session", text_or(details_of(*other), "agentSession")}});
  EXPECT_EQ(text_or(theirs.next(), "job"), id_of(*other));
}

TEST_F(EventsTest, AfterUnsubscribingEventsWaitForTheNextListener) {
  Listener listener = listen();
  expect_nothing_before(listener, "heard");
  ASSERT_TRUE(listener.client().call_object("events/unsubscribe", {{"subscription", listener.subscription()}}));
  const std::string id = start("echo kept");
  await_end(id);
  Listener next = listen();
  EXPECT_EQ(text_or(next.next(), "job"), id);
}

TEST_F(EventsTest, TheCommandLinePrintsThemAsTheyHappenAcrossARestart) {
  Running events = house_.start({"events", "--json"});
  const std::string first = start("echo one; exit 5");
  events.await_output(first);
  EXPECT_EQ(house_.run({"serve", "--replace"}).code, 0);
  const std::string second = start("echo two");
  const std::string& out = events.await_output(second);
  const Result<JsonObject> line = parse_json_object(out.substr(0, out.find('\n')));
  ASSERT_TRUE(line) << out;
  EXPECT_EQ(text_or(*line, "text"), "Exec completed (" + first + ", code 5) :: one");
  ::kill(events.pid(), SIGKILL);
  events.finish();
  Running plain = house_.start({"events"});
  const std::string third = start("echo three");
  plain.await_output(third + " exit Exec completed (" + third + ", code 0) :: three\n");
}

}  // namespace
}  // namespace talaria
