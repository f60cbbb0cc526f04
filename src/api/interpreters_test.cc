// With a real keeper, real Pythons and programs that pretend to be one; on the plain host.
#include <gmock/gmock.h>

#include "api/interpreters_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

using InterpretersTest = InterpretersTrial;

TEST_F(InterpretersTest, AVenvKeepsItsOwnProgramAndNamesItsBase) {
  const std::string program = make_venv(".venv");
  const Result<Interpreter> found = find(host());
  ASSERT_TRUE(found) << found.error().message();
  const Result<Interpreter> system = find(host(), InterpreterMode::strict);
  ASSERT_TRUE(system) << system.error().message();
  Interpreter expected;
  expected.program = program;
  expected.base = real_or_given_path(system_python);
  expected.base_prefix = "/usr";
  expected.version = system->version;
  expected.found_by = ".venv";
  expected.mark = found->mark;
  expected.base_mark = system->base_mark;
  EXPECT_EQ(*found, expected);
  EXPECT_NE(found->mark, system->mark);
  EXPECT_EQ(system->program, system_python);
  EXPECT_EQ(system->found_by, "PATH");
}

TEST_F(InterpretersTest, WhatCannotBeUsedIsNotedAndTheNextIsTaken) {
  login_["VIRTUAL_ENV"] = in("gone");
  EXPECT_TRUE(make_directories(in(".venv/bin"), 0755));
  EXPECT_EQ(::symlink("/nonexistent/python3", in(".venv/bin/python3").c_str()), 0);
  write("venv/bin/python", "#!/bin/sh\necho hello\necho broken >&2\nexit 3\n");
  write("plain/python3", "x", 0644);
  write("silent/python3", "#!/bin/sh\n");
  pretend("old/python3", "s/\"version\": .3, [0-9]*/\"version\": [3, 7/");
  pretend("other/python3", "s/cpython/pypy/");
  login_["PATH"] = in("plain") + ":" + in("silent") + ":" + in("old") + ":" + in("other") + ":/usr/bin";
  const Result<Interpreter> found = find(host());
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->program, system_python);
  EXPECT_THAT(
      found->notes,
      ElementsAre(in("gone/bin/python3") + " of VIRTUAL_ENV cannot be used: it is not there.",
                  StartsWith(in(".venv/bin/python3") + " of .venv cannot be used: "),
                  in("venv/bin/python") + " of venv cannot be used: it ended with exit code 3 and said: broken.",
                  StartsWith(in("plain/python3") + " on the PATH cannot be used: "),
                  in("silent/python3") + " on the PATH cannot be used: it did not say what it is.",
                  testing::AllOf(HasSubstr(in("old/python3") + " on the PATH cannot be used: it is Python 3.7."),
                                 HasSubstr("and 3.8 is the oldest")),
                  in("other/python3") + " on the PATH cannot be used: it is pypy, and only CPython can run scripts."));
}

TEST_F(InterpretersTest, WithoutAnyTheErrorListsWhatWasTried) {
  login_["PATH"] = in("silent") + ":" + in("empty");
  write("silent/python3", "#!/bin/sh\n");
  const Result<Interpreter> found = find(host());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), Error(ErrorCode::unavailable,
                                 "execute_code needs CPython 3.8 or newer, and there is none in this project or "
                                 "on the PATH (" +
                                     in("silent/python3") +
                                     " on the PATH cannot be used: it did not say what it is.); install one: "
                                     "apt install python3"));
}

TEST_F(InterpretersTest, WhatTheSessionExportedComesBeforeTheLogin) {
  const std::string mine = make_venv("mine");
  login_["VIRTUAL_ENV"] = "/nonexistent";
  SessionRow stored = *sessions_.resolve({{}, session_.cwd, {}}, {});
  ShellState state;
  state.exported["VIRTUAL_ENV"] = in("mine");
  ASSERT_TRUE(shells_.keep(stored.id, state));
  session_ = stored;
  const Result<Interpreter> found = find(host());
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->program, mine);
  EXPECT_EQ(found->found_by, "VIRTUAL_ENV");
  EXPECT_EQ(find(host(), InterpreterMode::strict)->program, system_python);
}

TEST_F(InterpretersTest, AShimIsResolvedOnceForEachStateOfWhatItGoesBy) {
  write("shims/python3", "#!/bin/sh\necho >> '" + in("starts") + "'\nexec " + system_python + " \"$@\"\n");
  login_["PATH"] = in("shims");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(find(host())->program, system_python);
  EXPECT_EQ(starts(), 1u);
  write(".python-version", "3.12\n", 0644);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(find(host())->program, system_python);
  EXPECT_EQ(starts(), 2u);
}

TEST_F(InterpretersTest, AFailureIsRememberedUntilItChanges) {
  pretend("bin/python3", "", "exit 1");
  login_["PATH"] = in("bin");
  EXPECT_FALSE(find(host()));
  EXPECT_FALSE(find(host()));
  EXPECT_EQ(starts(), 1u);
  pretend("bin/python3", "s/x/x/");
  EXPECT_TRUE(find(host()));
  EXPECT_TRUE(find(host()));
  EXPECT_EQ(starts(), 2u);
}

TEST_F(InterpretersTest, AllWhoAskAtOnceShareOneErrandAndWhoeverDropsOutIsNotCalled) {
  pretend("bin/python3", "s/x/x/");
  login_["PATH"] = in("bin");
  const Place place = host();
  int called = 0;
  const auto count = [&](const Result<Interpreter>& found) { called += found ? 1 : 100; };
  const InterpreterWish wish{place, session_, InterpreterMode::project, session_.cwd};
  const Interpreters::Waiter first = interpreters_.find(wish, count);
  const Interpreters::Waiter second = interpreters_.find(wish, count);
  Interpreters::Waiter third = interpreters_.find(wish, [](const Result<Interpreter>&) { ADD_FAILURE() << "dropped"; });
  third.reset();
  EXPECT_EQ(called, 0);
  run_until([&] { return called >= 2; });
  EXPECT_EQ(called, 2);
  EXPECT_EQ(starts(), 1u);
  bool at_once = false;
  const Interpreters::Waiter fourth = interpreters_.find(wish, [&](const Result<Interpreter>&) { at_once = true; });
  EXPECT_TRUE(at_once);
}

TEST_F(InterpretersTest, TheMarkChangesWhenAPackageIsInstalled) {
  make_venv(".venv");
  const Result<Interpreter> before = find(host());
  ASSERT_TRUE(before);
  EXPECT_EQ(find(host())->mark, before->mark);
  const std::string minor = before->version.substr(2, before->version.find('.', 2) - 2);
  const std::string site = ".venv/lib/python3." + minor + "/site-packages";
  write(site + "/one.py", "", 0644);
  const Result<Interpreter> one = find(host());
  EXPECT_NE(one->mark, before->mark);
  EXPECT_EQ(one->base_mark, before->base_mark);
  write(site + "/two.py", "", 0644);
  EXPECT_NE(find(host())->mark, one->mark);
}

}  // namespace
}  // namespace talaria
