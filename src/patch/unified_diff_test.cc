#include "patch/unified_diff.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <vector>

#include "patch/line_diff.h"

namespace talaria {
namespace {

std::vector<std::string> whole_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// Follows a diff to the letter; any line that does not fit is a failure.
std::string apply_diff(const std::string& before, const std::string& diff) {
  const std::vector<std::string> old_lines = whole_lines(before), lines = whole_lines(diff);
  std::string after;
  size_t at = 0, new_line = 0;
  for (size_t i = 2; i < lines.size(); ++i) {
    std::string line = lines[i];
    if (line.starts_with("@@")) {
      size_t first = 0, count = 1, new_first = 0, new_count = 1;
      if (sscanf(line.c_str(), "@@ -%zu,%zu", &first, &count) < 1) ADD_FAILURE() << line;
      const char* plus = strchr(line.c_str(), '+');
      if (sscanf(plus, "+%zu,%zu", &new_first, &new_count) < 1) ADD_FAILURE() << line;
      for (const size_t to = count == 0 ? first : first - 1; at < to; ++at, ++new_line) after += old_lines.at(at);
      EXPECT_EQ(new_count == 0 ? new_first : new_first - 1, new_line) << line;
      continue;
    }
    if (i + 1 < lines.size() && lines[i + 1].starts_with("\\")) line.pop_back();
    if (line[0] == '\\') continue;
    if (line[0] != '+') {
      EXPECT_EQ(old_lines.at(at++), line.substr(1));
    }
    if (line[0] != '-') after += line.substr(1), ++new_line;
  }
  for (; at < old_lines.size(); ++at) after += old_lines[at];
  return after;
}

// A folder of its own, in which git takes no notice of any repository.
class GitTest : public testing::Test {
 protected:
  GitTest() {
    std::string name = (std::filesystem::temp_directory_path() / "unified-diff-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~GitTest() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }

  std::string read(const std::string& name) const {
    std::ostringstream content;
    content << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return content.str();
  }

  bool apply(const std::string& diff) const {
    write("the.diff", diff);
    const std::string command = "cd '" + folder_.string() +
                                "' && GIT_CEILING_DIRECTORIES=/ GIT_DIR=none HOME=/nonexistent "
                                "git apply --unidiff-zero --whitespace=nowarn the.diff";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  std::filesystem::path folder_;
};

TEST(UnifiedDiffTest, SameTextsHaveNone) {
  EXPECT_EQ(unified_diff("a", "x\n", "a", "x\n"), "");
  EXPECT_EQ(unified_diff("", "", "a", ""), "");
}

TEST(UnifiedDiffTest, AChangeHasThreeLinesAround) {
  EXPECT_EQ(unified_diff("d/f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "d/f", "1\n2\n3\n4\nx\n6\n7\n8\n9\n"),
            "--- a/d/f\n+++ b/d/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
}

TEST(UnifiedDiffTest, ChangesNearEachOtherShareAHunk) {
  EXPECT_EQ(unified_diff("f", "1\n2\n3\n4\n5\n6\n7\n8\n", "f", "x\n2\n3\n4\n5\n6\n7\ny\n"),
            "--- a/f\n+++ b/f\n@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n");
  EXPECT_EQ(unified_diff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "f", "x\n2\n3\n4\n5\n6\n7\n8\ny\n"),
            "--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n");
}

TEST(UnifiedDiffTest, ANewAndAGoneFileAreNamedDevNull) {
  EXPECT_EQ(unified_diff("", "", "f", "a\nb\n"), "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(unified_diff("f", "a\n", "", ""), "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
}

TEST(UnifiedDiffTest, AMissingFinalLineEndIsSaid) {
  EXPECT_EQ(unified_diff("f", "a\nb", "f", "a\nb\n"),
            "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
  EXPECT_EQ(unified_diff("f", "a\nb", "f", "x\nb"),
            "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n");
}

TEST(UnifiedDiffTest, NamesAreQuotedAsGitDoes) {
  EXPECT_EQ(unified_diff("/d/a b", "x\n", "q\"\n\\", "y\n"),
            "--- a/d/a b\t\n+++ \"b/q\\\"\\012\\\\\"\n@@ -1 +1 @@\n-x\n+y\n");
}

TEST(UnifiedDiffTest, WhatIsTooLongIsLeftOutByWholeLines) {
  EXPECT_EQ(unified_diff("f", "", "f", "aaaa\nbbbb\ncccc\n", 43),
            "--- a/f\n+++ b/f\n@@ -0,0 +1,3 @@\n+aaaa\n... 2 more lines of this diff are left out\n");
  EXPECT_EQ(unified_diff("f", "", "f", "aaaa\nbbbb\ncccc\n", 44),
            "--- a/f\n+++ b/f\n@@ -0,0 +1,3 @@\n+aaaa\n+bbbb\n... 1 more line of this diff is left out\n");
  EXPECT_EQ(unified_diff("f", "", "f", "a\n", 0), "... 4 more lines of this diff are left out\n");
}

std::string random_text(std::mt19937& random, size_t lines, unsigned kinds) {
  std::string text;
  for (size_t i = 0; i < lines; ++i) text += std::to_string(random() % kinds) + (random() % 9 == 0 ? "\r\n" : "\n");
  if (random() % 3 == 0 && !text.empty()) text.pop_back();
  return text;
}

TEST(UnifiedDiffTest, FollowingItGivesTheOtherText) {
  std::mt19937 random(1);
  for (int round = 0; round < 2'000; ++round) {
    const unsigned kinds = 1 + random() % 12;
    const std::string before = random_text(random, random() % 30, kinds),
                      after = random_text(random, random() % 30, kinds);
    const std::string diff = unified_diff("f", before, "f", after);
    if (before == after) continue;
    EXPECT_EQ(apply_diff(before, diff), after) << diff;
  }
}

TEST(UnifiedDiffTest, BigTextsWithLittleInCommonAreComparedToo) {
  std::mt19937 random(2);
  for (unsigned kinds : {2u, 50u, 30'000u}) {
    const std::string before = random_text(random, 30'000, kinds), after = random_text(random, 30'000, kinds);
    EXPECT_EQ(apply_diff(before, unified_diff("f", before, "f", after, 10'000'000)), after);
  }
}

TEST(LineDiffTest, TheFewestLinesAreChanged) {
  EXPECT_EQ(diff_lines({"a", "b", "c", "a", "b", "b", "a"}, {"c", "b", "a", "b", "a", "c"}).size(), 4u);
  EXPECT_EQ(diff_lines({"a", "b"}, {"a", "x", "b"}), (std::vector<LineChange>{{1, 0, 1, 1}}));
  EXPECT_EQ(diff_lines({}, {"x"}), (std::vector<LineChange>{{0, 0, 0, 1}}));
  EXPECT_EQ(diff_lines({"a"}, {"a"}), std::vector<LineChange>{});
}

TEST_F(GitTest, GitAcceptsWhatWeWrite) {
  std::mt19937 random(3);
  for (int round = 0; round < 25; ++round) {
    const std::string before = random_text(random, 1 + random() % 20, 8),
                      after = random_text(random, 1 + random() % 20, 8);
    if (before == after) continue;
    write("f", before);
    ASSERT_TRUE(apply(unified_diff("f", before, "f", after)));
    EXPECT_EQ(read("f"), after);
  }
}

TEST_F(GitTest, GitMovesFiles) {
  write("a b", "x\ny\n");
  const std::string head = rename_head("a b", "c\"d", Renamed::as_it_was);
  EXPECT_EQ(head, "diff --git a/a b \"b/c\\\"d\"\nsimilarity index 100%\nrename from a b\nrename to \"c\\\"d\"\n");
  ASSERT_TRUE(apply(head));
  EXPECT_EQ(read("c\"d"), "x\ny\n");
  ASSERT_TRUE(
      apply(rename_head("/c\"d", "/e", Renamed::with_changes) + unified_diff("/c\"d", "x\ny\n", "/e", "x\nz\n")));
  EXPECT_EQ(read("e"), "x\nz\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "c\"d"));
}

TEST_F(GitTest, GitMakesAndRemovesFiles) {
  ASSERT_TRUE(apply(unified_diff("", "", "a b", "x\ny")));
  EXPECT_EQ(read("a b"), "x\ny");
  ASSERT_TRUE(apply(unified_diff("a b", "x\ny", "", "")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a b"));
  write("q\"\\", "x\n");
  ASSERT_TRUE(apply(unified_diff("q\"\\", "x\n", "q\"\\", "y\n")));
  EXPECT_EQ(read("q\"\\"), "y\n");
}

}  // namespace
}  // namespace talaria
