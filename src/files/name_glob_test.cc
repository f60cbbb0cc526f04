#include "files/name_glob.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(NameGlobTest, MeansNamesInAnyFolder) {
  EXPECT_TRUE(NameGlob("*.py").means("a.py"));
  EXPECT_TRUE(NameGlob("*.py").means("x/y/a.py"));
  EXPECT_FALSE(NameGlob("*.py").means("a.py/b"));
  EXPECT_TRUE(NameGlob("{a,b}.c").means("x/b.c"));
  EXPECT_TRUE(NameGlob("[ab]?.c").means("bz.c"));
  EXPECT_FALSE(NameGlob("*.PY").means("a.py"));
  EXPECT_TRUE(NameGlob("*.PY", LetterCase::ignored).means("a.py"));
  EXPECT_TRUE(NameGlob("").means("anything"));
  EXPECT_FALSE(NameGlob("*").means(""));
}

TEST(NameGlobTest, MeansFoldersAsWritten) {
  EXPECT_TRUE(NameGlob("src/*.py").means("src/a.py"));
  EXPECT_FALSE(NameGlob("src/*.py").means("src/x/a.py"));
  EXPECT_FALSE(NameGlob("src/*.py").means("x/src/a.py"));
  EXPECT_FALSE(NameGlob("src/*").means("src/x/a.py"));
  EXPECT_TRUE(NameGlob("**/src/*.py").means("x/y/src/a.py"));
  EXPECT_TRUE(NameGlob("**/src/*.py").means("src/a.py"));
  EXPECT_TRUE(NameGlob("src/**").means("src/x/y"));
  EXPECT_TRUE(NameGlob("src/").means("src/x/y"));
  EXPECT_TRUE(NameGlob("./a.c").means("a.c"));
  EXPECT_FALSE(NameGlob("/a.c").means("x/a.c"));
  EXPECT_FALSE(NameGlob("!*.md").means("x/a.md"));
  EXPECT_TRUE(NameGlob("!*.md").means("x/a.c"));
}

TEST(NameGlobTest, TellsTheNamesForASearchProgram) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(NameGlob("src/*.{c,h}").name_patterns(), (Names{"*.c", "*.h"}));
  EXPECT_EQ(NameGlob("src/**").name_patterns(), Names());
  EXPECT_EQ(NameGlob("!*.c").name_patterns(), Names());
  EXPECT_EQ(NameGlob("").name_patterns(), Names());
  EXPECT_TRUE(NameGlob(".github/**").names_hidden());
  EXPECT_FALSE(NameGlob("./src/*").names_hidden());
}

TEST(NameGlobTest, ReadsAWordAsPartOfAName) {
  EXPECT_EQ(glob_of_word("new"), "*new*");
  EXPECT_EQ(glob_of_word("src/new"), "src/*new*");
  EXPECT_EQ(glob_of_word("*.py"), "*.py");
  EXPECT_EQ(glob_of_word("src/"), "src/");
  EXPECT_EQ(glob_of_word(".env"), "{.env*,*.env*}");
  EXPECT_EQ(glob_of_word(""), "");
}

TEST(NameGlobTest, BeginsInAFolder) {
  EXPECT_EQ(glob_within("/a/b/*.c", "/a/b"), "/*.c");
  EXPECT_EQ(glob_within("!/a/b/c/**", "/a/b/"), "!/c/**");
  EXPECT_EQ(glob_within("/a/bc/*.c", "/a/b"), "/a/bc/*.c");
  EXPECT_EQ(glob_within("/a/b", "/a/b"), "/a/b");
  EXPECT_EQ(glob_within("/a/*", "/"), "/a/*");
  EXPECT_EQ(glob_within("*.c", ""), "*.c");
}

TEST(NameGlobTest, KnowsWhichPartOfItMeansHiddenNames) {
  const NameGlob glob("{.env*,*.c}");
  EXPECT_TRUE(glob.names_hidden(".env.local"));
  EXPECT_FALSE(glob.names_hidden(".x.c"));
  EXPECT_FALSE(NameGlob("!.env").names_hidden(".x"));
}

// Many stars must not take the age of the universe.
TEST(NameGlobTest, IsNeverSlow) {
  std::string pattern;
  std::string path;
  for (int i = 0; i < 200; ++i) pattern += "**/*a*/", path += "bbbbbbbbb/";
  EXPECT_FALSE(NameGlob(pattern + "c").means(path + "d"));
}

}  // namespace
}  // namespace talaria
