#pragma once
#include "api/interpreters.h"

#include <gtest/gtest.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/sandboxes.h"
#include "base/id.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria {

inline const std::string system_python = "/usr/bin/python3";

// A session with a keeper of its own, Pythons in its workspace, and programs that pretend to be one.
class InterpretersTrial : public testing::Test {
 protected:
  static constexpr auto patience = 20s;

  InterpretersTrial() {
    session_.id = "session";
    session_.workspace = session_.cwd = real_or_given_path(home_.root) + "/../" + workspace_name_;
    EXPECT_TRUE(make_directories(session_.workspace, 0755));
    session_.workspace = session_.cwd = real_or_given_path(session_.workspace);
    login_ = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/nonexistent-home"}};
  }
  ~InterpretersTrial() override { (void)remove_tree(session_.workspace); }

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
    home.root = testing::TempDir() + "i" + id_from(random_u64());
    home.runtime = home.root + "/run";
    EXPECT_TRUE(home.prepare());
    return home;
  }

  Jobs::Events job_events() {
    Jobs::Events events;
    events.on_taken_up = [](LiveJob&) {};
    events.on_finished = [](LiveJob&) {};
    events.on_trouble = [](const std::string& text) { ADD_FAILURE() << text; };
    events.on_connected = [this](const KeeperClient& keeper) { sandboxes_.keeper_connected(keeper); };
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

  Place host() { return {*settings_.current(), std::make_shared<const Environment>(login_), nullptr, {}}; }

  Place inside() {
    Place place = host();
    std::optional<Result<SharedSandboxPlan>> plan;
    const Sandboxes::Waiter waiter =
        sandboxes_.prepare({session_, {}, place.settings, place.environment},
                           [&](Result<SharedSandboxPlan> made) { plan = std::move(made); });
    run_until([&] { return plan.has_value(); });
    EXPECT_TRUE(*plan) << plan->error().message();
    place.sandbox = **plan;
    EXPECT_TRUE(sandboxes_.open(*place.sandbox));
    return place;
  }

  Result<Interpreter> find(const Place& place, InterpreterMode mode = InterpreterMode::project) {
    std::optional<Result<Interpreter>> found;
    const Interpreters::Waiter waiter = interpreters_.find({place, session_, mode, session_.cwd},
                                                           [&](Result<Interpreter> one) { found = std::move(one); });
    run_until([&] { return found.has_value(); });
    return found ? *std::move(found) : Error(ErrorCode::timed_out, "");
  }

  // In the sandbox, as a command of the session.
  void run_inside(const Place& place, const std::string& command) {
    GateRequest request;
    request.security = Security::full;
    request.ask = Ask::off;
    Result<Permit> permit = gate_.permit({{"/bin/sh", "-c", command}, "/", {{"PATH", "/usr/bin:/bin"}}}, request);
    std::optional<Result<Jobs::ErrandEnd>> end;
    jobs_.run_errand(*std::move(permit),
                     {.timeout = patience, .space = place.sandbox->request.space, .steps = place.sandbox->steps},
                     [&](Result<Jobs::ErrandEnd> ended) { end = std::move(ended); });
    run_until([&] { return end.has_value(); });
    ASSERT_TRUE(*end) << end->error().message();
    EXPECT_EQ((*end)->exit_code, 0) << (*end)->output;
  }

  std::string in(const std::string& path) const { return session_.workspace + "/" + path; }

  std::string write(const std::string& path, const std::string& text, mode_t mode = 0755) {
    std::string whole = in(path);
    EXPECT_TRUE(make_directories(whole.substr(0, whole.find_last_of('/')), 0755));
    EXPECT_TRUE(write_file_atomically(whole, text, mode, Durable::no));
    EXPECT_EQ(::chmod(whole.c_str(), mode), 0);
    return whole;
  }

  // As `python3 -m venv` makes it.
  std::string make_venv(const std::string& path) {
    write(path + "/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\n", 0644);
    EXPECT_TRUE(make_directories(in(path + "/bin"), 0755));
    EXPECT_EQ(::symlink(system_python.c_str(), in(path + "/bin/python3").c_str()), 0);
    return in(path + "/bin/python3");
  }

  // A Python that says something else of itself; each start is a line of `starts`.
  std::string pretend(const std::string& path, const std::string& change, const std::string& before = "") {
    return write(path, "#!/bin/sh\necho >> '" + in("starts") + "'\n" + before + "\n" + system_python +
                           " \"$@\" | /bin/sed -e '" + change + "'\n");
  }
  size_t starts() const {
    const Result<std::string> lines = read_file(in("starts"));
    return lines ? lines->size() : 0;
  }

  Loop loop_;
  Home home_ = new_home();
  std::string workspace_name_ = "w" + id_from(random_u64());
  SessionRow session_;
  Environment login_;
  Store store_ = *Store::open(home_.database());
  LiveSettings settings_{home_.config()};
  WorkerPool workers_{loop_, 1};
  Sessions sessions_{store_, {}};
  Gate gate_{[](const GateRequest&, const Verdict&) { return Result<>(ok); }};
  Jobs jobs_{loop_, workers_, home_, store_, job_events()};
  Sandboxes sandboxes_{loop_, workers_, jobs_, home_};
  Shells shells_{sessions_};
  SessionFiles files_{loop_, workers_, jobs_};
  Interpreters interpreters_{loop_, jobs_, gate_, shells_, files_};
};

}  // namespace talaria
