// Pages made to break whoever reads them end in bounded time and memory, with what text could be had.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "web/markdown.h"
#include "web/strip_tags.h"

namespace talaria {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

std::string repeat(std::string_view part, size_t bytes) {
  std::string out;
  out.reserve(bytes + part.size());
  while (out.size() < bytes) out += part;
  return out;
}

MarkdownOptions quick() {
  MarkdownOptions options;
  options.url = "https://example.org/";
  options.limits.time = 300ms;
  options.limits.memory = 128 << 20;
  return options;
}

// The deadline is generous: sanitizers and a busy machine slow it down ten times.
MarkdownPage in_time(const std::string& html, const MarkdownOptions& options = quick()) {
  const auto start = Clock::now();
  MarkdownPage page = html_to_markdown(html, options);
  EXPECT_LT(Clock::now() - start, 60s);
  EXPECT_TRUE(is_utf8(page.content));
  return page;
}

TEST(HostileHtmlTest, DeepNestingGivesTheBareText) {
  const MarkdownPage page = in_time("<title>T</title>" + repeat("<div>", 8 << 20) + "the &amp; end");
  EXPECT_THAT(page.content, EndsWith("the & end"));
  EXPECT_THAT(page.note, HasSubstr("; this is its bare text"));
}

TEST(HostileHtmlTest, EveryKindOfNestingEnds) {
  for (const char* part :
       {"<div>",      "<b><i>",      "<ul><li>x",     "<table><tr><td>",  "<blockquote>x", "<p><font size=1>x",
        "<svg><g>",   "<a href=x>y", "</p>",          "<select><option>", "<!--",          "<",
        "&",          "<a b=",       "<script>",      "<pre>`",           "<dl><dd>x",     "<h1>x",
        "<template>", "<math><mi>",  "<form><input>", "<button>x"}) {
    const MarkdownPage page = in_time(repeat(part, 1 << 20) + "end");
    EXPECT_LE(page.content.size(), size_t{64} << 20) << part;
  }
}

TEST(HostileHtmlTest, ATreeFarDeeperThanTheStackIsRead) {
  MarkdownOptions options = quick();
  options.limits.time = 30s;
  const MarkdownPage page = in_time(repeat("<span>", 6 * 20'000) + "bottom", options);
  EXPECT_EQ(page.content, "bottom");
  EXPECT_EQ(page.note, "");
}

TEST(HostileHtmlTest, MemoryIsBounded) {
  MarkdownOptions options = quick();
  options.limits.memory = 4 << 20;
  options.limits.time = 30s;
  const MarkdownPage page = in_time(repeat("<i>x</i>", 4 << 20), options);
  EXPECT_EQ(page.note, "the page's HTML needs more than 4 MiB to be read; this is its bare text");
  EXPECT_EQ(page.content.size(), size_t{4} << 17);
}

TEST(HostileHtmlTest, OutputIsBounded) {
  MarkdownOptions options = quick();
  options.url = "https://example.org/" + std::string(1900, 'x') + "/";
  options.limits.time = 30s;
  options.most = 1 << 20;
  const MarkdownPage page = in_time(repeat("<a href=a>b</a> ", 1 << 20), options);
  EXPECT_LE(page.content.size(), size_t{3} << 19);
  EXPECT_EQ(page.note, "the page is cut off after 1 MiB of text");
}

TEST(HostileHtmlTest, BrokenBytesAndNulsDoNoHarm) {
  const std::string html("<p>a\0b\xff\xfe<b\0c>d</b\x80>\xf0\x9f", 21);
  EXPECT_NE(in_time(html).content, "");
}

TEST(StripTagsTest, LeavesTheText) {
  EXPECT_EQ(strip_tags("<p>a <b>b</b>c</p><p>d"), "a bc d");
  EXPECT_EQ(strip_tags("x<script>if (a<b) c</script>y<STYLE>p{}</STYLE>z<!-- no -->!"), "x y z !");
  EXPECT_EQ(strip_tags("a &lt;b&gt; &amp;amp; &#65;&#x42; &eacute; &nbsp;c"), "a <b> &amp; AB &eacute; c");
  EXPECT_EQ(strip_tags("1 < 2 & 3 > 2"), "1 < 2 & 3 > 2");
  EXPECT_EQ(strip_tags("&#0; &#xd800; &#x110000; &#; &;"), "&#0; &#xd800; &#x110000; &#; &;");
  EXPECT_EQ(strip_tags("unclosed <a href="), "unclosed");
  EXPECT_EQ(strip_tags(""), "");
}

}  // namespace
}  // namespace talaria
