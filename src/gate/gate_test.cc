#include "gate/gate.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "os/file.h"
#include "os/random.h"

namespace talaria {
namespace {

struct Recorded {
  std::vector<Verdict> verdicts;
  Gate gate{[this](const GateRequest&, const Verdict& verdict) {
    verdicts.push_back(verdict);
    return Result<>(ok);
  }};
};

GateRequest asking(Security security, Ask ask) {
  GateRequest request;
  request.text = "true";
  request.security = security;
  request.ask = ask;
  return request;
}

const Command command{{"/bin/bash", "-c", "true"}, "/tmp", {{"A", "b"}}};

TEST(GateTest, PermitsExactlyTheCommandItJudged) {
  Recorded recorded;
  Result<Permit> permit = recorded.gate.permit(command, asking(Security::full, Ask::off));
  ASSERT_TRUE(permit);
  EXPECT_EQ(permit->command(), command);
  ASSERT_EQ(recorded.verdicts.size(), 1u);
  EXPECT_EQ(recorded.verdicts[0].decision, Decision::allow);
}

TEST(GateTest, RecordsADenialAndGivesItsReason) {
  Recorded recorded;
  Result<Permit> permit = recorded.gate.permit(command, asking(Security::deny, Ask::off));
  ASSERT_FALSE(permit);
  EXPECT_EQ(permit.error(), Error(ErrorCode::denied, "exec denied: host=gateway security=deny"));
  ASSERT_EQ(recorded.verdicts.size(), 1u);
  EXPECT_EQ(recorded.verdicts[0].decision, Decision::deny);
}

TEST(GateTest, RunsNothingThatItCannotRecord) {
  Gate gate([](const GateRequest&, const Verdict&) { return Result<>(Error(ErrorCode::system, "disk full")); });
  EXPECT_EQ(gate.permit(command, asking(Security::full, Ask::off)).error().message(), "disk full");
}

TEST(GateTest, DeniesARequestThatNobodyFilledIn) { EXPECT_FALSE(Recorded().gate.permit(command, GateRequest{})); }

TEST(GateTest, BuildsTheLoginEnvironmentsCommandItself) {
  Recorded recorded;
  Result<Permit> permit =
      recorded.gate.login_environment("/bin/bash", Gate::Interactive::yes, "mark-1", {{"HOME", "/home/me"}});
  ASSERT_TRUE(permit);
  const Command& errand = permit->command();
  ASSERT_EQ(errand.argv.size(), 5u);
  EXPECT_EQ(errand.argv[0], "/bin/bash");
  EXPECT_EQ((std::vector<std::string>(errand.argv.begin() + 1, errand.argv.end() - 1)),
            (std::vector<std::string>{"-l", "-i", "-c"}));
  EXPECT_TRUE(errand.argv[4].ends_with("printf '%s\\0' mark-1; command env -0; printf '%s\\0' mark-1"));
  EXPECT_EQ(errand.cwd, "/");
  EXPECT_EQ(errand.environment, (std::map<std::string, std::string>{{"HOME", "/home/me"}}));
  EXPECT_EQ(recorded.verdicts.size(), 1u);
}

TEST(GateTest, TakesOnlyAShellForTheLoginEnvironment) {
  const Recorded recorded;
  for (const char* shell : {"", "bash", "/bin/rm", "/bin/sh", "./bash", "/tmp/bash; rm -rf x"}) {
    EXPECT_FALSE(recorded.gate.login_environment(shell, Gate::Interactive::no, "mark", {})) << shell;
  }
  EXPECT_FALSE(recorded.gate.login_environment("/bin/bash", Gate::Interactive::no, "x; rm -rf /", {}));
}

TEST(GateTest, BuildsTheQuestionToAPythonItself) {
  Recorded recorded;
  Result<Permit> permit = recorded.gate.python_facts("/opt/env/bin/python3.11", {{"A", "b"}});
  ASSERT_TRUE(permit);
  const Command& errand = permit->command();
  ASSERT_EQ(errand.argv.size(), 6u);
  EXPECT_EQ((std::vector<std::string>(errand.argv.begin(), errand.argv.end() - 1)),
            (std::vector<std::string>{"/opt/env/bin/python3.11", "-I", "-X", "utf8", "-c"}));
  EXPECT_TRUE(errand.argv[5].starts_with("import sys, os, json, site\n"));
  EXPECT_EQ(errand.cwd, "/");
  EXPECT_EQ(errand.environment, (std::map<std::string, std::string>{{"A", "b"}}));
  EXPECT_EQ(recorded.verdicts.size(), 1u);
}

TEST(GateTest, AsksOnlyAPythonForItsFacts) {
  const Recorded recorded;
  for (const std::string python : {"", "python3", "/bin/rm", "./python3", "/bin/python3 -c x", "/tmp/pythonista/sh"}) {
    EXPECT_FALSE(recorded.gate.python_facts(python, {})) << python;
  }
}

TEST(GateTest, RemovesTheDirectoriesOfProgramsOnly) {
  const Gate gate([](const GateRequest&, const Verdict&) -> Result<> { return ok; });
  const Result<Permit> permit = gate.remove_staging("/tmp/talaria-code-ab2c3d4e");
  ASSERT_TRUE(permit);
  EXPECT_EQ(permit->command().argv, (std::vector<std::string>{"/bin/rm", "-rf", "--", "/tmp/talaria-code-ab2c3d4e"}));
  for (const std::string other :
       {"/tmp", "/tmp/x", "/tmp/talaria-code-../..", "/tmp/talaria-code-a/b", "/home/talaria-code-a"}) {
    EXPECT_FALSE(gate.remove_staging(other)) << other;
  }
}

class OwnStateGateTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(make_directories(home_ + "/skills/x")); }
  void TearDown() override { (void)remove_tree(base_); }
  bool may(FileUse use, const std::string& path) {
    const Gate gate([](const GateRequest&, const Verdict&) -> Result<> { return ok; });
    FileGate files = gate.files({}, {}, {"/home/ada", home_}, OwnState::look(home_, home_ + "/run"));
    const bool permitted = static_cast<bool>(files.permit(use, path, path));
    EXPECT_EQ(files.verdicts().size(), 1U) << path;
    return permitted;
  }

  std::string base_ = testing::TempDir() + "own-" + std::to_string(random_u64());
  std::string home_ = base_ + "/home";
};

TEST_F(OwnStateGateTest, KnowsItsFilesByWhatTheyAre) {
  for (const char* name : {"config.yaml", "other"}) {
    ASSERT_TRUE(write_file_atomically(home_ + "/" + name, "", 0600, Durable::no));
  }
  ASSERT_EQ(::symlink(home_.c_str(), (base_ + "/link").c_str()), 0);
  ASSERT_EQ(::link((home_ + "/config.yaml").c_str(), (base_ + "/hard").c_str()), 0);
  for (const std::string& path : {base_ + "/link/config.yaml", base_ + "/link/new", base_ + "/link/skills/x/SKILL.md",
                                  base_ + "/hard", home_ + "/other"}) {
    EXPECT_FALSE(may(FileUse::write, path)) << path;
  }
  EXPECT_TRUE(may(FileUse::write, base_ + "/free"));
  EXPECT_FALSE(may(FileUse::read, base_ + "/link/other"));
  EXPECT_TRUE(may(FileUse::read, base_ + "/link/config.yaml"));
  EXPECT_TRUE(may(FileUse::read, base_ + "/link/skills/x/SKILL.md"));
}

}  // namespace
}  // namespace talaria
