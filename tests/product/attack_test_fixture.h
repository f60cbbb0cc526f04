#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "product/attack_test_bait.h"
#include "product/house.h"

namespace talaria {

// A house with bait around it. At the end of every test nothing of the bait may have been touched, and nothing that
// was started may still run.
class AttackTest : public testing::Test {
 protected:
  AttackTest();
  void TearDown() override;

  // Makes attempts in one command, each subject or "subject/name": what each said, by its name.
  std::map<std::string, std::string> attack(const std::vector<std::string>& attempts,
                                            const std::string& host = "sandbox");
  // The same, and all of them must have been refused.
  void expect_held(const std::vector<std::string>& attempts);
  // One command in the sandbox, waited for to its end.
  JsonObject run(const std::string& command, JsonObject more = {});
  // The same in a session of another directory.
  JsonObject run_elsewhere(const std::string& directory, const std::string& command, JsonObject more = {});
  void configure(const std::string& key, const std::string& value);
  // All attempts of these subjects, as the program itself lists them.
  std::vector<std::string> names_of(const std::vector<std::string>& attempts);
  // Tells the attacks where our own programs run.
  void name_our_processes();

  House house_;
  Bait bait_{house_};
  bool damage_is_expected_ = false;
};

// Processes that run a program from below `folder`, or were started with its name; without `except`.
std::vector<std::string> processes_from(const std::string& folder, const std::vector<pid_t>& except = {});

}  // namespace talaria
