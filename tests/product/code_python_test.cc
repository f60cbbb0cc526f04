// Which Python runs a program of execute_code: the project's own, whatever shape it has, and what is said when there is
// none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "os/file.h"
#include "product/code_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* tell_python = "import sys; print(sys.executable); print(sys.prefix); print(sys.base_prefix)\n";

class CodePythonTest : public testing::Test {
 protected:
  std::string path(const std::string& name) { return house_.path(name); }
  // An environment as `python3 -m venv` makes it, with one package of its own.
  void make_venv(const std::string& name, const std::string& package = "packaged") {
    const Ran made = house_.start_program("/usr/bin/python3", {"-m", "venv", "--without-pip", path(name)}).finish();
    ASSERT_EQ(made.code, 0) << made.err;
    add_package(name, package);
  }
  void add_package(const std::string& venv, const std::string& package) {
    house_.put(site_of(venv) + "/" + package + ".py", "where = __file__\n");
  }
  std::string site_of(const std::string& venv) {
    const Result<std::vector<std::string>> versions = list_directory(path(venv) + "/lib");
    EXPECT_TRUE(versions && versions->size() == 1) << path(venv);
    return venv + "/lib/" + (versions && !versions->empty() ? versions->front() : "") + "/site-packages";
  }
  void put_program(const std::string& name, const std::string& content) {
    house_.put(name, content);
    ASSERT_EQ(::chmod(path(name).c_str(), 0755), 0);
  }
  void link(const std::string& target, const std::string& name) {
    ASSERT_TRUE(make_directories(path(name).substr(0, path(name).rfind('/')), 0755));
    ASSERT_EQ(::symlink(target.c_str(), path(name).c_str()), 0);
  }
  // For all that runs in the session from now on.
  void export_variable(const std::string& assignment) {
    const JsonObject result = house_.call("terminal", {{"command", "export " + assignment}});
    ASSERT_EQ(integer_or(details_of(result), "exit_code", -1), 0) << write_json(result);
  }

  std::vector<std::string> lines(const std::string& source, JsonObject more = {}) {
    last_ = house_.run_code(source, std::move(more));
    EXPECT_EQ(text_or(last_, "status"), "success") << write_json(last_);
    std::vector<std::string> all = split(text_or(last_, "output"), '\n');
    if (!all.empty() && all.back().empty()) all.pop_back();
    return all;
  }
  // Programs until one is forked from the warm base; then this one, which is, too.
  std::vector<std::string> warm_lines(const std::string& source) {
    await("a warm start", [&] { return lines("pass").empty() && boolean_or(last_, "warm_start"); });
    std::vector<std::string> all = lines(source);
    EXPECT_TRUE(boolean_or(last_, "warm_start"));
    return all;
  }
  std::vector<std::string> notes() const {
    std::vector<std::string> all;
    const Json* list = last_.if_contains("notes");
    for (const Json& note : list ? list->as_array() : JsonArray()) all.emplace_back(note.as_string());
    return all;
  }

  CodeHouse house_;
  JsonObject last_;  // details of the last run
};

// --- the project's own ---

TEST_F(CodePythonTest, AProjectsEnvironmentIsUsedColdAndWarm) {
  make_venv(".venv");
  const std::string source = tell_python + std::string("import packaged; print(packaged.where)");
  const auto expected =
      ElementsAre(path(".venv/bin/python3"), path(".venv"), "/usr", path(site_of(".venv") + "/packaged.py"));
  EXPECT_THAT(lines(source), expected);
  EXPECT_EQ(text_or(last_, "python"), path(".venv/bin/python3"));
  EXPECT_THAT(warm_lines(source), expected);
  EXPECT_THAT(lines(source, {{"session", "kept"}}), expected);
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(CodePythonTest, AFolderCalledVenvIsOneToo) {
  make_venv("venv");
  EXPECT_THAT(lines(tell_python), ElementsAre(path("venv/bin/python3"), path("venv"), "/usr"));
}

TEST_F(CodePythonTest, TheOneOfTheDirectoryTheSessionIsInComesFirst) {
  make_venv(".venv");
  make_venv("part/.venv");
  house_.call("terminal", {{"command", "cd part"}});
  EXPECT_THAT(lines(tell_python), ElementsAre(path("part/.venv/bin/python3"), path("part/.venv"), "/usr"));
}

TEST_F(CodePythonTest, TheActiveEnvironmentComesBeforeTheProjects) {
  make_venv(".venv");
  make_venv("other", "another");
  export_variable("VIRTUAL_ENV=" + path("other"));
  const std::string source = tell_python + std::string("import os, another; print(os.environ['VIRTUAL_ENV'])");
  const auto expected = ElementsAre(path("other/bin/python3"), path("other"), "/usr", path("other"));
  EXPECT_THAT(lines(source), expected);
  EXPECT_THAT(warm_lines(source), expected);
}

TEST_F(CodePythonTest, ACondaPrefixIsUsed) {
  link("/usr/bin/python3", "conda/bin/python3");
  house_.put("conda/conda-meta/history", "");
  export_variable("CONDA_PREFIX=" + path("conda"));
  EXPECT_THAT(lines(tell_python), ElementsAre(path("conda/bin/python3"), "/usr", "/usr"));
  EXPECT_THAT(warm_lines(tell_python), ElementsAre(path("conda/bin/python3"), "/usr", "/usr"));
}

TEST_F(CodePythonTest, AShimIsAskedOnceAndThenLeftOut) {
  put_program("shims/python3", "#!/bin/sh\necho asked >> " + path("asked") + "\nexec /usr/bin/python3 \"$@\"\n");
  export_variable("PATH=" + path("shims") + ":$PATH");
  for (int run = 0; run < 3; ++run) EXPECT_THAT(lines(tell_python), ElementsAre("/usr/bin/python3", "/usr", "/usr"));
  EXPECT_EQ(house_.get("asked"), "asked\n");
  EXPECT_THAT(warm_lines(tell_python), ElementsAre("/usr/bin/python3", "/usr", "/usr"));
  EXPECT_EQ(house_.get("asked"), "asked\n");
}

TEST_F(CodePythonTest, WhatIsInstalledBetweenTwoRunsIsSeen) {
  make_venv(".venv");
  warm_lines("import packaged");
  add_package(".venv", "added");
  EXPECT_THAT(lines("import added; print(added.where)"), ElementsAre(path(site_of(".venv") + "/added.py")));
  house_.put(site_of(".venv") + "/more.pth", path("elsewhere") + "\n");
  house_.put("elsewhere/further.py", "");
  EXPECT_THAT(warm_lines("import added, further; print('both')"), ElementsAre("both"));
  ASSERT_TRUE(remove_tree(path(".venv")));
  EXPECT_THAT(lines(tell_python), ElementsAre("/usr/bin/python3", "/usr", "/usr"));
  make_venv(".venv", "fresh");
  EXPECT_THAT(lines("import fresh; print('found')"), ElementsAre("found"));
}

// What is in the environment's folder is the project's code: it runs confined, and only in the program's process.
TEST_F(CodePythonTest, WhatAnEnvironmentRunsAtItsStartRunsWithTheProgramOnly) {
  make_venv(".venv");
  const std::string site = site_of(".venv");
  house_.put(site + "/noisy.pth", "import os; open('" + path("ran") +
                                      "', 'a').write(open('/proc/self/status').read().split('CapEff:')[1]"
                                      ".split()[0] + os.environ.get('TALARIA_RPC', '-')[:2] + '\\n')\n");
  lines("pass");
  const std::string before = house_.get("ran");
  warm_lines("pass");
  const std::string after = house_.get("ran");
  ASSERT_THAT(after, StartsWith(before));
  for (const std::string& line : split(after.substr(before.size()), '\n')) {
    EXPECT_THAT(line, testing::AnyOf("", "00000000000000003:"));
  }
}

// --- what cannot be used ---

TEST_F(CodePythonTest, ABrokenEnvironmentIsPassedOverAndNamed) {
  link("/nowhere/python3", ".venv/bin/python3");
  EXPECT_THAT(lines(tell_python), ElementsAre("/usr/bin/python3", "/usr", "/usr"));
  EXPECT_THAT(notes(), ElementsAre(AllOf(HasSubstr(path(".venv/bin/python3")), HasSubstr("cannot be used"),
                                         HasSubstr("not there"))));
  put_program("venv/bin/python3", "#!/bin/sh\necho out of order >&2\nexit 3\n");
  EXPECT_THAT(lines(tell_python), ElementsAre("/usr/bin/python3", "/usr", "/usr"));
  EXPECT_THAT(notes(), ElementsAre(HasSubstr(".venv/bin/python3"),
                                   AllOf(HasSubstr("venv/bin/python3"), HasSubstr("out of order"))));
}

TEST_F(CodePythonTest, OldAndForeignPythonsArePassedOverAndNamed) {
  const auto fake = [](const std::string& change) {
    return "#!/bin/sh\n/usr/bin/python3 \"$@\" | sed -E '" + change + "'\n";
  };
  put_program(".venv/bin/python3", fake("s/(\"version\": ?\\[)3, ?[0-9]+/\\13, 7/"));
  put_program("foreign/python3", fake("s/\"cpython\"/\"pypy\"/"));
  put_program("text/python3", "hello");
  export_variable("PATH=" + path("foreign") + ":" + path("text") + ":$PATH");
  EXPECT_THAT(lines(tell_python), ElementsAre("/usr/bin/python3", "/usr", "/usr"));
  EXPECT_THAT(notes(), ElementsAre(AllOf(HasSubstr(".venv/bin/python3"), HasSubstr("Python 3.7"), HasSubstr("3.8")),
                                   AllOf(HasSubstr("foreign/python3"), HasSubstr("pypy")),
                                   AllOf(HasSubstr("text/python3"), HasSubstr("cannot be used"))));
}

TEST_F(CodePythonTest, WithoutAnyPythonItSaysWhatIsNeeded) {
  export_variable("PATH=/nowhere:" + path("empty"));
  const JsonObject result = house_.call_code("print(1)");
  EXPECT_TRUE(boolean_or(result, "isError"));
  EXPECT_EQ(status_of(result), "error");
  EXPECT_THAT(text_or(details_of(result), "error"),
              AllOf(HasSubstr("CPython 3.8"), HasSubstr("PATH"), HasSubstr("apt install python3")));
  EXPECT_THAT(lines("print(1)", {{"mode", "strict"}}), ElementsAre("1"));  // the system has one
}

TEST_F(CodePythonTest, AMissingModuleIsNamedWithThePythonThatLacksIt) {
  make_venv(".venv");
  const JsonObject details = house_.run_code("import surely_not_installed");
  EXPECT_EQ(text_or(details, "status"), "error");
  EXPECT_EQ(text_or(details, "error"), "ModuleNotFoundError: No module named 'surely_not_installed'");
  EXPECT_THAT(text_or(details, "hint"), HasSubstr(path(".venv/bin/python3")));
}

// --- strict ---

TEST_F(CodePythonTest, StrictTakesTheSystemsPythonAndAReadOnlyWorkspace) {
  make_venv(".venv");
  export_variable("VIRTUAL_ENV=" + path(".venv"));
  house_.put("sub/a.txt", "content\n");
  house_.call("terminal", {{"command", "cd sub"}});
  const std::string source = tell_python + std::string("W = '") + house_.workspace() + R"py('
import os, subprocess
from hermes_tools import read_file, search_files, terminal
print(os.getcwd().startswith('/tmp/'), os.listdir('.'), oct(os.stat('.').st_mode & 0o777))
print(read_file('a.txt')['content'], search_files('content')['matches'][0]['path'], terminal('pwd')['output'], end='')
for name in (W + '/b.txt', W + '/sub/a.txt', W + '/.venv/pyvenv.cfg'):
    try: open(name, 'a'); print('wrote', name)
    except OSError: pass
print(open(W + '/sub/a.txt').read(), end='')
)py";
  EXPECT_THAT(lines(source, {{"mode", "strict"}}),
              ElementsAre("/usr/bin/python3", "/usr", "/usr", "True [] 0o700", "content",
                          AllOf(EndsWith("sub"), HasSubstr("a.txt")), "content"));
  EXPECT_EQ(house_.get("sub/a.txt"), "content\n");
  EXPECT_FALSE(exists(path("b.txt")));
}

TEST_F(CodePythonTest, TheStagingDirectoryIsGoneHoweverTheRunEnds) {
  const std::string leave = "import os, signal, sys, time\nopen('left', 'w').write('x')\nprint(os.getcwd())\n";
  for (const std::string end :
       {"", "sys.exit(3)", "os._exit(4)", "os.kill(os.getpid(), signal.SIGKILL)", "1 / 0", "time.sleep(60)"}) {
    const JsonObject details = house_.run_code(leave + end, {{"mode", "strict"}, {"timeout", 1}});
    const std::string folder = split(text_or(details, "output"), '\n').front();
    ASSERT_THAT(folder, StartsWith("/tmp/")) << write_json(details);
    const std::string look = "import os; print(os.path.exists('" + folder + "'))";
    await("the directory to be gone after " + end, [&] {
      return lines(look, {{"mode", "strict"}}) == std::vector<std::string>{"False"};
    });
  }
}

TEST_F(CodePythonTest, StrictCanBeConfigured) {
  house_.configure("code_execution.mode", "strict");
  EXPECT_THAT(lines("import os; print(os.getcwd())"), ElementsAre(StartsWith("/tmp/")));
  EXPECT_THAT(lines("import os; print(os.getcwd())", {{"mode", "project"}}), ElementsAre(house_.workspace()));
}

}  // namespace
}  // namespace talaria
