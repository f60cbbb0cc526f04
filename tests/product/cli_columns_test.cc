// What a person sees fits the terminal, whatever the names are made of; what a script reads is whole.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/columns.h"
#include "base/text.h"
#include "guard/quarantine.h"
#include "guard/quarantine_place.h"
#include "os/file.h"
#include "product/house.h"
#include "product/prompt_window.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

constexpr const char* wide_name = "日本語の長い名前👍e\u0301";

std::string without_returns(std::string text) {
  std::erase(text, '\r');
  return text;
}

class CliColumnsTest : public testing::Test {
 protected:
  CliColumnsTest() { house_.environment()["NO_COLOR"] = "1"; }

  std::string on_screen(const Words& words, unsigned short columns) {
    PromptWindow window(house_, "talaria", words, columns);
    window.finish();
    return without_returns(window.shown());
  }
  static void expect_fits(const std::string& text, size_t columns, const Words& words) {
    for (const std::string& line : split(text, '\n')) {
      EXPECT_LE(columns_of(line), columns) << "talaria " << join(words, " ") << ": " << line;
    }
  }
  // The commands that `talaria help` lists, with the actions that have a help of their own.
  std::vector<Words> commands() {
    std::vector<Words> all;
    for (const std::string& line : split(house_.run({"help"}).out, '\n')) {
      const std::string name = line.substr(0, std::min(line.find(' ', 2), line.size()));
      if (line.starts_with("Examples:")) break;
      if (name.size() > 2 && name.starts_with("  ")) all.push_back({name.substr(2)});
    }
    all.push_back({"config", "set"});
    all.push_back({"env", "set"});
    all.push_back({"skills", "run"});
    for (const char* action : {"run", "explain", "quarantine"}) all.push_back({"sandbox", action});
    for (const char* action : {"list", "show", "restore", "delete"}) all.push_back({"sandbox", "quarantine", action});
    return all;
  }
  void quarantine_something() {
    const std::string workspace = real_path(house_.workspace());
    const std::string name = std::string(wide_name) + std::string(100, 'x');
    ASSERT_TRUE(write_file_atomically(workspace + "/" + name, "x", 0755));
    const Result<UniqueFd> folder = open_file(workspace, O_RDONLY | O_DIRECTORY);
    Quarantine there(house_.home().quarantine());
    ASSERT_TRUE(there.take(
        folder->get(), name,
        {workspace + "/" + name, "held", "direnv would run it.", workspace, "s1", QuarantinedItem::Origin::created}));
  }

  PlainHouse house_;
};

TEST_F(CliColumnsTest, EveryScreenFitsTheTerminal) {
  const std::string long_command = "true " + std::string(wide_name) + std::string(150, 'x');
  house_.exec(long_command, {{"label", wide_name}, {"background", true}});
  house_.exec("true", {{"label", std::string(60, 'n')}, {"background", true}});
  ASSERT_EQ(house_.run({"env", "set", "A_VARIABLE_WITH_QUITE_A_LONG_NAME_" + std::string(50, 'X')}, "v\n").code, 0);
  ASSERT_EQ(house_.run({"config", "set", "files.read.deny", "[/a/" + std::string(120, 'd') + "]"}).code, 0);
  quarantine_something();
  const std::vector<Words> screens = {{"ps"},
                                      {"ps", "--all"},
                                      {"config", "show"},
                                      {"config", "get", "exec"},
                                      {"skills", "list", "--all"},
                                      {"skills", "config"},
                                      {"tools"},
                                      {"tools", "exec"},
                                      {"doctor"},
                                      {"sandbox", "explain"},
                                      {"sandbox", "probe"},
                                      {"sandbox", "quarantine", "list"},
                                      {"env", "list"}};
  for (const unsigned short columns : {80, 60, 132}) {
    for (const Words& words : screens) expect_fits(on_screen(words, columns), columns, words);
  }
}

TEST_F(CliColumnsTest, EveryHelpFitsTheTerminalAndEightyColumnsInAPipe) {
  const std::vector<Words> all = commands();
  EXPECT_GT(all.size(), 30U);
  for (Words words : all) {
    words.emplace_back("--help");
    const std::string screen = on_screen(words, 80);
    EXPECT_THAT(screen, HasSubstr("Usage: talaria ")) << join(words, " ");
    expect_fits(screen, 80, words);
    expect_fits(on_screen(words, 45), 45, words);
    EXPECT_EQ(house_.run(words).out, screen);
  }
  expect_fits(on_screen({"help"}, 80), 80, {"help"});
  expect_fits(on_screen({"help"}, 45), 45, {"help"});
}

TEST_F(CliColumnsTest, WideNamesStayInTheirColumn) {
  house_.exec("sleep 60 # one", {{"label", "日本語"}, {"background", true}});
  house_.exec("sleep 60 # two", {{"label", "abc"}, {"background", true}});
  const std::string screen = on_screen({"ps"}, 100);
  std::vector<size_t> columns;
  for (const std::string& line : split(screen, '\n')) {
    const size_t command = line.find("sleep 60");
    if (command != std::string::npos) columns.push_back(columns_of(line.substr(0, command)));
  }
  ASSERT_EQ(columns.size(), 2U) << screen;
  EXPECT_EQ(columns[0], columns[1]) << screen;
}

TEST_F(CliColumnsTest, APipeGetsWholeValuesAndTabs) {
  const std::string command = "true " + std::string(wide_name) + std::string(300, 'x');
  const std::string id = id_of(house_.exec(command, {{"label", wide_name}, {"background", true}}));
  EXPECT_THAT(house_.run({"ps"}).out, AllOf(HasSubstr(id + "\t"), HasSubstr("\t" + command + "\n")));
  EXPECT_THAT(house_.run({"config", "show"}).out,
              AllOf(HasSubstr("exec.timeout\t1800\tdefault\tseconds after which a command is ended; 0 for never\n"),
                    Not(HasSubstr("…"))));
}

TEST_F(CliColumnsTest, AnEventGoesOnBelowItself) {
  PromptWindow window(house_, "talaria", {"events"}, 80);
  house_.exec("printf 'word %.0s' $(seq 60); echo last", {{"background", true}});
  window.await_output("last");
  expect_fits(without_returns(window.shown()), 80, {"events"});
}

}  // namespace
}  // namespace talaria
