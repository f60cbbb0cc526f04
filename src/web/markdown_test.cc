#include "web/markdown.h"

#include <gtest/gtest.h>

#include <string>

#include "base/utf8.h"

namespace talaria {
namespace {

std::string markdown_of(std::string_view html) {
  MarkdownOptions options;
  options.url = "https://example.org/dir/page?q#f";
  return html_to_markdown(html, options).content;
}

struct Case {
  const char* html;
  const char* markdown;
};

void expect(const Case& entry) { EXPECT_EQ(markdown_of(entry.html), entry.markdown) << entry.html; }

TEST(MarkdownTest, WritesBlocks) {
  for (const Case& entry : {
           Case{"", ""},
           {"just text", "just text"},
           {"<p>one<p>two", "one\n\ntwo"},
           {"<div>one</div>two<div>three</div>", "one\n\ntwo\n\nthree"},
           {"<p>  a \n\t b&nbsp; c  </p>", "a b c"},
           {"a&shy;b\u200bc", "abc"},
           {"<h1>One</h1><h2>Two</h2><h6>Six</h6>", "# One\n\n## Two\n\n###### Six"},
           {"<h1>Two<br>lines</h1>", "# Two lines"},
           {"<h2><div>Block</div> inside</h2>", "## Block inside"},
           {"<h3></h3>text", "text"},
           {"<h2>Anchored<a class=headerlink href=#x>¶</a></h2>", "## Anchored"},
           {"<h2>C #</h2>", "## C \\#"},
           {"a<hr>b", "a\n\n---\n\nb"},
           {"one<br>two<br/>three", "one  \ntwo  \nthree"},
           {"one<br><br>two", "one\n\ntwo"},
           {"<p>end<br></p><p>next", "end\n\nnext"},
           {"<blockquote>said<p>twice</blockquote>after", "> said\n>\n> twice\n\nafter"},
           {"<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"},
           {"<blockquote><p>one<br>two</blockquote>", "> one  \n> two"},
           {"<dl><dt>Word<dd>Meaning<dd>Other<dt>Next<dd>Last</dl>", "Word\n: Meaning\n: Other\n\nNext\n: Last"},
           {"<figure><img src=a.png alt=Cat><figcaption>A cat</figcaption></figure>",
            "![Cat](https://example.org/dir/a.png)\n\nA cat"},
           {"<details><summary>More</summary>hidden text</details>", "More\n\nhidden text"},
           {"<p></p><p> </p><div><div></div></div>x", "x"},
       }) {
    expect(entry);
  }
}

TEST(MarkdownTest, WritesInlineMarks) {
  for (const Case& entry : {
           Case{"a <b>bold</b> and <strong>strong</strong>", "a **bold** and **strong**"},
           {"<i>it</i> <em>em</em> <cite>cite</cite>", "*it* *em* *cite*"},
           {"<s>gone</s> <del>too</del>", "~~gone~~ ~~too~~"},
           {"a<b> spaced </b>b", "a **spaced** b"},
           {"<b></b>x<b> </b>y", "x y"},
           {"<b>a</b><b>b</b>", "**ab**"},
           {"<b>a</b><i>b</i>", "**a***b*"},
           {"<b><strong>twice</strong></b>", "**twice**"},
           {"<b><i>both</i></b>", "***both***"},
           {"<b>one<p>two</p></b>three", "**one**\n\n**two**\n\nthree"},
           {"<code>x = 1</code>", "`x = 1`"},
           {"<kbd>Ctrl</kbd>+<samp>out</samp>", "`Ctrl`+`out`"},
           {"<code>a`b</code>", "``a`b``"},
           {"<code>`a`</code>", "`` `a` ``"},
           {"<code>**not bold**</code>", "`**not bold**`"},
           {"<code></code>x", "x"},
           {"<q>quoted</q>", "“quoted”"},
           {"10<sup>6</sup> H<sub>2</sub>O 1<sup>st</sup>", "10^6 H2O 1st"},
           {"<u>u</u> <small>s</small> <mark>m</mark> <span>x</span>", "u s m x"},
           {"un<b>believ</b>able", "un**believ**able"},
           {"<my-tag>custom</my-tag>", "custom"},
       }) {
    expect(entry);
  }
}

TEST(MarkdownTest, WritesLinksAndImages) {
  for (const Case& entry : {
           Case{"<a href=http://a.example/>x</a>", "[x](http://a.example/)"},
           {"<a href=other>x</a>", "[x](https://example.org/dir/other)"},
           {"<a href=../up?a=b#c>x</a>", "[x](https://example.org/up?a=b#c)"},
           {"<a href=//cdn.example/y>x</a>", "[x](https://cdn.example/y)"},
           {"<a href=#part>x</a>", "[x](https://example.org/dir/page?q#part)"},
           {"<a href=mailto:a@b.example>x</a>", "[x](mailto:a@b.example)"},
           {"<a href='javascript:alert(1)'>x</a>", "x"},
           {"<a href=' java\nscript:alert(1)'>x</a>", "x"},
           {"<a href=data:text/html,x>x</a>", "x"},
           {"<a href=vbscript:x>x</a>", "x"},
           {"<a name=here>x</a>", "x"},
           {"<a href=/empty></a>x", "x"},
           {"<a href=/x><img src=i.png></a>y", "y"},
           {"<a href='/a b'>x</a>", "[x](https://example.org/a%20b)"},
           {"<a href='/a)b'>x</a>", "[x](https://example.org/a%29b)"},
           {"<a href='/a_(b)'>x</a>", "[x](https://example.org/a_(b))"},
           {"<a href='/<b>'>x</a>", "[x](https://example.org/%3Cb%3E)"},
           {"<a href=/x>a [b] c</a>", "[a \\[b\\] c](https://example.org/x)"},
           {"<a href=/x> x </a>y", "[x](https://example.org/x) y"},
           {"<a href=/x><b>x</b></a>", "[**x**](https://example.org/x)"},
           {"<a href=/x><code>f()</code></a>", "[`f()`](https://example.org/x)"},
           {"<a href=/x><h3>Head</h3><p>text</p></a>",
            "### [Head](https://example.org/x)\n\n[text](https://example.org/x)"},
           {"Wow!<a href=/x>x</a>", "Wow\\![x](https://example.org/x)"},
           {"<base href=https://base.example/sub/><a href=x>x</a>", "[x](https://base.example/sub/x)"},
           {"<base href=/other/><a href=x>x</a>", "[x](https://example.org/other/x)"},
           {"<img src=a.png>x", "x"},
           {"<img src=a.png alt=''>x", "x"},
           {"<img src=data:image/png;base64,AAAA alt=Inline>", "Inline"},
           {"<img src=data:image/gif,x data-src=/real.png alt=Lazy>", "![Lazy](https://example.org/real.png)"},
           {"<img src=a.png alt='[x]'>", "![\\[x\\]](https://example.org/dir/a.png)"},
           {"<a href=/x><img src=a.png alt=Cat></a>", "[![Cat](https://example.org/dir/a.png)](https://example.org/x)"},
       }) {
    expect(entry);
  }
}

TEST(MarkdownTest, WritesLists) {
  for (const Case& entry : {
           Case{"<ul><li>a<li>b</ul>", "- a\n- b"},
           {"<ol><li>a<li>b</ol>", "1. a\n2. b"},
           {"<ol start=9><li>a<li>b</ol>", "9. a\n10. b"},
           {"<ol><li value=5>a<li>b</ol>", "5. a\n6. b"},
           {"<ul><li>a<ul><li>b<ul><li>c</ul></ul><li>d</ul>", "- a\n  - b\n    - c\n- d"},
           {"<ol><li>a<ul><li>b</ul><li>c</ol>", "1. a\n   - b\n2. c"},
           {"<ul><li><p>a</p><p>b</p><li><p>c</p></ul>", "- a\n\n  b\n- c"},
           {"<ul><li>a<pre>x\ny</pre></ul>", "- a\n\n  ```\n  x\n  y\n  ```"},
           {"<ul><li>a<blockquote>q</blockquote></ul>", "- a\n\n  > q"},
           {"<ul><li></li><li>b</ul>", "- b"},
           {"<ul><li>one<br>two</ul>", "- one  \n  two"},
           {"x<ul><li>a</ul>y", "x\n\n- a\n\ny"},
           {"<ul><li>a</ul><p>b", "- a\n\nb"},
           {"<ul><li><ul><li>deep</ul></ul>", "- - deep"},
           {"<li>stray", "- stray"},
       }) {
    expect(entry);
  }
}

TEST(MarkdownTest, WritesCodeBlocksByteForByte) {
  for (const Case& entry : {
           Case{"<pre>a  b\n\n\tc</pre>", "```\na  b\n\n\tc\n```"},
           {"<pre>\nfirst line end is the parser's\n</pre>", "```\nfirst line end is the parser's\n```"},
           {"<pre><code class=language-cpp>int x;\n</code></pre>", "```cpp\nint x;\n```"},
           {"<pre class='lang-py x'>y</pre>", "```py\ny\n```"},
           {"<div class=highlight-source-js><pre>y</pre></div>", "```js\ny\n```"},
           {"<pre>```\nfence\n```</pre>", "````\n```\nfence\n```\n````"},
           {"<pre>a<span>b</span><br>*c* &lt;d&gt;</pre>", "```\nab\n*c* <d>\n```"},
           {"<pre>  </pre>x", "x"},
           {"<blockquote><pre>a\n\nb</pre></blockquote>", "> ```\n> a\n>\n> b\n> ```"},
       }) {
    expect(entry);
  }
}

TEST(MarkdownTest, WritesTables) {
  for (const Case& entry : {
           Case{"<table><tr><th>A<th>B<tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"},
           {"<table><tr><td>1<td>2<tr><td>3<td>4</table>", "|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"},
           {"<table><tr><th>A<th>B<tr><td>1</table>", "| A | B |\n| --- | --- |\n| 1 |  |"},
           {"<table><tr><th colspan=2>A<th>B<tr><td>1<td>2<td>3</table>",
            "| A |  | B |\n| --- | --- | --- |\n| 1 | 2 | 3 |"},
           {"<table><tr><th>A<th>B<tr><td rowspan=2>1<td>2<tr><td>3</table>",
            "| A | B |\n| --- | --- |\n| 1 | 2 |\n|  | 3 |"},
           {"<table><tr><th>A<th>B<tr><td>a|b<td><code>c|d</code></table>",
            "| A | B |\n| --- | --- |\n| a\\|b | `c\\|d` |"},
           {"<table><tr><th>A<th>B<tr><td><p>one</p><p>two</p><td>x<br>y</table>",
            "| A | B |\n| --- | --- |\n| one two | x y |"},
           {"<table><caption>Title</caption><tr><th>A<th>B</table>", "Title\n\n| A | B |\n| --- | --- |"},
           {"<table><tr><td>only one column</table>", "only one column"},
           {"<table><tr><td>left<td><table><tr><td>inner</table></table>", "left\n\ninner"},
           {"<table role=presentation><tr><td>a<td>b</table>", "a b"},
           {"<table><tr><td><h2>Layout</h2><td>text</table>", "## Layout\n\ntext"},
           {"<blockquote><table><tr><th>A<th>B</table></blockquote>", "> | A | B |\n> | --- | --- |"},
       }) {
    expect(entry);
  }
}

TEST(MarkdownTest, EscapesOnlyWhatWouldChangeItsMeaning) {
  for (const Case& entry : {
           Case{"2 * 3 snake_case a_b_c", "2 * 3 snake_case a_b_c"},
           {"*star* _under_", "\\*star\\* \\_under\\_"},
           {"a `tick`", "a \\`tick\\`"},
           {"C:\\dir \\*", "C:\\dir \\\\\\*"},
           {"[1] and [a](b)", "[1] and [a]\\(b)"},
           {"a &lt; b &lt;i&gt;", "a < b \\<i>"},
           {"&amp;amp; R&amp;D", "\\&amp; R&D"},
           {"<p># no heading<p>#hashtag", "\\# no heading\n\n#hashtag"},
           {"<p>- no item<p>+ nor this<p>-5 degrees<p>--help", "\\- no item\n\n\\+ nor this\n\n-5 degrees\n\n--help"},
           {"<p>1. no item<p>2) nor this<p>3.14<p>1999.", "1\\. no item\n\n2\\) nor this\n\n3.14\n\n1999\\."},
           {"<p>&gt; no quote<p>a > b", "\\> no quote\n\na > b"},
           {"<p>---<p>a<br>===", "\\---\n\na  \n\\==="},
           {"~~not gone~~ ~5", "\\~\\~not gone\\~\\~ ~5"},
           {"<p>[name]: http://x", "[name]\\: http://x"},
           {"a | b", "a | b"},
       }) {
    expect(entry);
  }
}

TEST(MarkdownTest, LeavesOutWhatNobodySees) {
  for (const Case& entry : {
           Case{"a<script>alert('x')</script>b", "ab"},
           {"a<style>p{}</style><noscript>turn on</noscript><template>t</template>b", "ab"},
           {"a<!-- comment -->b", "ab"},
           {"<p hidden>a</p><p style='color:red; Display : none'>b</p><p aria-hidden=true>c</p>d", "d"},
           {"<p style=visibility:hidden>a</p>b", "b"},
           {"<button>Press</button><select><option>o</select><textarea>t</textarea>x", "x"},
           {"<svg><text>drawn</text></svg><iframe src=x>f</iframe><canvas>c</canvas>x", "x"},
           {"<math alttext='x^2'><mi>x</mi></math>", "x^2"},
       }) {
    expect(entry);
  }
}

TEST(MarkdownTest, FindsTheTitle) {
  const auto title = [](std::string_view html) { return html_to_markdown(html, {}).title; };
  EXPECT_EQ(title("<title> A &amp;\n B </title>"), "A & B");
  EXPECT_EQ(title("<meta property=og:title content=Shared><h1>Head</h1>"), "Shared");
  EXPECT_EQ(title("<p>x<h1>The <b>Head</b></h1><h1>2</h1>"), "The Head");
  EXPECT_EQ(title("<svg><title>icon</title></svg>text"), "");
  EXPECT_EQ(title(""), "");
}

TEST(MarkdownTest, WithoutAUrlLinksStayAsTheyAre) {
  EXPECT_EQ(html_to_markdown("<a href=x/y>z</a>", {}).content, "[z](x/y)");
}

}  // namespace
}  // namespace talaria
