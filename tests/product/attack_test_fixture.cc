#include "product/attack_test_fixture.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "os/file.h"
#include "os/proc.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

}  // namespace

AttackTest::AttackTest() {
  for (const char* name :
       {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "MY_PASSWORD"}) {
    house_.environment()[name] = bait_.secret();
  }
  house_.environment()["SSH_AUTH_SOCK"] = bait_.at("home_socket");
  house_.environment()["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=" + bait_.at("unix");
  house_.environment()["DISPLAY"] = ":0";
  house_.environment()["XAUTHORITY"] = bait_.at("home") + "/home-bait";
}

void AttackTest::TearDown() {
  const std::vector<std::string> damage = bait_.damage();
  if (damage_is_expected_) EXPECT_NE(damage, std::vector<std::string>());
  else EXPECT_EQ(damage, std::vector<std::string>());
  house_.run({"serve", "--stop", "--end-jobs"});
  const auto victim = static_cast<pid_t>(std::stol(bait_.at("victim")));
  EXPECT_EQ(processes_from(house_.workspace(), {victim}), std::vector<std::string>());
}

std::vector<std::string> AttackTest::names_of(const std::vector<std::string>& attempts) {
  std::istringstream all(house_.start_program(house_.workspace() + "/attack", {"list"}).finish().out);
  std::vector<std::string> names;
  for (std::string name; std::getline(all, name);) {
    const auto meant = [&](const std::string& one) { return name == one || name.starts_with(one + "/"); };
    if (std::ranges::any_of(attempts, meant)) names.push_back(name);
  }
  return names;
}

JsonObject AttackTest::run(const std::string& command, JsonObject more) {
  more.insert({{"host", "sandbox"}});
  more.insert({{"yieldMs", 120'000}});
  more.insert({{"timeout", 90}});
  return house_.exec(command, std::move(more));
}

JsonObject AttackTest::run_elsewhere(const std::string& directory, const std::string& command, JsonObject more) {
  more["command"] = command;
  more.insert({{"host", "sandbox"}});
  more.insert({{"yieldMs", 120'000}});
  const Result<JsonObject> result =
      house_.connect().call_object("tools/call", {{"name", "exec"},
                                                  {"arguments", std::move(more)},
                                                  {"client", "cli"},
                                                  {"session", JsonObject{{"cwd", directory}}}});
  EXPECT_TRUE(result) << result.error().message();
  return result ? *result : JsonObject();
}

void AttackTest::configure(const std::string& key, const std::string& value) {
  const Ran ran = house_.run({"config", "set", key, value});
  ASSERT_EQ(ran.code, 0) << ran.err;
}

void AttackTest::name_our_processes() {
  run("true");
  bait_.set("gateway", std::to_string(house_.gateway_pid()));
  bait_.set("keeper", std::to_string(house_.keeper_pid()));
  for (const pid_t pid : descendants_of(house_.keeper_pid())) {
    const Result<std::string> name = read_file("/proc/" + std::to_string(pid) + "/comm");
    if (name && name->starts_with("talaria-sandbox")) bait_.set("holder", std::to_string(pid));
  }
  bait_.set("gateway_socket", house_.home().gateway_socket());
  bait_.set("gateway_program", program_path("talaria-gateway"));
  bait_.set("keeper_program", program_path("talaria-keeper"));
}

std::map<std::string, std::string> AttackTest::attack(const std::vector<std::string>& attempts,
                                                      const std::string& host) {
  bait_.write_list();
  std::string command = "./attack bait-list";
  for (const std::string& attempt : attempts) command += " " + attempt;
  const JsonObject result = run(command, {{"host", host}});
  EXPECT_EQ(status_of(result), "completed") << write_json(result);
  const JsonObject* sandbox = object_or_null(details_of(result), "sandbox");
  EXPECT_TRUE(sandbox && integer_or(*sandbox, "tier", -1) == (host == "sandbox" ? 1 : 0)) << write_json(result);
  std::map<std::string, std::string> said;
  std::istringstream lines(text_of(result));
  for (std::string line; std::getline(lines, line);) {
    const size_t name = line.find(": "), text = line.find(": ", name + 2);
    if (text == std::string::npos) continue;
    said[line.substr(name + 2, text - name - 2)] = line;
  }
  for (const std::string& name : names_of(attempts)) EXPECT_TRUE(said.contains(name)) << name << " said nothing";
  return said;
}

void AttackTest::expect_held(const std::vector<std::string>& attempts) {
  const std::map<std::string, std::string> said = attack(attempts);
  for (const auto& [name, line] : said) {
    EXPECT_THAT(line, testing::StartsWith("held: "));
    EXPECT_THAT(line, Not(HasSubstr(bait_.secret())));
  }
  EXPECT_FALSE(said.empty());
}

std::vector<std::string> processes_from(const std::string& folder, const std::vector<pid_t>& except) {
  std::vector<std::string> found;
  const Result<std::vector<std::string>> names = list_directory("/proc");
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (std::ranges::find(except, static_cast<pid_t>(std::stol(name))) != except.end()) continue;
    if (state_of(static_cast<pid_t>(std::stol(name))).value_or('Z') == 'Z') continue;
    char program[PATH_MAX + 1] = {};
    (void)!::readlink(("/proc/" + name + "/exe").c_str(), program, PATH_MAX);
    const Result<std::string> command = read_file("/proc/" + name + "/cmdline");
    const bool ours =
        std::string(program).starts_with(folder + "/") || (command && command->find(folder + "/") != std::string::npos);
    if (ours) found.push_back(name + " " + program + " " + (command ? *command : ""));
  }
  return found;
}

}  // namespace talaria
