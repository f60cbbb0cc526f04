// What sandboxes show beside their view, as whoever prepares one gets it. In real sandboxes, so not under the thread
// sanitizer: it gives the keeper a second thread, and with that the kernel lets it make no user namespace.
#if !defined(__SANITIZE_THREAD__)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/interpreters_trial.h"
#include "api/sandboxes.h"
#include "api/session_files.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SandboxesShowTest : public InterpretersTrial {
 protected:
  void SetUp() override {
    InterpretersTrial::SetUp();
    sandboxes_.on_view_changed([this](const std::string& space) { files_.close(space); });
    EXPECT_TRUE(make_directories(skill_, 0755));
    EXPECT_TRUE(write_file_atomically(skill_ + "/SKILL.md", "the skill\n", 0644));
  }

  SharedSandboxPlan prepare(Sandboxes& sandboxes, const std::vector<ShownPath>& shown) {
    const Place place = host();
    std::optional<Result<SharedSandboxPlan>> plan;
    const Sandboxes::Waiter waiter = sandboxes.prepare({session_, {}, place.settings, place.environment, shown},
                                                       [&](Result<SharedSandboxPlan> made) { plan = std::move(made); });
    run_until([&] { return plan.has_value(); });
    if (!plan || !*plan) return nullptr;
    EXPECT_TRUE(sandboxes.open(***plan));
    return **plan;
  }
  SharedSandboxPlan prepare(const std::vector<ShownPath>& shown) { return prepare(sandboxes_, shown); }

  // What a command prints.
  std::string run_in(const SharedSandboxPlan& plan, const std::string& command) {
    GateRequest request;
    request.security = Security::full;
    request.ask = Ask::off;
    Result<Permit> permit =
        gate_.permit({{"/bin/sh", "-c", command + " 2>&1"}, "/", {{"PATH", "/usr/bin:/bin"}}}, request);
    std::optional<Result<Jobs::ErrandEnd>> end;
    jobs_.run_errand(*std::move(permit), {.timeout = patience, .space = plan->request.space, .steps = plan->steps},
                     [&](Result<Jobs::ErrandEnd> ended) { end = std::move(ended); });
    run_until([&] { return end.has_value(); });
    return *end ? (*end)->output : end->error().message();
  }

  // What a file tool reads.
  std::string read_in(const SharedSandboxPlan& plan, const std::string& path) {
    std::optional<Result<JsonObject>> found;
    const SessionFiles::Wanted wanted = files_.run(
        session_.id, plan->request.space,
        [path](SessionFiles::Bench& bench) -> JsonObject {
          return {{"there", static_cast<bool>(bench.files.stat(path))}};
        },
        [&](Result<JsonObject> result) { found = std::move(result); });
    run_until([&] { return found.has_value(); });
    if (!*found) return found->error().message();
    return boolean_or(**found, "there") ? "there" : "not there";
  }

  // In our own home, which is hidden.
  const std::string skill_ = real_or_given_path(home_.root) + "/skills/pdf";
  const std::string file_ = skill_ + "/SKILL.md";
};

TEST_F(SandboxesShowTest, CommandsAndFileToolsSeeWhatIsWishedAndNothingElse) {
  SharedSandboxPlan plan = prepare({});
  EXPECT_THAT(run_in(plan, "cat " + file_), HasSubstr("No such file"));
  EXPECT_EQ(read_in(plan, file_), "not there");
  const std::string space = plan->request.space;
  plan = prepare({{skill_, skill_}});
  EXPECT_EQ(plan->request.space, space);
  EXPECT_THAT(plan->notes, IsEmpty());
  EXPECT_EQ(run_in(plan, "cat " + file_), "the skill\n");
  EXPECT_EQ(read_in(plan, file_), "there");
  EXPECT_EQ(run_in(prepare({{skill_, skill_}}), "cat " + file_), "the skill\n");
  plan = prepare({});
  EXPECT_THAT(run_in(plan, "cat " + file_), HasSubstr("No such file"));
  EXPECT_EQ(read_in(plan, file_), "not there");
}

TEST_F(SandboxesShowTest, WhatCannotBeShownIsANoteOfThePlan) {
  const std::string missing = skill_ + "-missing";
  ASSERT_EQ(::symlink(skill_.c_str(), (skill_ + "-link").c_str()), 0);
  const SharedSandboxPlan plan =
      prepare({{missing, missing}, {skill_, skill_}, {skill_ + "-link", skill_ + "-link"}, {home_.root, skill_}});
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->notes,
              ElementsAre(missing + " is not shown in the sandbox: open " + missing + ": No such file or directory.",
                          HasSubstr("neither a directory nor a regular file"), HasSubstr("hidden in it")));
  EXPECT_EQ(run_in(plan, "cat " + file_), "the skill\n");
  EXPECT_THAT(prepare({})->notes, IsEmpty());
}

TEST_F(SandboxesShowTest, AWorkspaceThatIsASkillStaysWritable) {
  const SharedSandboxPlan plan = prepare({{session_.workspace, session_.workspace}});
  EXPECT_THAT(plan->notes, IsEmpty());
  EXPECT_EQ(run_in(plan, "touch " + in("new") + " && echo made"), "made\n");
}

TEST_F(SandboxesShowTest, AServerThatWorksWhileTheViewChangesIsNotUsedAgain) {
  const SharedSandboxPlan plan = prepare({});
  std::atomic<bool> go = false;
  std::optional<Result<JsonObject>> done;
  const SessionFiles::Wanted wanted = files_.run(
      session_.id, plan->request.space,
      [&](SessionFiles::Bench& bench) -> JsonObject {
        go.wait(false);
        return {{"there", static_cast<bool>(bench.files.stat(file_))}};
      },
      [&](Result<JsonObject> result) { done = std::move(result); });
  prepare({{skill_, skill_}});
  go = true;
  go.notify_all();
  run_until([&] { return done.has_value(); });
  EXPECT_EQ(read_in(plan, file_), "there");
}

TEST_F(SandboxesShowTest, TheNextGatewayTakesAwayWhatAnEarlierOneShowed) {
  ASSERT_TRUE(prepare({{skill_, skill_}}));
  Sandboxes* next = nullptr;
  Jobs::Events events = job_events();
  events.on_connected = [&](const KeeperClient& keeper) { next->keeper_connected(keeper); };
  Jobs jobs(loop_, workers_, home_, store_, std::move(events));
  Sandboxes sandboxes(loop_, workers_, jobs, home_);
  next = &sandboxes;
  ASSERT_TRUE(jobs.connect());
  const SharedSandboxPlan plan = prepare(sandboxes, {});
  EXPECT_EQ(run_in(plan, "ls " + skill_), "");
  jobs.leave();
}

TEST_F(SandboxesShowTest, AnExplanationListsItAndChangesNothing) {
  ASSERT_TRUE(prepare({{skill_, skill_}}));
  const Place place = host();
  SharedSandboxPlan plan;
  const Sandboxes::Waiter waiter = sandboxes_.plan({session_, {}, place.settings, place.environment},
                                                   [&](const Result<SharedSandboxPlan>& known) { plan = *known; });
  ASSERT_TRUE(plan);
  EXPECT_EQ(run_in(plan, "cat " + file_), "the skill\n");
  const JsonObject told = explain(*plan, {{skill_, skill_}});
  EXPECT_THAT(write_json(told.at("readable").get_array()), HasSubstr("\"" + skill_ + "\""));
}

}  // namespace
}  // namespace talaria
#endif
