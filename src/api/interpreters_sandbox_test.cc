// In real sandboxes. The thread sanitizer gives the keeper a second thread, and with that the kernel lets it make no
// user namespace.
#if !defined(__SANITIZE_THREAD__)
#include <gmock/gmock.h>

#include "api/interpreters_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;

using InterpretersSandboxTest = InterpretersTrial;

TEST_F(InterpretersSandboxTest, InTheSandboxTheSystemsPythonMayBeWarmAlsoBehindAVenv) {
  const Place place = inside();
  const Result<Interpreter> system = find(place);
  ASSERT_TRUE(system) << system.error().message();
  EXPECT_EQ(system->program, system_python);
  EXPECT_TRUE(system->may_be_warm);
  const std::string program = make_venv(".venv");
  const Result<Interpreter> found = find(place);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->program, program);
  EXPECT_EQ(found->base, real_or_given_path(system_python));
  EXPECT_EQ(found->base_mark, system->base_mark);
  EXPECT_TRUE(found->may_be_warm);
  EXPECT_FALSE(find(host())->may_be_warm);
}

TEST_F(InterpretersSandboxTest, AProgramOfTheSandboxCannotMakeAnotherOneABase) {
  const Place place = inside();
  // Also itself, in a form that does not look like it.
  const std::string own = in(".venv/bin/python3"), system = real_or_given_path(system_python);
  for (const std::string& base :
       {std::string("/usr/bin/env"), std::string("/bin/python3"), std::string("/nonexistent/python3"), own, "/" + own,
        "/." + own, "/usr/bin/../.." + own, "/" + system, "/usr/./" + system.substr(5), "/proc/self/root" + own}) {
    pretend(".venv/bin/python3", "s#\"base\": \"[^\"]*\"#\"base\": \"" + base + "\"#");
    const Result<Interpreter> found = find(place);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_FALSE(found->may_be_warm) << base;
  }
  pretend(".venv/bin/python3", "s/\"version\": .3, [0-9]*/\"version\": [3, 99/");
  EXPECT_FALSE(find(place)->may_be_warm);
}

TEST_F(InterpretersSandboxTest, WhatIsPrivateToTheSandboxIsSeenFromInside) {
  login_["VIRTUAL_ENV"] = "/tmp/private-venv";
  const Place place = inside();
  const Result<Interpreter> without = find(place);
  ASSERT_TRUE(without) << without.error().message();
  EXPECT_EQ(without->program, system_python);
  EXPECT_THAT(without->notes,
              ElementsAre("/tmp/private-venv/bin/python3 of VIRTUAL_ENV cannot be used: it is not there."));
  run_inside(place,
             "mkdir -p /tmp/private-venv/bin && ln -s /usr/bin/python3 /tmp/private-venv/bin/ && "
             "echo home = /usr/bin > /tmp/private-venv/pyvenv.cfg");
  const Result<Interpreter> found = find(place);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->program, "/tmp/private-venv/bin/python3");
  EXPECT_TRUE(found->may_be_warm);
  EXPECT_EQ(find(place)->mark, found->mark);
  run_inside(place, "echo '# changed' >> /tmp/private-venv/pyvenv.cfg");
  EXPECT_NE(find(place)->mark, found->mark);
}

TEST_F(InterpretersSandboxTest, SaysWhyAProgramCannotBeStarted) {
  login_["VIRTUAL_ENV"] = in("dangling");
  EXPECT_TRUE(make_directories(in("dangling/bin"), 0755));
  EXPECT_EQ(::symlink("/nonexistent/python3", in("dangling/bin/python3").c_str()), 0);
  write(".venv/bin/python3", "x", 0644);
  const Result<Interpreter> found = find(inside());
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_THAT(
      found->notes,
      ElementsAre(
          in("dangling/bin/python3") + " of VIRTUAL_ENV cannot be used: it, or the program it leads to, is not there.",
          in(".venv/bin/python3") + " of .venv cannot be used: it cannot be started: Permission denied."));
}

TEST_F(InterpretersSandboxTest, WhatTheSandboxHidesIsNotTried) {
  const std::string hidden = home_.root + "/bin";
  EXPECT_TRUE(make_directories(hidden));
  EXPECT_EQ(::symlink(system_python.c_str(), (hidden + "/python3").c_str()), 0);
  login_["PATH"] = hidden + ":/usr/bin";
  EXPECT_EQ(find(host())->program, hidden + "/python3");
  const Result<Interpreter> found = find(inside());
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->program, system_python);
  EXPECT_THAT(found->notes, ElementsAre(hidden + "/python3 on the PATH cannot be used: the sandbox does not show it."));
}

}  // namespace
}  // namespace talaria
#endif
