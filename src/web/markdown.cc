#include "web/markdown.h"

#include "base/text.h"
#include "web/html_walk.h"
#include "web/markdown_renderer.h"
#include "web/readable.h"
#include "web/strip_tags.h"
#include "web/url.h"

namespace talaria {
namespace {

constexpr size_t too_little = 250;
constexpr size_t longest_page_title = 500;

// What stands in <head>: the title, and what links are relative to.
struct Head {
  std::string title;
  std::string shared_title;  // og:title
  std::string base;

  Walk enter(const HtmlNode& node) {
    switch (tag_of(node)) {
      case GUMBO_TAG_TITLE:
        if (title.empty()) title = text_below(node, Spaces::collapsed, longest_page_title);
        return Walk::past;
      case GUMBO_TAG_BASE:
        if (base.empty()) base = trim(attribute(node, "href"));
        return Walk::past;
      case GUMBO_TAG_META:
        if (attribute(node, "property") == "og:title") shared_title = trim(attribute(node, "content"));
        return Walk::past;
      case GUMBO_TAG_HTML:
      case GUMBO_TAG_HEAD: return Walk::into;
      default: return Walk::past;
    }
  }
  void leave(const HtmlNode&) {}
};

struct FirstHeading {
  std::string text;

  Walk enter(const HtmlNode& node) {
    if (!text.empty()) return Walk::stop;
    if (is_invisible(node)) return Walk::past;
    if (tag_of(node) == GUMBO_TAG_H1) text = text_below(node, Spaces::collapsed, longest_page_title);
    return Walk::into;
  }
  void leave(const HtmlNode&) {}
};

std::string title_of(const Head& head, const HtmlNode& root) {
  if (!head.title.empty()) return head.title;
  if (!head.shared_title.empty()) return head.shared_title;
  FirstHeading heading;
  walk(root, heading);
  return heading.text;
}

std::string render(const HtmlTree& tree, const std::string& base, const MarkdownOptions& options, std::string& note) {
  const Readable readable = find_readable(tree.root());
  const auto attempt = [&](const HtmlNode& top, Leaving leaving) {
    MarkdownRenderer renderer(base, readable, leaving, options.most);
    std::string text = renderer.render(top);
    if (renderer.cut()) note = "the page is cut off after " + human_bytes(options.most) + " of text";
    return text;
  };
  if (options.content == MarkdownOptions::Content::whole) return attempt(*readable.body, {});
  std::string text = attempt(*readable.main, {.boilerplate = true, .link_heavy = true});
  // A page whose content is a list of links.
  if (text.size() * 3 < readable.main_text) text = attempt(*readable.main, {.boilerplate = true, .link_heavy = false});
  if (text.size() < too_little && text.size() * 2 < readable.body_text) text = attempt(*readable.body, {});
  return text;
}

}  // namespace

MarkdownPage html_to_markdown(std::string_view html, const MarkdownOptions& options) {
  MarkdownPage page;
  Result<HtmlTree> tree = HtmlTree::parse(html, options.limits);
  if (!tree) {
    page.note = tree.error().message() + "; this is its bare text";
    page.content = strip_tags(html);
    if (page.content.size() > options.most) page.content.resize(options.most);
    return page;
  }
  Head head;
  walk(tree->root(), head);
  std::string base = options.url;
  if (!head.base.empty() && !base.empty()) base = resolve_reference(base, head.base);
  if (!scheme_of(base).starts_with("http")) base = options.url;
  page.content = render(*tree, base, options, page.note);
  page.title = title_of(head, tree->root());
  return page;
}

}  // namespace talaria
