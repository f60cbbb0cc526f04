#include "web/readable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "web/markdown.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string text(const std::string& word, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += word + " ";
  return out;
}

std::string links(int count) {
  std::string out = "<ul>";
  for (int i = 0; i < count; ++i) out += "<li><a href=/n" + std::to_string(i) + ">menu entry</a></li>";
  return out + "</ul>";
}

std::string markdown_of(const std::string& html) { return html_to_markdown(html, {}).content; }

TEST(ReadableTest, TakesTheMainElement) {
  const std::string page = markdown_of("<header>Site</header><nav>" + links(20) + "</nav><main><h1>Head</h1><p>" +
                                       text("story", 100) + "</p></main><footer>Imprint</footer>");
  EXPECT_EQ(page, "# Head\n\n" + text("story", 99) + "story");
}

TEST(ReadableTest, TakesTheArticleOrTheRole) {
  for (const char* tags : {"article", "div role=main"}) {
    const std::string name(tags, std::string_view(tags).find(' ') == std::string_view::npos ? 7 : 3);
    const std::string page = markdown_of("<div>" + links(10) + "</div><" + std::string(tags) + "><p>" +
                                         text("story", 100) + "</p></" + name + "><div>Imprint</div>");
    EXPECT_EQ(page, text("story", 99) + "story") << tags;
  }
}

TEST(ReadableTest, FindsTheDensestBlockWhereNothingIsDeclared) {
  const std::string page =
      markdown_of("<div id=top>" + links(20) + "</div><div id=wrap><div id=side>short side</div><div id=body><p>" +
                  text("one", 60) + "</p><p>" + text("two", 60) + "</p></div></div><div id=foot>Imprint</div>");
  EXPECT_EQ(page, text("one", 59) + "one\n\n" + text("two", 59) + "two");
}

TEST(ReadableTest, LeavesOutWhatIsNoContentInsideTheMainElement) {
  const std::string page = markdown_of("<main><p>" + text("story", 100) + "</p><nav>Crumbs</nav><aside>Advert</aside>" +
                                       "<form><p>Subscribe</p></form><aside class=note>Mind the gap</aside>" +
                                       links(8) + "<footer>Written by me</footer></main>");
  EXPECT_THAT(page, HasSubstr("story"));
  EXPECT_THAT(page, HasSubstr("Mind the gap"));
  for (const char* gone : {"Crumbs", "Advert", "Subscribe", "menu entry", "Written"})
    EXPECT_THAT(page, Not(HasSubstr(gone)));
}

TEST(ReadableTest, AHeaderWithTheHeadingStays) {
  EXPECT_THAT(markdown_of("<article><header><h1>Head</h1>by me</header><p>" + text("story", 100) + "</article>"),
              HasSubstr("# Head\n\nby me\n\nstory"));
}

TEST(ReadableTest, APageOfLinksKeepsItsLinks) {
  const std::string page = markdown_of("<main>" + links(50) + "</main>");
  EXPECT_THAT(page, HasSubstr("- [menu entry](/n0)\n"));
  EXPECT_THAT(page, HasSubstr("- [menu entry](/n49)"));
}

TEST(ReadableTest, APageInOneFormIsRead) {
  EXPECT_EQ(markdown_of("<form><div><p>" + text("story", 100) + "</p></div></form>"), text("story", 99) + "story");
}

TEST(ReadableTest, TooLittleMainContentBringsTheWholePage) {
  const std::string page =
      markdown_of("<nav>" + links(6) + "</nav><main>Loading</main><footer>" + text("foot", 30) + "</footer>");
  EXPECT_THAT(page, HasSubstr("menu entry"));
  EXPECT_THAT(page, HasSubstr("Loading"));
  EXPECT_THAT(page, HasSubstr("foot"));
}

TEST(ReadableTest, TheWholePageIsThereForTheAsking) {
  MarkdownOptions options;
  options.content = MarkdownOptions::Content::whole;
  const std::string html = "<nav>Menu</nav><main><p>" + text("story", 100) + "</p></main>";
  EXPECT_EQ(html_to_markdown(html, options).content, "Menu\n\n" + text("story", 99) + "story");
}

}  // namespace
}  // namespace talaria
