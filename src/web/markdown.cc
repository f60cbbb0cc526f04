#include "web/markdown.h"

#include <new>

#include "base/text.h"
#include "base/utf8.h"
#include "web/html_walk.h"
#include "web/markdown_renderer.h"
#include "web/readable.h"
#include "web/strip_tags.h"
#include "web/url.h"

namespace talaria {
namespace {

constexpr size_t too_little = 250;
constexpr size_t longest_page_title = 500;
constexpr size_t longest_base = 2000;

std::string short_title(std::string_view text) {
  text = trim(text);
  return std::string(text.substr(0, cut_at_or_before(text, longest_page_title)));
}

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
        if (base.empty() && attribute(node, "href").size() <= longest_base) base = trim(attribute(node, "href"));
        return Walk::past;
      case GUMBO_TAG_META:
        if (attribute(node, "property") == "og:title") shared_title = short_title(attribute(node, "content"));
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

std::pmr::string render(const HtmlTree& tree, const std::string& base, const MarkdownOptions& options,
                        std::string& note) {
  const Readable readable = find_readable(tree.root(), tree.memory());
  const auto attempt = [&](const HtmlNode& top, Leaving leaving) {
    MarkdownRenderer renderer(base, readable, leaving, options.most, tree.memory());
    std::pmr::string text = renderer.render(top);
    if (renderer.cut()) note = "the page is cut off after " + human_bytes(options.most) + " of text";
    return text;
  };
  if (options.content == MarkdownOptions::Content::whole) return attempt(*readable.body, {});
  std::pmr::string text = attempt(*readable.main, {.boilerplate = true, .link_heavy = true});
  // A page whose content is a list of links.
  if (text.size() * 3 < readable.main_text) text = attempt(*readable.main, {.boilerplate = true, .link_heavy = false});
  if (text.size() < too_little && text.size() * 2 < readable.body_text) text = attempt(*readable.body, {});
  return text;
}

Result<MarkdownPage> parse_and_render(std::string_view html, const MarkdownOptions& options) {
  const HtmlTree tree = TRY(HtmlTree::parse(html, options.limits));
  MarkdownPage page;
  Head head;
  walk(tree.root(), head);
  std::string base = options.url;
  if (!head.base.empty() && !base.empty()) base = resolve_reference(base, head.base);
  if (!scheme_of(base).starts_with("http")) base = options.url;
  page.content = render(tree, base, options, page.note);
  page.title = title_of(head, tree.root());
  return page;
}

// The arena ends what it cannot give memory for by this exception.
Result<MarkdownPage> parse_and_render_within(std::string_view html, const MarkdownOptions& options) {
  try {
    return parse_and_render(html, options);
  } catch (const std::bad_alloc&) {
    return too_much_html(options.limits);
  }
}

}  // namespace

MarkdownPage html_to_markdown(std::string_view html, const MarkdownOptions& options) {
  Result<MarkdownPage> page = parse_and_render_within(html, options);
  if (page) return *std::move(page);
  MarkdownPage bare;
  bare.note = page.error().message() + "; this is its bare text";
  bare.content = strip_tags(html, options.most);
  return bare;
}

}  // namespace talaria
