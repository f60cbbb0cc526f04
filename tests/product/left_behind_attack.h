#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "product/house.h"

namespace talaria {

// One try to leave something in a workspace that the person's git, shell or editor runs outside. All four texts are
// shell; "@B@" stands for the folder of the attempt. The workspace is @B@/w, and @B@/PWNED, which no sandbox can make,
// says that the attempt succeeded. `evil FILE` makes a program of that name which makes it, $P is the command in it.
struct LeftBehindAttack {
  const char* name;
  const char* before;                    // what the person had done, in the workspace's repository
  std::vector<const char*> inside;       // the commands in the sandbox, one after the other
  const char* after = "";                // what the person does then, before the everyday work in all folders
  std::vector<const char*> absent = {};  // what must not be there then, from the session's folder
  const char* session = "w";             // where the session is
};

// The families of attempts, each a table of its own.
std::vector<LeftBehindAttack> attacks_on_git_directories();
std::vector<LeftBehindAttack> attacks_with_new_repositories();
std::vector<LeftBehindAttack> attacks_with_bare_folders();
std::vector<LeftBehindAttack> attacks_with_unfinished_work();
std::vector<LeftBehindAttack> attacks_with_names();
std::vector<LeftBehindAttack> attacks_with_settings_of_the_person();
std::vector<LeftBehindAttack> attacks_on_outside_git_directories();
std::vector<LeftBehindAttack> attacks_with_links_and_strategies();

// One gateway for all attempts of a test; each has a workspace and a session of its own.
class LeftBehindAttacksTest : public testing::Test {
 protected:
  // Makes each attempt and works as the person does afterwards; nothing of it may have run.
  void expect_held(const std::vector<LeftBehindAttack>& attacks);

  // The parts of it. The folder of a new attempt, with a repository in its workspace:
  std::string begin(const LeftBehindAttack& attack);
  // A tool in the session of the attempt.
  JsonObject inside(const std::string& folder, const std::string& command, JsonObject more = {});
  // The person's shell in the workspace.
  void host(const std::string& folder, const std::string& command);
  // What the person does all day, in every folder; then the verdict.
  void expect_nothing_runs(const LeftBehindAttack& attack, const std::string& folder);

  House house_;

 private:
  int count_ = 0;
  std::string session_;  // the folder of the attempt's session
};

}  // namespace talaria
