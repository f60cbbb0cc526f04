#include "code/interpreter_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::ElementsAre;

InterpreterPlace prefix(const std::string& found_by, const std::string& folder, bool named) {
  return {found_by, folder, {folder + "/bin/python3", folder + "/bin/python"}, named};
}

InterpreterPlace on_path(const std::string& folder) { return {"PATH", folder, {folder + "/python3"}, false}; }

TEST(InterpreterChoiceTest, AProjectsPythonComesBeforeThatOfTheMachine) {
  const Environment variables = {
      {"VIRTUAL_ENV", "/envs/mine/"}, {"CONDA_PREFIX", "/opt/conda"}, {"PATH", "/envs/mine/bin:/usr/bin:/bin"}};
  EXPECT_THAT(interpreter_places(InterpreterMode::project, "/repo/sub", "/repo", variables),
              ElementsAre(prefix("VIRTUAL_ENV", "/envs/mine", true), prefix(".venv", "/repo/sub/.venv", false),
                          prefix("venv", "/repo/sub/venv", false), prefix(".venv", "/repo/.venv", false),
                          prefix("venv", "/repo/venv", false), prefix("CONDA_PREFIX", "/opt/conda", true),
                          on_path("/envs/mine/bin"), on_path("/usr/bin"), on_path("/bin")));
}

TEST(InterpreterChoiceTest, NoPlaceIsTriedTwice) {
  const Environment variables = {{"VIRTUAL_ENV", "/repo/.venv"}, {"PATH", "/bin:/bin/:/bin"}};
  EXPECT_THAT(
      interpreter_places(InterpreterMode::project, "/repo", "/repo/", variables),
      ElementsAre(prefix("VIRTUAL_ENV", "/repo/.venv", true), prefix("venv", "/repo/venv", false), on_path("/bin")));
}

TEST(InterpreterChoiceTest, StrictTakesOnlyWhatTheMachineHas) {
  const Environment variables = {
      {"VIRTUAL_ENV", "/envs/mine"}, {"CONDA_PREFIX", "/opt/conda"}, {"PATH", "/opt/bin:/usr/bin:rel:"}};
  EXPECT_THAT(interpreter_places(InterpreterMode::strict, "/repo", "/repo", variables),
              ElementsAre(on_path("/usr/bin"), on_path("/usr/local/bin"), on_path("/bin"), on_path("/opt/bin")));
}

TEST(InterpreterChoiceTest, WhatIsNotAbsoluteIsNoPlace) {
  const Environment variables = {{"VIRTUAL_ENV", "env"}, {"CONDA_PREFIX", ""}, {"PATH", "::.:bin:~/bin"}};
  EXPECT_EQ(interpreter_places(InterpreterMode::project, "", "", variables), std::vector<InterpreterPlace>{});
}

TEST(InterpreterChoiceTest, TheRootIsAFolderToo) {
  EXPECT_THAT(interpreter_places(InterpreterMode::project, "/", "/", {{"PATH", "/"}}),
              ElementsAre(prefix(".venv", "/.venv", false), prefix("venv", "/venv", false),
                          InterpreterPlace{"PATH", "/", {"/python3"}, false}));
}

TEST(InterpreterChoiceTest, ALongSearchPathIsCut) {
  std::string path;
  for (int i = 0; i < 1000; ++i) path += "/p" + std::to_string(i) + ":";
  EXPECT_EQ(interpreter_places(InterpreterMode::project, "/r", "/r", {{"PATH", path}}).size(), 64u);
}

TEST(InterpreterChoiceTest, AShimGoesByTheFilesAboveTheCurrentDirectory) {
  EXPECT_THAT(shim_files("/opt/own/shims/python3", "/repo/sub/", {{"PYENV_ROOT", "/opt/pyenv"}}),
              ElementsAre("/opt/own/version", "/opt/pyenv/version", "/repo/sub/.python-version",
                          "/repo/.python-version", "/.python-version"));
  EXPECT_THAT(shim_files("/usr/bin/python3", "/", {}), ElementsAre("/.python-version"));
  EXPECT_THAT(shim_files("", "relative", {{"PYENV_ROOT", "x"}}), ElementsAre());
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "/d";
  EXPECT_EQ(shim_files("/x", deep, {}).size(), 32u);
}

TEST(InterpreterChoiceTest, SaysWhatWasTriedAndWhatToDo) {
  EXPECT_EQ(no_interpreter(InterpreterMode::project, {"A is old.", "B hangs."}),
            "execute_code needs CPython 3.8 or newer, and there is none in this project or on the PATH (A is old. B "
            "hangs.); install one: apt install python3");
  EXPECT_EQ(no_interpreter(InterpreterMode::strict, {}),
            "execute_code needs CPython 3.8 or newer, and there is none among the system's programs; install one: apt "
            "install python3");
}

}  // namespace
}  // namespace talaria
