#include "talaria/print.h"

#include <gtest/gtest.h>

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

TEST(PrintTest, SeparatesCellsByTabsWithoutAHeading) {
  EXPECT_EQ(example().tabbed(), "a\tshort\nlonger\ta name that is too long for the line\n");
}

TEST(PrintTest, KeepsARowOnOneLine) {
  Table table({"COMMAND"});
  table.add({"one\ntwo\tthree\x1b[31m"});
  EXPECT_EQ(table.tabbed(), "one two three [31m\n");
}

TEST(PrintTest, CountsCharactersNotBytes) {
  Table table({"A", "B"});
  table.add({"äöü", "x"});
  EXPECT_EQ(table.aligned(80), "A    B\näöü  x\n");
}

}  // namespace
}  // namespace talaria
