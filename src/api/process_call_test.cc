// Calls that wait for a job: what they do once they have answered. With a real keeper and real jobs.
#include "api/process_call.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>

#include "api/follow.h"
#include "api/interpreters.h"
#include "api/scripts.h"
#include "api/sweeper.h"
#include "api/write_behind.h"
#include "base/id.h"
#include "os/file.h"
#include "os/random.h"
#include "skills/catalog.h"
#include "skills/trusted_texts.h"

namespace talaria {
namespace {

constexpr auto patience = 20s;

class ProcessCallTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(jobs_.connect()); }

  void TearDown() override {
    jobs_.leave();
    bool over = false;
    const KeeperClient::Call ending = (*jobs_.keeper())->shut_down([&](const Result<JobStatus>&) { over = true; });
    run_until([&] { return over; });
    (void)remove_tree(home_.root);
  }

  static Home new_home() {
    ::unsetenv("XDG_RUNTIME_DIR");
    Home home;
    home.root = testing::TempDir() + "p" + id_from(random_u64());
    home.runtime = home.root + "/run";
    EXPECT_TRUE(home.prepare());
    return home;
  }

  Jobs::Events job_events() {
    Jobs::Events events;
    events.on_taken_up = [](LiveJob&) {};
    events.on_finished = [this](LiveJob& job) { announcer_.finished(job); };
    events.on_trouble = [this](const std::string& text) {
      if (!trouble_expected_) ADD_FAILURE() << text;
    };
    events.on_connected = [](const KeeperClient&) {};
    events.on_space_gone = [](const std::string&, const std::string&) {};
    return events;
  }

  template <class Condition>
  void run_until(Condition condition) {
    const auto deadline = Clock::now() + patience;
    while (!condition()) {
      ASSERT_LT(Clock::now(), deadline) << "waited too long";
      const Loop::Timer turn = loop_.after(1ms, [this] { loop_.stop(); });
      loop_.run();
    }
  }

  // Runs until something is written to it, whatever signal comes.
  JobRow start_reader() {
    Jobs::Start start;
    start.row.id = id_from(random_u64());
    start.options.stdin_kind = Stdin::pipe;
    GateRequest request;
    request.security = Security::full;
    request.ask = Ask::off;
    Result<Permit> permit = gate_.permit({{"/bin/sh", "-c", "trap '' TERM; echo; read line"}, "/", {}}, request);
    EXPECT_TRUE(permit);
    LiveJob* job = *jobs_.start(*std::move(permit), std::move(start));
    bool ready = false;
    const KeeperClient::Call reading =
        (*jobs_.keeper())->read(job->row.id, 0, 1, {patience}, [&](const Result<Chunk>&) { ready = true; });
    run_until([&] { return ready && job->row.state == JobState::running; });
    return job->row;
  }

  void write_to(const JobRow& row) {
    writing_ = (*jobs_.keeper())->write(row.id, "x\n", true, {}, [](const Result<JobStatus>&) {});
  }

  ProcessWish wish_for(const JobRow& row, ProcessArguments arguments) {
    ProcessWish wish;
    wish.arguments = std::move(arguments);
    wish.row = row;
    wish.settings = *settings_.current();
    return wish;
  }

  Done<ToolResult> note_answer() {
    return [this](Result<ToolResult> result) { answers_.push_back(result->text); };
  }

  using Watchers = std::vector<std::weak_ptr<std::function<void(LiveJob&)>>>;
  static size_t still_there(const Watchers& watchers) {
    return static_cast<size_t>(std::ranges::count_if(watchers, [](const auto& watcher) { return !watcher.expired(); }));
  }

  Loop loop_;
  Home home_ = new_home();
  int64_t step_ms_ = 0;  // how far the test has set the wall clock
  Clocks clocks_{boot_id(), [this] {
                   ClockReading now = read_clocks();
                   now.wall_ns += step_ms_ * 1'000'000;
                   return now;
                 }};
  Store store_ = *Store::open(home_.database(), clocks_);
  WriteBehind writes_{loop_, store_, [](const std::string& text) { ADD_FAILURE() << text; }};
  LiveSettings settings_{home_.config()};
  WorkerPool workers_{loop_, 1};
  Sessions sessions_{store_, {}};
  Gate gate_{[](const GateRequest&, const Verdict&) { return Result<>(ok); }};
  EventBoard board_{loop_, store_, [](const std::string& text) { ADD_FAILURE() << text; }};
  Jobs jobs_{loop_, workers_, home_, store_, job_events()};
  Outputs outputs_{loop_, jobs_, store_};
  KnownSecrets secrets_{store_, home_.root + "/.env", [](const std::string& text) { ADD_FAILURE() << text; }};
  Announcer announcer_{jobs_, outputs_, board_, settings_, secrets_};
  LoginEnvironment environment_{loop_, jobs_, gate_, home_, {}};
  Sandboxes sandboxes_{loop_, workers_, jobs_, home_};
  Shells shells_{sessions_};
  SessionFiles files_{loop_, workers_, jobs_};
  ToolRegistry tools_;
  ToolDesk desk_{loop_, settings_, sessions_, tools_};
  Interpreters interpreters_{loop_, jobs_, gate_, shells_, files_};
  Scripts scripts_{parts_};
  Catalog catalog_{home_.cache() + "/skills.index"};
  TrustedTexts trusted_texts_{home_.root + "/skills"};
  Parts parts_{loop_,    workers_, store_,        settings_,    sessions_,  gate_,          jobs_,
               outputs_, board_,   announcer_,    environment_, sandboxes_, shells_,        files_,
               workers_, desk_,    interpreters_, scripts_,     catalog_,   trusted_texts_, secrets_};
  std::vector<std::string> answers_;
  bool trouble_expected_ = false;
  KeeperClient::Call writing_;
};

// A job is heard of twice: when it ends, and when nothing of it is left. Whoever asked may keep the call until then.
TEST_F(ProcessCallTest, AWaitThatHasAnsweredListensNoMore) {
  const JobRow row = start_reader();
  ProcessArguments arguments;
  arguments.action = ProcessAction::wait;
  const OperationPtr waiting = start_wait(parts_, wish_for(row, arguments), note_answer());
  const Watchers watchers = jobs_.live(row.id)->watchers;
  ASSERT_EQ(still_there(watchers), 1u);
  write_to(row);
  run_until([&] { return !answers_.empty(); });
  EXPECT_EQ(still_there(watchers), 0u);
  run_until([&] { return !jobs_.live(row.id); });
  EXPECT_EQ(answers_, std::vector<std::string>{"Command exited with code 0."});
}

TEST_F(ProcessCallTest, ASignalThatHasAnsweredListensNoMore) {
  const JobRow row = start_reader();
  ProcessArguments arguments;
  arguments.action = ProcessAction::kill;
  arguments.signal = "TERM";
  const OperationPtr ending = start_end(parts_, wish_for(row, arguments), note_answer());
  run_until([&] { return still_there(jobs_.live(row.id)->watchers) == 1; });
  const Watchers watchers = jobs_.live(row.id)->watchers;
  write_to(row);
  run_until([&] { return !answers_.empty(); });
  EXPECT_EQ(still_there(watchers), 0u);
  run_until([&] { return !jobs_.live(row.id); });
  EXPECT_EQ(answers_.size(), 1u);
}

// As when either side has no memory for a message.
class BrokenConnectionTest : public ProcessCallTest {
 protected:
  // Ends every connection from this process to the keeper.
  void break_connection() {
    trouble_expected_ = true;
    for (int fd = 3; fd < 256; ++fd) {
      sockaddr_un peer{};
      socklen_t length = sizeof peer;
      if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &length) != 0 || peer.sun_family != AF_UNIX) continue;
      if (home_.keeper_socket() == peer.sun_path) ::shutdown(fd, SHUT_RDWR);
    }
  }
  std::unique_ptr<JobFollow> follow(const JobRow& row) {
    Follower follower;
    follower.output = [this](const OutputPiece& piece) { followed_ += piece.data; };
    follower.ended = [this](const ToolResult& result) { ending_ = text_or(result.details, "status"); };
    return std::make_unique<JobFollow>(parts_, row.id, 0, FollowUntil::gone, Pace::every_byte, std::move(follower));
  }

  std::string followed_;
  std::string ending_;
};

TEST_F(BrokenConnectionTest, LosesNoJobWhileTheKeeperLives) {
  const JobRow row = start_reader();
  ProcessArguments arguments;
  arguments.action = ProcessAction::wait;
  const OperationPtr waiting = start_wait(parts_, wish_for(row, arguments), note_answer());
  const std::unique_ptr<JobFollow> following = follow(row);
  run_until([&] { return followed_ == "\n"; });
  const KeeperClient* before = *jobs_.keeper();
  const std::string keeper = before->instance();
  break_connection();
  run_until([&] { return *jobs_.keeper() != before; });
  EXPECT_EQ((*jobs_.keeper())->instance(), keeper);
  ASSERT_TRUE(jobs_.live(row.id));
  EXPECT_EQ(jobs_.live(row.id)->row.state, JobState::running);
  write_to(row);
  run_until([&] { return !answers_.empty() && !ending_.empty(); });
  EXPECT_EQ(answers_, std::vector<std::string>{"Command exited with code 0."});
  EXPECT_EQ(ending_, "completed");
}

TEST_F(BrokenConnectionTest, AStartThatWasUnderWayIsHeardOfAllTheSame) {
  Jobs::Start start;
  start.row.id = id_from(random_u64());
  GateRequest request;
  request.security = Security::full;
  request.ask = Ask::off;
  LiveJob* job = *jobs_.start(*gate_.permit({{"/bin/sh", "-c", "exit 3"}, "/", {}}, request), std::move(start));
  std::vector<JobState> seen;
  std::optional<Error> failed;
  const JobWatch watch = jobs_.watch(*job, [&](const LiveJob& changed) {
    if (changed.start_error) failed = changed.start_error;
    seen.push_back(changed.row.state);
  });
  break_connection();
  run_until([&] { return failed || (!seen.empty() && finished(seen.back())); });
  EXPECT_FALSE(failed) << failed->message();
  EXPECT_EQ(seen.back(), JobState::ended);
}

// A wall clock that was set forward or back while jobs ran.
class SteppedClockTest : public ProcessCallTest, public testing::WithParamInterface<int64_t> {
 protected:
  static constexpr int64_t day_ms = 24 * 3600 * 1000LL;

  JsonObject entry_of(const std::string& id) {
    JsonObject found;
    bool answered = false;
    ProcessArguments arguments;
    arguments.action = ProcessAction::list;
    const OperationPtr listing = start_list(parts_, wish_for({}, arguments), [&](const Result<ToolResult>& result) {
      answered = true;
      for (const Json& entry : result->details.at("sessions").get_array()) {
        if (text_or(entry.get_object(), "sessionId") == id) found = entry.get_object();
      }
    });
    run_until([&] { return answered; });
    return found;
  }
  // What it says lies between nothing and all the time since the test began.
  void expect_measured(const JsonObject& entry, const char* what) {
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began_).count() + 1;
    EXPECT_GE(integer_or(entry, what, -1), 0) << what;
    EXPECT_LE(integer_or(entry, what, -1), since) << what;
  }

  Clock::time_point began_ = Clock::now();
};

TEST_P(SteppedClockTest, AgesAndRunningTimesAreWhatTheyWere) {
  const JobRow row = start_reader();
  const EpochMs started = started_at(row);
  step_ms_ = GetParam();
  const JsonObject running = entry_of(row.id);
  expect_measured(running, "ageMs");
  expect_measured(running, "runtimeMs");
  EXPECT_EQ(integer_or(running, "startedAt"), started);
  write_to(row);
  run_until([&] { return !jobs_.live(row.id); });
  const JsonObject over = entry_of(row.id);
  expect_measured(over, "ageMs");
  expect_measured(over, "runtimeMs");
  EXPECT_GE(integer_or(over, "ageMs"), integer_or(over, "runtimeMs"));
  EXPECT_EQ(integer_or(over, "startedAt"), started);
}

TEST_P(SteppedClockTest, TheSweepTakesWhatIsOldAndNothingElse) {
  const EpochMs now = store_.timeline().now();
  for (int i = 0; i < 60; ++i) {
    JobRow row;
    row.id = (i < 5 ? "old" : "young") + std::to_string(i);
    row.state = JobState::ended;
    row.started_ms = now - day_ms;
    row.ended_ms = i < 5 ? now - day_ms + 1 : now - 1;
    ASSERT_TRUE(store_.jobs().insert(row));
  }
  SessionRow idle, used;
  idle.id = "idle", used.id = "used";
  idle.workspace = "/idle", used.workspace = "/used";
  idle.last_used_ms = now - day_ms, used.last_used_ms = now;
  ASSERT_TRUE(store_.sessions().create(idle));
  ASSERT_TRUE(store_.sessions().create(used));
  step_ms_ = GetParam();
  Sweeper sweeper(parts_, [](const std::string& text) { ADD_FAILURE() << text; });
  sweeper.sweep_now();
  for (int i = 0; i < 5; ++i) {
    run_until([&] { return !*store_.jobs().find("old" + std::to_string(i)); });
  }
  for (int i = 5; i < 60; ++i) EXPECT_TRUE(*store_.jobs().find("young" + std::to_string(i))) << i;
  EXPECT_TRUE((*store_.sessions().find("idle"))->ended_ms);
  EXPECT_FALSE((*store_.sessions().find("used"))->ended_ms);
}

INSTANTIATE_TEST_SUITE_P(Steps, SteppedClockTest, testing::Values(2 * 24 * 3600 * 1000LL, -2 * 24 * 3600 * 1000LL));

}  // namespace
}  // namespace talaria
