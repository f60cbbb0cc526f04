#include "api/log_view.h"

#include <gtest/gtest.h>

#include "api/output.h"

namespace talaria {
namespace {

std::string numbered(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

LogView viewed(const std::string& text, const LogWindow& window = {}) {
  Result<LogView> view = view_log(source_of(text), window);
  EXPECT_TRUE(view);
  return *view;
}

TEST(LogViewTest, ShowsTheLastLines) {
  const LogView view = viewed(numbered(500));
  EXPECT_EQ(view.total_lines, 500u);
  EXPECT_EQ(view.shown_lines, 200u);
  EXPECT_EQ(view.first_line, 301u);
  EXPECT_TRUE(view.text.starts_with("line 301\n"));
  EXPECT_TRUE(view.text.ends_with("line 500\n"));
}

TEST(LogViewTest, PagesFromAnOffset) {
  LogWindow window;
  window.offset = 2;
  window.limit = 2;
  EXPECT_EQ(viewed(numbered(10), window).text, "line 3\nline 4\n");
  EXPECT_EQ(viewed(numbered(10), window).first_line, 3u);
  window.offset = 9;
  EXPECT_EQ(viewed(numbered(10), window).text, "line 10\n");
  window.offset = 10;
  EXPECT_EQ(viewed(numbered(10), window).text, "");
}

TEST(LogViewTest, FindsLinesAndNumbersThem) {
  LogWindow window;
  window.grep = *Pattern::compile("1$");
  const LogView view = viewed(numbered(21), window);
  EXPECT_EQ(view.text, "1:line 1\n11:line 11\n21:line 21\n");
  EXPECT_EQ(view.matching_lines, 3u);
  EXPECT_EQ(view.total_lines, 21u);
}

TEST(LogViewTest, CountsALastLineWithoutEnd) {
  EXPECT_EQ(viewed("a\nb").total_lines, 2u);
  EXPECT_EQ(viewed("a\r\nb\r\n").text, "a\nb\n");
  EXPECT_EQ(viewed("").total_lines, 0u);
}

TEST(LogViewTest, StaysWithinItsBudget) {
  LogWindow window;
  window.most_characters = 30;
  const LogView tail = viewed(numbered(9), window);
  EXPECT_EQ(tail.text, "line 6\nline 7\nline 8\nline 9\n");
  EXPECT_TRUE(tail.truncated);
  window.offset = 0;
  const LogView head = viewed(numbered(9), window);
  EXPECT_EQ(head.text, "line 1\nline 2\nline 3\nline 4\n");
  EXPECT_TRUE(head.truncated);
}

TEST(LogViewTest, SaysWhereBytesAreLost) {
  ByteSource source = source_of("one\ntwo\n????????nine\n");
  source.lost_begin = 8;
  source.lost_end = 16;
  EXPECT_EQ(view_log(source, {})->text, "one\ntwo\n[… 8 bytes of output are no longer kept …]\nnine\n");
}

TEST(LogViewTest, ALineWithoutEndIsOneLine) {
  const std::string text = std::string(5 << 20, 'x') + "\nend\n";
  const LogView tail = viewed(text);
  EXPECT_EQ(tail.total_lines, 2u);
  EXPECT_EQ(tail.text, "end\n");  // the budget leaves whole lines
  EXPECT_TRUE(tail.truncated);
  LogWindow window;
  window.limit = 1;
  EXPECT_EQ(viewed(text, window).text, "end\n");
  EXPECT_EQ(viewed(text, window).first_line, 2u);
  window.offset = 1;
  EXPECT_EQ(viewed(text, window).text, "end\n");
  window = {};
  window.most_characters = 10 << 20;
  EXPECT_TRUE(viewed(text, window).text == text);
  window.grep = *Pattern::compile("x");
  EXPECT_EQ(viewed(text, window).matching_lines, 1u);
  EXPECT_EQ(viewed(std::string(1 << 20, 'x') + "\n").total_lines, 1u);
}

TEST(LogViewTest, LooksAgainWhenTheLogWasFaster) {
  ByteSource early = source_of("one\ntwo\n");
  early.size = 100;  // what was there when it was opened is dropped by the time it is read
  ByteSource late = source_of(std::string(200, '?') + "\n" + "last but one\nlast\n");
  late.lost_begin = 8;
  late.lost_end = 201;
  LogWindow window;
  window.limit = 2;
  int looks = 0;
  const auto look_again = [&]() -> Result<ByteSource> {
    return ++looks == 1 ? source_of("one\n") : late;  // at first it is met while it drops a file
  };
  const Result<LogView> view = view_log(early, window, look_again);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->text, "last but one\nlast\n");
  EXPECT_EQ(view->total_bytes, late.size);
  EXPECT_EQ(looks, 2);
  const Result<LogView> hopeless = view_log(early, window, [&]() -> Result<ByteSource> { return early; });
  ASSERT_TRUE(hopeless);  // and it ends
}

}  // namespace
}  // namespace talaria
