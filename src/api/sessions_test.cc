#include "api/sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "api/client_name.h"
#include "api/session_user.h"
#include "os/file.h"

namespace talaria {
namespace {

using testing::HasSubstr;

class SessionsTest : public testing::Test {
 protected:
  SessionsTest() : folder_(testing::TempDir() + "sessions." + std::to_string(::getpid())) {
    make_repository(folder_ + "/repo");
    EXPECT_TRUE(make_directories(folder_ + "/repo/src/deep"));
    EXPECT_TRUE(make_directories(folder_ + "/plain"));
    Result<Store> opened = Store::open(folder_ + "/talaria.db");
    EXPECT_TRUE(opened);
    store_ = std::make_unique<Store>(*std::move(opened));
    sessions_ = std::make_unique<Sessions>(*store_, workspace_rules(folder_ + ".home"));
  }
  ~SessionsTest() override { (void)remove_tree(folder_); }

  SessionRow in(const std::string& cwd, std::optional<std::string> name = {}) {
    Result<SessionRow> session = sessions_->resolve({{}, folder_ + cwd, std::move(name)}, {"cli", "me", true});
    EXPECT_TRUE(session) << session.error().message();
    return session ? *session : SessionRow();
  }
  // As a client without rights of a person's.
  Result<SessionRow> of(const std::string& client, std::optional<int64_t> slot = {}) {
    return sessions_->resolve({.cwd = folder_ + "/repo", .slot = slot}, {"socket", client});
  }
  static void make_repository(const std::string& folder) {
    for (const char* name : {"/.git/objects", "/.git/refs"}) EXPECT_TRUE(make_directories(folder + name));
    EXPECT_TRUE(write_file_atomically(folder + "/.git/HEAD", "ref: refs/heads/main\n", 0600, Durable::no));
  }
  std::string refusal(const SessionRef& ref) {
    Result<SessionRow> session = sessions_->resolve(ref, {});
    return session ? "no refusal" : session.error().message();
  }

  std::string folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Sessions> sessions_;
};

TEST_F(SessionsTest, ADirectoryKeepsItsSessionWhenItsWorkspaceIsAnotherNow) {
  const SessionRow before = in("/plain");
  SessionRow wider = before;  // as a version had it that took whatever was called .git above
  wider.id = "wider";
  wider.name = "stored";
  wider.client.clear();
  wider.workspace = real_or_given_path(folder_);
  ASSERT_TRUE(store_->sessions().create(wider));
  const SessionRow after = in("/plain", "stored");
  EXPECT_EQ(after.id, "wider");
  EXPECT_EQ(after.workspace, before.workspace);
  EXPECT_EQ((*store_->sessions().find("wider"))->workspace, before.workspace);
  // A repository is made around it.
  make_repository(folder_);
  const SessionRow around = in("/plain");
  EXPECT_EQ(around.id, before.id);
  EXPECT_EQ(around.workspace, real_or_given_path(folder_));
  EXPECT_EQ(sessions_->workspace(around).reason, WorkspaceReason::repository);
}

TEST_F(SessionsTest, ARepositoryMadeInsideAnotherTakesItsSessionFromNobody) {
  const SessionRow outer = in("/repo/src");
  make_repository(folder_ + "/repo/src");
  const SessionRow inner = in("/repo/src");
  EXPECT_NE(inner.id, outer.id);
  EXPECT_EQ(inner.workspace, real_or_given_path(folder_ + "/repo/src"));
  EXPECT_EQ(in("/repo").id, outer.id);
}

TEST_F(SessionsTest, ASessionNamedByItsIdKeepsTheWorkspaceItBeganWith) {
  SessionRow old = in("/plain");
  old.id = "old";
  old.workspace = real_or_given_path(folder_);
  ASSERT_TRUE(store_->sessions().create(old));
  const Result<SessionRow> found = sessions_->resolve({"old", {}, {}}, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(sessions_->workspace(*found),
            (Workspace{old.workspace, WorkspaceReason::session,
                       "The workspace is " + old.workspace + ", as it was when this session began."}));
}

TEST_F(SessionsTest, OneSessionPerWorkspaceWithTheCallersDirectory) {
  const SessionRow first = in("/repo");
  const SessionRow second = in("/repo/src");
  EXPECT_EQ(second.id, first.id);
  EXPECT_EQ(second.cwd, folder_ + "/repo/src");
  EXPECT_EQ(second.workspace, real_or_given_path(folder_ + "/repo"));
  EXPECT_NE(in("/plain").id, first.id);
}

TEST_F(SessionsTest, NoCallFailsBecauseItsSessionCannotBeStored) {
  SessionRow old;
  old.id = "old";
  old.workspace = old.cwd = folder_ + "/plain";
  old.created_ms = old.last_used_ms = epoch_ms() - 3600'000;
  ASSERT_TRUE(store_->sessions().create(old));
  Result<Database> holder = Database::open(folder_ + "/talaria.db");
  ASSERT_TRUE(holder && holder->execute("BEGIN IMMEDIATE", "test"));
  // Its use is to be noted, another is new, a third changes.
  EXPECT_TRUE(sessions_->resolve({"old", {}, {}}, {}));
  const SessionRow made = in("/repo");
  EXPECT_TRUE(sessions_->change(made.id, [](SessionDetails& details) { details.shell_cwd = "/tmp"; }));
  EXPECT_EQ(in("/repo/src").id, made.id);
  EXPECT_EQ(store_->sessions().idle(epoch_ms() + 60'000, 10)->size(), 1u);
  ASSERT_TRUE(holder->execute("COMMIT", "test"));
  store_->write_everything();
  EXPECT_EQ(store_->waiting(), 0u);
  EXPECT_EQ((*store_->sessions().find(made.id))->cwd, folder_ + "/repo/src");
  EXPECT_GT((*store_->sessions().find("old"))->last_used_ms, old.last_used_ms);
}

TEST_F(SessionsTest, ANameMakesAnotherOne) {
  const SessionRow named = in("/repo", "review");
  EXPECT_NE(named.id, in("/repo").id);
  EXPECT_EQ(in("/repo", "review").id, named.id);
}

TEST_F(SessionsTest, EachClientOfAWorkspaceHasItsOwnAndFindsItAgain) {
  const std::string first = of("one")->id, second = of("two")->id;
  EXPECT_NE(second, first);
  EXPECT_EQ(of("one")->id, first);
  EXPECT_NE(of("one", 2)->id, first);
  EXPECT_EQ(of("one", 1)->id, first);
  Sessions restarted(*store_, workspace_rules(folder_ + ".home"));
  EXPECT_EQ(restarted.resolve({.cwd = folder_ + "/repo"}, {"socket", "two"})->id, second);
  // A name or an id joins, whoever comes.
  const SessionRef named{.cwd = folder_ + "/repo", .name = "review"};
  EXPECT_EQ(sessions_->resolve(named, {"socket", "one"})->id, sessions_->resolve(named, {"socket", "two"})->id);
  EXPECT_EQ(sessions_->resolve({.id = first}, {"socket", "two"})->id, first);
}

TEST_F(SessionsTest, AFreeSlotIsTheFirstThatNoOtherConnectionUses) {
  const SessionRef wish{.cwd = folder_ + "/repo", .slot = free_slot};
  const Caller agent{"socket", "agent"};
  auto first = std::make_unique<SessionUser>(*sessions_);
  SessionUser second(*sessions_);
  const SessionRow of_first = *first->resolve(wish, agent);
  const SessionRow of_second = *second.resolve(wish, agent);
  EXPECT_EQ(of_first.slot, 1);
  EXPECT_EQ(of_second.slot, 2);
  EXPECT_EQ(SessionUser(*sessions_).resolve(wish, {"socket", "another"})->slot, 1);
  first.reset();
  EXPECT_EQ(second.resolve(wish, agent)->id, of_second.id);  // and not the one that has become free
  SessionUser third(*sessions_);
  EXPECT_EQ(third.resolve(wish, agent)->id, of_first.id);
}

TEST_F(SessionsTest, EndsThoseOfAProcessThatHasEnded) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  const SessionRow session = *of(client_of_process(child));
  const SessionRow own = *of(client_of_process(::getpid()));
  const EpochMs now = epoch_ms();
  const auto idle_jobs = [](const std::string&) { return false; };
  EXPECT_EQ(*sessions_->end_idle(now - 1000, now, idle_jobs), std::vector<std::string>{});
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(*sessions_->end_idle(now - 1000, now, idle_jobs), std::vector<std::string>{session.id});
  EXPECT_EQ(of(client_of_process(::getpid()))->id, own.id);
}

TEST_F(SessionsTest, IsFoundByItsIdAlsoAfterARestart) {
  const SessionRow session = in("/repo");
  Sessions restarted(*store_, workspace_rules(folder_ + ".home"));
  EXPECT_EQ(restarted.resolve({session.id, {}, {}}, {})->cwd, session.cwd);
}

TEST_F(SessionsTest, RefusalsSayWhatToGive) {
  EXPECT_THAT(refusal({}), HasSubstr("give session.id of an existing one, or session.cwd"));
  EXPECT_THAT(refusal({"nosuch", {}, {}}), HasSubstr("no session 'nosuch'"));
  EXPECT_THAT(refusal({{}, "relative", {}}), HasSubstr("absolute path"));
  EXPECT_THAT(of(std::string(101, 'x')).error().message(), HasSubstr("a client's name is at most 100 bytes"));
  EXPECT_THAT(refusal({{}, folder_ + "/gone", {}}), HasSubstr("/gone"));
  EXPECT_THAT(refusal({{}, folder_ + "/talaria.db", {}}), HasSubstr("must be a directory"));
}

TEST_F(SessionsTest, RemembersWhichVariablesSkillsWereGranted) {
  const SessionRow session = in("/repo");
  EXPECT_TRUE(sessions_->grant(session.id, {"NOTION_TOKEN", "TEAM"}));
  EXPECT_TRUE(sessions_->grant(session.id, {"TEAM", "REGION"}));
  const std::vector<std::string> granted = {"NOTION_TOKEN", "TEAM", "REGION"};
  EXPECT_EQ(sessions_->details(session).granted, granted);
  Sessions restarted(*store_, workspace_rules(folder_ + ".home"));
  EXPECT_EQ(restarted.details(*restarted.resolve({session.id, {}, {}}, {})).granted, granted);
}

TEST_F(SessionsTest, GrantsNothingWhenOneNameCannotBePassed) {
  const SessionRow session = in("/repo");
  for (const std::string name : {"OPENAI_API_KEY", "LD_PRELOAD", "PATH", "A=B", "TALARIA_JOB"}) {
    const Result<> granted = sessions_->grant(session.id, {"TEAM", name});
    ASSERT_FALSE(granted) << name;
    EXPECT_THAT(granted.error().message(), HasSubstr("'" + name + "' cannot be passed"));
  }
  std::vector<std::string> many;
  for (int i = 0; i < 101; ++i) many.push_back("V" + std::to_string(i));
  EXPECT_THAT(sessions_->grant(session.id, many).error().message(), HasSubstr("at most 100 variables"));
  EXPECT_EQ(sessions_->details(session).granted, std::vector<std::string>{});
  EXPECT_EQ(sessions_->grant("nosuch", {"TEAM"}).error().code(), ErrorCode::not_found);
}

TEST_F(SessionsTest, EndsWhenIdleAndLivesOnWhenUsedAgain) {
  const SessionRow idle = in("/repo");
  const SessionRow busy = in("/plain");
  const EpochMs now = epoch_ms();
  const auto is_busy = [&](const std::string& id) { return id == busy.id; };
  EXPECT_EQ(*sessions_->end_idle(now - 1000, now, is_busy), std::vector<std::string>{});
  EXPECT_EQ(*sessions_->end_idle(now + 1000, now, is_busy), std::vector<std::string>{idle.id});
  EXPECT_EQ(sessions_->resolve({idle.id, {}, {}}, {})->ended_ms, std::nullopt);
  EXPECT_EQ(in("/repo").id, idle.id);
}

}  // namespace
}  // namespace talaria
