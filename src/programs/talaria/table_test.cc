#include "talaria/table.h"

#include <gtest/gtest.h>

#include "base/columns.h"
#include "base/text.h"

namespace talaria {
namespace {

Table example() {
  Table table({"ID", "NAME"});
  table.add({"a", "short"});
  table.add({"longer", "a name that is too long for the line"});
  return table;
}

TEST(TableTest, AlignsATableAndCutsItsLastColumn) {
  EXPECT_EQ(example().aligned(24), "ID      NAME\na       short\nlonger  a name that is …\n");
}

TEST(TableTest, WrapsTheLastColumnWhenAsked) {
  Table table = example();
  table.wrap_last_column();
  EXPECT_EQ(table.aligned(24),
            "ID      NAME\na       short\nlonger  a name that is\n        too long for the\n        line\n");
}

TEST(TableTest, ALongCellLeavesRoomForTheColumnThatWraps) {
  Table table({"SKILL", "FROM", "DESCRIPTION"});
  table.add({std::string(64, 'n'), "bundled", "Does something that takes a sentence or two to say"});
  table.add({"arxiv", "bundled", "See https://example.com/" + std::string(60, 'x')});
  table.wrap_last_column();
  for (const size_t width : {40, 60, 80, 200}) {
    const std::string text = table.aligned(width);
    for (const std::string& line : split(text, '\n')) EXPECT_LE(columns_of(line), width) << line;
  }
  EXPECT_NE(table.aligned(60).find("…  bundled  Does something that\n"), std::string::npos) << table.aligned(60);
  EXPECT_NE(table.aligned(200).find(std::string(64, 'n') + "  bundled"), std::string::npos);
  EXPECT_EQ(table.tabbed().find("…"), std::string::npos);
}

TEST(TableTest, SeparatesCellsByTabsWithoutAHeading) {
  EXPECT_EQ(example().tabbed(), "a\tshort\nlonger\ta name that is too long for the line\n");
}

TEST(TableTest, KeepsARowOnOneLine) {
  Table table({"COMMAND"});
  table.add({"one\ntwo\tthree\x1b[31m"});
  EXPECT_EQ(table.tabbed(), "one\\ntwo\\tthree\\x1b[31m\n");
}

TEST(TableTest, CountsTheColumnsOfATerminal) {
  Table table({"A", "B"});
  table.add({"äöü", "x"});
  table.add({"日本", "y"});
  table.add({"e\u0301", "👍 z"});
  EXPECT_EQ(table.aligned(80), "A     B\näöü   x\n日本  y\ne\u0301     👍 z\n");
  EXPECT_EQ(table.aligned(8), "A     B\näöü   x\n日本  y\ne\u0301     …\n");
}

// Seven columns, as ps has them.
TEST(TableTest, FitsWhateverIsTooLong) {
  const std::string wide = "日本語日本語日本語日本語日本語日本語日本語日本語";
  for (const bool wraps : {false, true}) {
    Table table({"ID", "STATUS", "AGE", "RUNTIME", "EXIT", "NAME", "COMMAND"});
    table.add({"k3f9a2bc", "completed", "12m03s", "11m59s", "SIGTERM", wide, wide + " " + wide});
    table.add({"k3f9a2bc", "running", "12m03s", "11m59s", "-", std::string(90, 'n'), std::string(200, 'c')});
    if (wraps) table.wrap_last_column();
    for (const size_t width : {40, 60, 80, 81, 120}) {
      for (const std::string& line : split(table.aligned(width), '\n')) EXPECT_LE(columns_of(line), width) << line;
    }
    if (wraps) continue;
    EXPECT_NE(table.aligned(80).find("k3f9a2bc  completed  12m03s  11m59s   SIGTERM  "), std::string::npos)
        << table.aligned(80);
  }
}

TEST(TableTest, WhereNothingMayBeCutTheLastColumnStandsBelow) {
  Table table({"KEY", "VALUE", "FROM", "MEANING"});
  table.add({"exec.timeout", "1800", "default", "seconds after which a command is ended; 0 for never"});
  table.add({"skills.dirs", "[/one/long/path, /another]", "default", ""});
  table.wrap_everything();
  EXPECT_EQ(table.aligned(200).find("\n    seconds"), std::string::npos);
  EXPECT_EQ(table.aligned(40),
            "KEY           VALUE              FROM\n"
            "exec.timeout  1800               default\n"
            "    seconds after which a command is\n"
            "    ended; 0 for never\n"
            "skills.dirs   [/one/long/path,   default\n"
            "              /another]\n");
}

}  // namespace
}  // namespace talaria
