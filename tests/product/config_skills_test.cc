// The settings of skills in config.yaml, through the command line; a stand-in for the gateway says which there are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "config/settings.h"
#include "os/file.h"
#include "os/socket.h"
#include "product/prompt_window.h"
#include "rpc/line_reader.h"
#include "rpc/message.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Listens on the home's socket and gives every request the same answer.
class StandInGateway {
 public:
  StandInGateway(const Home& home, Json answer) : answer_(std::move(answer)), stop_(::eventfd(0, EFD_CLOEXEC)) {
    EXPECT_TRUE(home.prepare());
    listener_ = *listen_unix(home.gateway_socket());
    path_ = home.gateway_socket();
    thread_ = std::thread([this] { serve(); });
  }
  ~StandInGateway() {
    const uint64_t one = 1;
    EXPECT_EQ(::write(stop_.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
    thread_.join();
    ::unlink(path_.c_str());
  }

  std::vector<RpcRequest> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  // False when the house is to be left.
  bool wait_for(int fd) {
    pollfd watched[] = {{fd, POLLIN, 0}, {stop_.get(), POLLIN, 0}};
    while (::poll(watched, 2, -1) < 0 && errno == EINTR) {
    }
    return watched[1].revents == 0;
  }

  void serve() {
    while (wait_for(listener_.get())) {
      const Result<UniqueFd> peer = accept_unix(listener_.get());
      if (peer && *peer) answer(peer->get());
    }
  }

  void answer(int peer) {
    std::string line;
    while (wait_for(peer)) {
      char byte = 0;
      const ssize_t count = ::read(peer, &byte, 1);
      if (count <= 0) return;
      line += byte;
      if (byte != '\n') continue;
      const RpcMessage message = parse_message(line.substr(0, line.size() - 1));
      line.clear();
      const RpcRequest* request = std::get_if<RpcRequest>(&message);
      if (!request) return;
      {
        const std::lock_guard lock(mutex_);
        asked_.push_back(*request);
      }
      if (!write_all(peer, write_result(request->id, answer_))) return;
    }
  }

  Json answer_;
  UniqueFd stop_, listener_;
  std::string path_;
  std::mutex mutex_;
  std::vector<RpcRequest> asked_;
  std::thread thread_;
};

JsonObject asked_setting(const std::string& key, const Json& fallback, const Json& value) {
  return {
      {"key", key},      {"description", "What " + key + " is"}, {"prompt", "Your " + key}, {"default", fallback},
      {"skill", "wiki"}, {"directory", "/skills/wiki"},          {"trust", "local"},        {"trust_command", nullptr},
      {"value", value}};
}

class ConfigSkillsCliTest : public testing::Test {
 protected:
  void configure(const std::string& text) {
    ASSERT_TRUE(house_.home().prepare());
    ASSERT_TRUE(write_file_atomically(house_.home().config(), text));
  }
  std::string config() { return *read_file(house_.home().config()); }
  std::string out(std::vector<std::string> words) { return house_.run(std::move(words)).out; }

  House house_;
  const Json settings_ = JsonObject{
      {"settings", JsonArray{asked_setting("wiki.path", "~/wiki", nullptr),
                             asked_setting("wiki.domain", nullptr, nullptr), asked_setting("wiki.depth", "2", "3")}}};
};

TEST_F(ConfigSkillsCliTest, AnyKeyBelowTheSectionIsSetReadAndRemoved) {
  configure("# mine\nskills:   # all of them\n  made_up: kept\n  config:\n    other: 1   # stays\n");
  for (const char* value : {"~/my-data", "${HOME}/x", "[1,  2]", "007", "true", "", "a: b # c"}) {
    const Ran set = house_.run({"config", "set", "skills.config.my.path", value});
    EXPECT_EQ(set.code, 0) << set.err;
    EXPECT_EQ(set.err, "");
    EXPECT_EQ(out({"config", "get", "skills.config.my.path"}), std::string(value) + "\n");
    EXPECT_EQ(text_or(*parse_json_object(out({"config", "get", "skills.config.my.path", "--json"})), "value", "-"),
              value);
  }
  EXPECT_EQ(out({"config", "get", "skills.config.my"}), "{path: \"a: b # c\"}\n");
  EXPECT_EQ(out({"config", "get", "skills.config"}), "{my.path: \"a: b # c\", other: 1}\n");
  EXPECT_THAT(out({"config", "show"}), HasSubstr("skills.config\t{my.path: \"a: b # c\", other: 1}\tconfig.yaml\t"));
  EXPECT_EQ(house_.run({"config", "unset", "skills.config.my.path"}).code, 0);
  EXPECT_EQ(house_.run({"config", "get", "skills.config.my.path"}).code, 1);
  EXPECT_EQ(config(), "# mine\nskills:   # all of them\n  made_up: kept\n  config:\n    other: 1   # stays\n");
}

TEST_F(ConfigSkillsCliTest, ManyAtOnceLoseNothing) {
  configure("# mine\nskills: {config: {other: 1}}   # stays\n");
  std::vector<Running> running;
  for (int i = 0; i < 10; ++i) {
    running.push_back(house_.start({"config", "set", "skills.config.k" + std::to_string(i), std::to_string(i)}));
  }
  for (Running& one : running) EXPECT_EQ(one.finish().code, 0);
  std::map<std::string, std::string> wanted = {{"other", "1"}};
  for (int i = 0; i < 10; ++i) wanted["k" + std::to_string(i)] = std::to_string(i);
  EXPECT_EQ(load_settings(house_.home().config())->skills.config, wanted);
  EXPECT_THAT(config(), AllOf(HasSubstr("# mine\nskills: {config: {other: 1, "), HasSubstr("}}   # stays\n")));
}

TEST_F(ConfigSkillsCliTest, DoctorHasNothingAgainstTheSection) {
  configure("skills: {config: {anything: {at: all}}, external_dirs: ~/x}\n");
  EXPECT_THAT(out({"doctor"}), Not(HasSubstr("nothing reads")));
  configure("skills: {config: 5}\n");
  EXPECT_THAT(out({"doctor"}), HasSubstr("nothing reads the key skills.config"));
}

TEST_F(ConfigSkillsCliTest, ShowHasASectionOfThem) {
  StandInGateway gateway(house_.home(), settings_);
  EXPECT_THAT(out({"config", "show"}), HasSubstr("\n\n◆ Skill Settings\n"
                                                 "  wiki.path            (not set; default: ~/wiki)  [wiki]\n"
                                                 "  wiki.domain          (not set)  [wiki]\n"
                                                 "  wiki.depth           3  [wiki]\n"));
  const JsonObject shown = *parse_json_object(out({"config", "show", "--json"}));
  EXPECT_EQ(shown.at("skill_settings"), settings_.at("settings"));
  EXPECT_GT(shown.at("settings").as_array().size(), 10u);
  ASSERT_EQ(gateway.asked().size(), 2u);
  const RpcRequest request = gateway.asked()[0];
  EXPECT_EQ(request.method, "skills/settings");
  EXPECT_EQ(text_or(*object_or_null(request.params, "session"), "cwd"), house_.workspace());
}

TEST_F(ConfigSkillsCliTest, WithoutAGatewayTheRestIsShownAndTheSectionSaysSo) {
  const std::string shown = out({"config", "show"});
  EXPECT_THAT(shown, AllOf(HasSubstr("exec.timeout\t1800\t"),
                           HasSubstr("\n◆ Skill Settings\n  not known: no gateway is running")));
  const JsonObject json = *parse_json_object(out({"config", "show", "--json"}));
  EXPECT_TRUE(json.at("skill_settings").is_null());
  EXPECT_THAT(text_or(json, "skill_settings_error"), HasSubstr("no gateway is running"));
  EXPECT_EQ(house_.run({"serve", "--status"}).code, 1);
}

TEST_F(ConfigSkillsCliTest, WithoutATerminalMigrateListsThem) {
  StandInGateway gateway(house_.home(), settings_);
  const Ran ran = house_.run({"config", "migrate"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "  1 skill setting not configured:\n"
            "    • wiki.domain — What wiki.domain is (from skill: wiki, /skills/wiki)\n"
            "  1 skill setting left to the skill's own default:\n"
            "    • wiki.path — What wiki.path is (default: ~/wiki; from skill: wiki, /skills/wiki)\n"
            "  set one with: talaria config set skills.config.KEY VALUE\n");
  const JsonObject json = *parse_json_object(out({"config", "migrate", "--json"}));
  EXPECT_EQ(json.at("unset").as_array().size(), 1u);
  EXPECT_EQ(json.at("optional").as_array().size(), 1u);
  EXPECT_EQ(json.at("untrusted").as_array().size(), 0u);
  EXPECT_FALSE(exists(house_.home().config()));
}

TEST_F(ConfigSkillsCliTest, AtATerminalMigrateAsksForThem) {
  configure("# mine\nexec: {timeout: 5}   # stays\n");
  StandInGateway gateway(house_.home(), settings_);
  PromptWindow window(house_, "talaria", {"config", "migrate"});
  window.await_output("Configure skill settings? [y/N]: ");
  window.type("y\n");
  window.await_output("  Your wiki.domain [Enter leaves it unset]: ");
  window.type("physics: \"all\" of it\n");
  window.await_output("  Your wiki.path [default: ~/wiki, Enter keeps it]: ");
  window.type("\n");
  EXPECT_EQ(window.finish(), 0) << window.shown();
  EXPECT_THAT(window.shown(), HasSubstr("The skill wiki (/skills/wiki) asks for skills.config.wiki.domain\r\n"));
  EXPECT_EQ(config(),
            "# mine\nexec: {timeout: 5}   # stays\nskills:\n  config:\n    wiki:\n"
            "      domain: \"physics: \\\"all\\\" of it\"\n");
}

TEST_F(ConfigSkillsCliTest, MigrateLeavesWhatIsLeftOut) {
  StandInGateway gateway(house_.home(), settings_);
  PromptWindow no(house_, "talaria", {"config", "migrate"});
  no.await_output("[y/N]: ");
  no.type("n\n");
  EXPECT_EQ(no.finish(), 0);
  PromptWindow half(house_, "talaria", {"config", "migrate"});
  half.await_output("[y/N]: ");
  half.type("y\n");
  half.await_output("leaves it unset]: ");
  half.type("physics\n");
  half.await_output("Enter keeps it]: ");
  half.type("\x04");
  EXPECT_EQ(half.finish(), 0);
  EXPECT_EQ(load_settings(house_.home().config())->skills.config,
            (std::map<std::string, std::string>{{"wiki.domain", "physics"}}));
}

TEST_F(ConfigSkillsCliTest, NothingUnsetIsNothingToAsk) {
  StandInGateway gateway(house_.home(), JsonObject{{"settings", JsonArray{}}});
  EXPECT_EQ(out({"config", "migrate"}), "  all skill settings have a value\n");
  EXPECT_THAT(out({"config", "show"}), Not(HasSubstr("Skill Settings")));
}

TEST_F(ConfigSkillsCliTest, AJobMigratesNothing) {
  StandInGateway gateway(house_.home(), settings_);
  house_.environment()["TALARIA_JOB"] = "abcdefgh";
  EXPECT_THAT(house_.run({"config", "migrate"}).err, HasSubstr("from inside a job"));
  house_.environment().erase("TALARIA_JOB");
}

}  // namespace
}  // namespace talaria
