// Calls that wait for a job: what they do once they have answered. With a real keeper and real jobs.
#include "api/process_call.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>

#include "api/interpreters.h"
#include "api/scripts.h"
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
    events.on_trouble = [](const std::string& text) { ADD_FAILURE() << text; };
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
  Store store_ = *Store::open(home_.database());
  LiveSettings settings_{home_.config()};
  WorkerPool workers_{loop_, 1};
  Sessions sessions_{store_};
  Gate gate_{[](const GateRequest&, const Verdict&) { return Result<>(ok); }};
  EventBoard board_{loop_, store_, [](const std::string& text) { ADD_FAILURE() << text; }};
  Jobs jobs_{loop_, workers_, home_, store_, job_events()};
  Outputs outputs_{loop_, jobs_, store_};
  KnownSecrets secrets_{store_, home_.root + "/.env", [](const std::string& text) { ADD_FAILURE() << text; }};
  Announcer announcer_{outputs_, board_, settings_, secrets_};
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
  EXPECT_EQ(answers_, std::vector<std::string>{"Process exited with code 0."});
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

}  // namespace
}  // namespace talaria
