#include "talaria/print.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "base/utf8.h"

namespace talaria {
namespace {

Table example() {
  Table table({"ID", "NAME"});
  table.add({"a", "short"});
  table.add({"longer", "a name that is too long for the line"});
  return table;
}

TEST(PrintTest, AlignsATableAndCutsItsLastColumn) {
  EXPECT_EQ(example().aligned(24), "ID      NAME\na       short\nlonger  a name that is …\n");
}

TEST(PrintTest, WrapsTheLastColumnWhenAsked) {
  Table table = example();
  table.wrap_last_column();
  EXPECT_EQ(table.aligned(24),
            "ID      NAME\na       short\nlonger  a name that is\n        too long for the\n        line\n");
}

TEST(PrintTest, ALongCellLeavesRoomForTheColumnThatWraps) {
  Table table({"SKILL", "FROM", "DESCRIPTION"});
  table.add({std::string(64, 'n'), "bundled", "Does something that takes a sentence or two to say"});
  table.add({"arxiv", "bundled", "See https://example.com/" + std::string(60, 'x')});
  table.wrap_last_column();
  for (const size_t width : {40, 60, 80, 200}) {
    const std::string text = table.aligned(width);
    for (const std::string& line : split(text, '\n')) EXPECT_LE(count_characters(line), width) << line;
  }
  EXPECT_NE(table.aligned(60).find("…  bundled  Does something that\n"), std::string::npos) << table.aligned(60);
  EXPECT_NE(table.aligned(200).find(std::string(64, 'n') + "  bundled"), std::string::npos);
  EXPECT_EQ(table.tabbed().find("…"), std::string::npos);
}

TEST(PrintTest, SeparatesCellsByTabsWithoutAHeading) {
  EXPECT_EQ(example().tabbed(), "a\tshort\nlonger\ta name that is too long for the line\n");
}

TEST(PrintTest, KeepsARowOnOneLine) {
  Table table({"COMMAND"});
  table.add({"one\ntwo\tthree\x1b[31m"});
  EXPECT_EQ(table.tabbed(), "one\\ntwo\\tthree\\x1b[31m\n");
}

TEST(PrintTest, CountsCharactersNotBytes) {
  Table table({"A", "B"});
  table.add({"äöü", "x"});
  EXPECT_EQ(table.aligned(80), "A    B\näöü  x\n");
}

}  // namespace
}  // namespace talaria
