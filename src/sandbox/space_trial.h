#pragma once
// For tests: a workspace, a home with secrets, and a session sandbox over them, as root or as an ordinary user.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "os/file.h"
#include "os/socket.h"
#include "sandbox/space_plan.h"
#include "sandbox/trial.h"

namespace talaria {

struct Outcome {
  int status = -1;  // exit code, 128 + signal, or -1 with the error as output
  std::string output;
  bool operator==(const Outcome&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << outcome.status << ": " << outcome.output;
}

class SpaceTrial {
 public:
  // The profile may be changed before the first command.
  explicit SpaceTrial(ProfileKind kind = ProfileKind::workspace_write) : profile(built_in_profile(kind)) {
    char pattern[] = "/tmp/talaria-space-XXXXXX";
    CHECK(::mkdtemp(pattern));
    root = pattern;
    CHECK(::chmod(pattern, 0755) == 0);
    workspace = root + "/work";
    home = root + "/home";
    own = root + "/own";
    for (const std::string& folder : {workspace, home, own + "/run"}) CHECK(make_directories(folder));
    CHECK(write_file_atomically(home + "/secret", "the secret\n"));
    CHECK(write_file_atomically(own + "/key", "our key\n"));
    CHECK(write_file_atomically(home + "/.gitconfig", "[user]\n\tname = A\n\temail = a@b.c\n"));
  }
  SpaceTrial(const SpaceTrial&) = delete;
  SpaceTrial& operator=(const SpaceTrial&) = delete;
  ~SpaceTrial() {
    space_.reset();
    (void)remove_tree(root);
  }

  Result<SessionPlan> plan() {
    IdentityFacts facts;
    facts.uid = ::geteuid();
    facts.gid = ::getegid();
    facts.profile = profile.kind;
    facts.root_identity = root_identity;
    const Identity identity = TRY(plan_identity(facts));
    FactsQuestion question;
    question.workspace = workspace;
    question.environment = {{"HOME", home}, {"PATH", path}};
    question.own_home = own;
    question.own_runtime = own + "/run";
    question.library = library;
    question.shown = shown;
    const MachineFacts machine = TRY(look_at_machine(question, identity, profile));
    return plan_session(profile, identity, machine);
  }

  // A shell command in the session; stdout and stderr together.
  Outcome run(const std::string& script, std::vector<NumberedFd> further = {}) {
    return run_program({"/bin/bash", "-c", script}, std::move(further));
  }

  Outcome run_program(const std::vector<std::string>& argv, std::vector<NumberedFd> further = {}) {
    if (const std::string problem = prepare(); !problem.empty()) return {-1, problem};
    auto [output, streams] = new_streams();
    streams.further = std::move(further);
    Result<int> status = run_in_space(*space_, order_of(argv), std::move(streams));
    if (!status) return {-1, status.error().message()};
    return {WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status), read_ready(output)};
  }

  // A command that goes on until the returned control socket is closed.
  struct Background {
    UniqueFd control;
    UniqueFd output;
    pid_t pid = 0;
  };
  Background start(const std::string& script) {
    const std::string problem = prepare();
    if (!problem.empty()) std::fprintf(stderr, "%s\n", problem.c_str());
    CHECK(problem.empty());
    auto [mine, theirs] = *socket_pair(SOCK_SEQPACKET);
    CHECK(prepare_control(mine.get()));
    auto [output, streams] = new_streams();
    CHECK(space_->command(order_of({"/bin/bash", "-c", script}), std::move(theirs), std::move(streams)));
    const CommandReport report = *receive_report(mine.get());
    CHECK(report.kind == CommandReport::Kind::started);
    return {std::move(mine), std::move(output), report.value};
  }

  CommandOrder order_of(const std::vector<std::string>& argv) const {
    CommandOrder order = session_->command;
    order.argv = argv;
    order.environment.push_back("PATH=" + path);
    return order;
  }

  // Plans and makes the sandbox; what went wrong, or nothing.
  std::string prepare() {
    if (space_) return "";
    Result<SessionPlan> planned = plan();
    if (!planned) return planned.error().message();
    session_ = std::make_unique<SessionPlan>(*std::move(planned));
    Result<SessionSpace> started = SessionSpace::start(session_->space);
    if (!started) return started.error().message();
    space_ = std::make_unique<SessionSpace>(*std::move(started));
    return "";
  }
  void end() { space_.reset(); }

  SessionSpace& space() { return *space_; }
  const SessionPlan& session() { return *session_; }

  Profile profile;
  RootIdentity root_identity = RootIdentity::mapped;
  std::string root, workspace, home, own;
  std::string library;             // of programs; empty: none
  std::vector<std::string> shown;  // even inside our own home
  std::string path = "/usr/local/bin:/usr/bin:/bin";

 private:
  static std::pair<UniqueFd, CommandStreams> new_streams() {
    auto [output, inner] = *make_pipe();
    UniqueFd errors(::fcntl(inner.get(), F_DUPFD_CLOEXEC, 3));
    CommandStreams streams{*open_file("/dev/null", O_RDONLY), std::move(inner), std::move(errors)};
    return {std::move(output), std::move(streams)};
  }

  static std::string read_ready(const UniqueFd& output) {
    CHECK(set_nonblocking(output.get()));  // a daemon may hold the other end
    std::string text;
    char buffer[4096];
    for (ssize_t count; (count = ::read(output.get(), buffer, sizeof buffer)) > 0;) text.append(buffer, count);
    return text;
  }

  std::unique_ptr<SessionPlan> session_;
  std::unique_ptr<SessionSpace> space_;
};

// Runs a test's body as an ordinary user in a process of its own; its failures become ours.
inline void as_ordinary_user(void (*body)()) {
  const Ended ended = try_in_child(Who::ordinary_user, [body] {
    try {
      body();
    } catch (const std::exception& problem) {  // else the child would go on with the next test
      ADD_FAILURE() << problem.what();
    }
    std::fflush(nullptr);
    return testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_EQ(ended, Ended()) << "see above for what failed as an ordinary user";
}

}  // namespace talaria

// One body, two tests: as who runs the tests, and as an ordinary user.
#define SPACE_TEST(suite, name)                                            \
  void name();                                                             \
  TEST(suite, name) { name(); }                                            \
  TEST(suite, name##AsAnOrdinaryUser) { talaria::as_ordinary_user(name); } \
  void name()
