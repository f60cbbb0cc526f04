#include "web/html_fold.h"

#include <gtest/gtest.h>

#include "web/html_tree.h"
#include "web/html_walk.h"
#include "web/markdown.h"

namespace talaria {
namespace {

const std::string long_text = "a stretch of text that is long enough to be folded";

// Large enough to be folded at all.
std::string padded(const std::string& html) { return html + "<!--" + std::string(70'000, 'x') + "-->"; }

TEST(HtmlFoldTest, ShortensTextAndPutsItBack) {
  const std::string html = padded("<p title='" + long_text + "'> " + long_text + " &amp; " + long_text + "\r\n</p>");
  const HtmlFold fold(html);
  EXPECT_FALSE(fold.empty());
  EXPECT_LT(fold.html().size(), html.size() - 60);
  EXPECT_EQ(std::string_view(fold.unfold(fold.html())), html);
}

TEST(HtmlFoldTest, LeavesSmallBrokenAndMarkedPagesAlone) {
  for (const std::string& html : {"<p>" + long_text, padded("<p>\xff" + long_text),
                                  padded("\xf3\xb0\x80\x80" + long_text), padded("&#xF0000;????" + long_text),
                                  padded("&#0983040" + long_text), padded("<a title='&#x1000f0000;'>" + long_text)}) {
    const HtmlFold fold(html);
    EXPECT_TRUE(fold.empty());
    EXPECT_EQ(fold.html(), html);
  }
}

// Each page reads the same with and without folding: a page that is too small, and the same made large by a comment.
TEST(HtmlFoldTest, ChangesNothingThatCanBeRead) {
  const std::string& t = long_text;
  for (const std::string& html : {
           "<p>" + t + "<b>" + t + "</b>" + t,
           "<title>" + t + "</title><p>x" + t,
           "<script>if (a < b) '<p>" + t + "'</script>" + t,
           "<a href='/x' title='a > " + t + "'>" + t + "</a>",
           "<a href=/x title=a\"b>" + t + "</a>\">" + t,
           "<a href=\"/x>" + t + "\">" + t + "</a>",
           "<a =\"/x>" + t + "\">" + t + "</a>",
           "<a x/=\"y>" + t + "\">" + t + "</a>",
           "<svg><title><a x=\"</title>" + t + "\"></a></title></svg>" + t,
           "<svg><style><img alt='</style>" + t + "'></svg>" + t,
           "<!--><p>" + t + "--><p>" + t,
           "<!-- a --!><p>" + t + "<!-- b -->",
           "<script><!-- <script>" + t + "</script>" + t + "--></script>" + t,
           "<textarea>" + t + "</textarea>" + t + "<xmp><b>" + t + "</xmp>",
           "1&ndash;2 " + t + "&amp" + t + "&#65;" + t + "&#x42" + t + "&notit;" + t + "&" + t,
           "<pre>\n  " + t + "\n\n  " + t + "</pre>",
           "<table>" + t + "<tr><td>" + t + "<td>" + t + "</table>",
           "a < b " + t + " & c <3 " + t + "</ p>" + t + "<!x>" + t + "<?y>" + t,
           "<select><option>" + t + "</select><math><mtext>" + t + "</mtext></math>",
           "<p>" + t + "<plaintext>" + t + "<b>",
           "<a href='" + t,
       }) {
    const MarkdownPage plain = html_to_markdown(html, {});
    const MarkdownPage folded = html_to_markdown("<!--" + std::string(70'000, 'x') + "-->" + html, {});
    EXPECT_EQ(folded.content, plain.content) << html;
    EXPECT_EQ(folded.title, plain.title) << html;
  }
}

}  // namespace
}  // namespace talaria
