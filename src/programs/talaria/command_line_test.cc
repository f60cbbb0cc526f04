#include "talaria/command_line.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

using Words = std::vector<std::string>;

// A command with one of everything.
struct Example {
  bool flag = false;
  std::optional<std::string> text;
  std::optional<int64_t> number;
  std::vector<std::string> several;
  std::vector<std::string> rest;

  std::optional<int> parse(const Words& words) {
    CommandLine line("example", "An example", "  talaria example");
    line.flag("-f,--flag", flag, "A flag");
    line.option("--text", text, "TEXT", "A text");
    line.option("-n,--number", number, "N", "A number");
    line.option("-e,--each", several, "X", "Several");
    line.rest("COMMAND", rest);
    return line.parse(words);
  }
};

TEST(CommandLineTest, LeavesEverythingAfterTheFirstWordToTheCommand) {
  Example example;
  EXPECT_EQ(example.parse({"-f", "ls", "-f", "--text", "--", "-n"}), std::nullopt);
  EXPECT_TRUE(example.flag);
  EXPECT_EQ(example.text, std::nullopt);
  EXPECT_EQ(example.rest, (Words{"ls", "-f", "--text", "--", "-n"}));
}

TEST(CommandLineTest, ReadsOptionsUpToTheSeparator) {
  Example example;
  EXPECT_EQ(example.parse({"--text=a b", "-n", "3", "-e", "A=1", "-e", "B=2", "--", "-weird", "--flag"}), std::nullopt);
  EXPECT_EQ(example.text, "a b");
  EXPECT_EQ(example.number, 3);
  EXPECT_EQ(example.several, (Words{"A=1", "B=2"}));
  EXPECT_EQ(example.rest, (Words{"-weird", "--flag"}));
  EXPECT_FALSE(example.flag);
}

TEST(CommandLineTest, TheCommandBeginsAfterTheRequiredWords) {
  for (const Words& given : {Words{"run", "-f", "--text", "a", "--", "-x", "run"}, {"-f", "run", "--text=a", "-x"}}) {
    std::string action;
    bool flag = false;
    std::optional<std::string> text;
    Words rest;
    CommandLine line("example", "An example", "");
    line.required("ACTION", action, "An action");
    line.flag("-f,--flag", flag, "A flag");
    line.flag("-x", flag, "Another");
    line.option("--text", text, "TEXT", "A text");
    line.rest("COMMAND", rest);
    EXPECT_EQ(line.parse(given), std::nullopt);
    EXPECT_EQ(action, "run");
    EXPECT_EQ(text, "a");
    EXPECT_EQ(rest, given.size() == 7 ? (Words{"-x", "run"}) : Words());
  }
}

TEST(CommandLineTest, GivesTwoForWordsThatMakeNoSense) {
  EXPECT_EQ(Example().parse({"--bogus", "ls"}), 2);
  EXPECT_EQ(Example().parse({"-n", "many", "ls"}), 2);
  EXPECT_EQ(Example().parse({"--text"}), 2);
}

TEST(CommandLineTest, KeepsAnEmptyWord) {
  Example example;
  EXPECT_EQ(example.parse({"printf", "", "x"}), std::nullopt);
  EXPECT_EQ(example.rest, (Words{"printf", "", "x"}));
}

TEST(CommandLineTest, AsksForWhatIsRequired) {
  std::string id;
  std::vector<std::string> more;
  CommandLine line("kill", "End jobs", "");
  line.required("ID", id, "One");
  line.list("MORE", more, CommandLine::AtLeast::none, "More");
  EXPECT_EQ(line.parse({}), 2);
}

TEST(CommandLineTest, TakesADashAsAWord) {
  std::string id;
  std::optional<std::string> data;
  bool eof = false;
  CommandLine line("write", "Write", "");
  line.required("ID", id, "One");
  line.optional("DATA", data, "Data");
  line.flag("--eof", eof, "End");
  EXPECT_EQ(line.parse({"abc", "-", "--eof"}), std::nullopt);
  EXPECT_EQ(data, "-");
  EXPECT_TRUE(eof);
}

}  // namespace
}  // namespace talaria
