#include "web/html_tree.h"

#include <gumbo.h>
#include <strings.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "base/utf8.h"
#include "web/html_walk.h"

namespace talaria {
namespace {

void* take(void* arena, size_t size) { return static_cast<HtmlArena*>(arena)->take(size); }
void give_back(void* arena, void* memory) { static_cast<HtmlArena*>(arena)->give_back(memory); }

// In a function of its own, without objects: it is returned to twice.
const GumboOutput* parse_or_leave(HtmlArena& arena, const char* data, size_t length) {
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = take;
  options.deallocator = give_back;
  options.userdata = &arena;
  options.max_errors = 0;
  if (setjmp(arena.escape()) != 0) return nullptr;
  return gumbo_parse_with_options(&options, data, length);
}

const GumboAttribute* find_attribute(const HtmlNode& node, const char* name) {
  if (node.type != GUMBO_NODE_ELEMENT && node.type != GUMBO_NODE_TEMPLATE) return nullptr;
  const GumboVector& all = node.v.element.attributes;
  for (unsigned i = 0; i < all.length; ++i) {
    const auto* candidate = static_cast<const GumboAttribute*>(all.data[i]);
    if (::strcasecmp(candidate->name, name) == 0) return candidate;
  }
  return nullptr;
}

bool hides(std::string_view style) {
  std::string plain;
  for (const char c : lower(style)) {
    if (!is_html_space(c)) plain += c;
  }
  return plain.find("display:none") != std::string::npos || plain.find("visibility:hidden") != std::string::npos;
}

bool hidden_by_attribute(const GumboElement& element) {
  for (unsigned i = 0; i < element.attributes.length; ++i) {
    const auto& entry = *static_cast<const GumboAttribute*>(element.attributes.data[i]);
    switch (entry.name[0]) {
      case 'h':
        if (std::strcmp(entry.name, "hidden") == 0 && ::strcasecmp(entry.value, "until-found") != 0) return true;
        break;
      case 'a':
        if (std::strcmp(entry.name, "aria-hidden") == 0 && ::strcasecmp(entry.value, "true") == 0) return true;
        break;
      case 's':
        if (std::strcmp(entry.name, "style") == 0 && hides(entry.value)) return true;
        break;
      default: break;
    }
  }
  return false;
}

void append_collapsed(std::pmr::string& out, std::string_view text) {
  for (const char c : text) {
    if (!is_html_space(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
}

void append_text(std::pmr::string& out, const HtmlNode& node, Spaces spaces) {
  switch (node.type) {
    case GUMBO_NODE_TEXT:
    case GUMBO_NODE_WHITESPACE:
    case GUMBO_NODE_CDATA:
      if (spaces == Spaces::kept) out += node.v.text.text;
      else append_collapsed(out, node.v.text.text);
      break;
    case GUMBO_NODE_ELEMENT:
      if (node.v.element.tag == GUMBO_TAG_BR) out += spaces == Spaces::kept ? '\n' : ' ';
      break;
    default: break;
  }
}

}  // namespace

Result<HtmlTree> HtmlTree::parse(std::string_view html, const HtmlLimits& limits) {
  HtmlTree tree(std::make_unique<HtmlArena>(limits.memory, Clock::now() + limits.time, limits.meter));
  HtmlArena& arena = *tree.arena_;
  const HtmlFold fold(html, &arena);  // Behind the tree, so that it is gone before the arena.
  if (const GumboOutput* output = parse_or_leave(arena, fold.html().data(), fold.html().size())) {
    tree.root_ = output->root;
    if (!fold.empty()) tree.unfold(fold);
    return tree;
  }
  if (arena.end() == HtmlArena::End::time) {
    return Error(ErrorCode::timed_out, "the page's HTML is nested so deeply that reading it took too long");
  }
  return too_much_html(limits);
}

Error too_much_html(const HtmlLimits& limits) {
  return {ErrorCode::unavailable, "the page's HTML needs more than " + human_bytes(limits.memory) + " to be read"};
}

// Everywhere, also where a broken page brought text into an attribute; those can be copied often by the parser, so
// there is a limit.
void HtmlTree::unfold(const HtmlFold& fold) {
  struct Unfolder {
    const HtmlFold& fold;
    std::pmr::forward_list<std::pmr::string>& texts;
    size_t left;

    void replace(const char*& text) {
      if (left == 0 || !HtmlFold::has_mark(text)) return;
      texts.push_front(fold.unfold(text));
      left -= std::min(left, texts.front().size());
      text = texts.front().c_str();
    }
    Walk enter(const HtmlNode& constant) {
      auto& node = const_cast<HtmlNode&>(constant);  // The tree is still ours alone.
      if (node.type != GUMBO_NODE_ELEMENT) {
        if (node.type != GUMBO_NODE_TEMPLATE) replace(node.v.text.text);
        return Walk::past;
      }
      const GumboVector& attributes = node.v.element.attributes;
      for (unsigned i = 0; i < attributes.length; ++i) {
        replace(static_cast<GumboAttribute*>(attributes.data[i])->value);
      }
      return Walk::into;
    }
    void leave(const HtmlNode&) {}
  };
  Unfolder unfolder{fold, texts_, 2 * fold.original_size()};
  walk(*root_, unfolder);
}

std::string_view attribute(const HtmlNode& node, const char* name) {
  const GumboAttribute* found = find_attribute(node, name);
  return found == nullptr ? std::string_view() : std::string_view(found->value);
}

bool has_attribute(const HtmlNode& node, const char* name) { return find_attribute(node, name) != nullptr; }

bool has_class(const HtmlNode& node, std::string_view word) {
  std::string_view words = attribute(node, "class");
  while (!words.empty()) {
    const size_t end = std::min(words.find_first_of(" \t\n\r\f"), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

bool is_invisible(const HtmlNode& node) {
  if (node.type != GUMBO_NODE_ELEMENT) return node.type == GUMBO_NODE_TEMPLATE || node.type == GUMBO_NODE_COMMENT;
  const GumboElement& element = node.v.element;
  switch (element.tag) {
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_NOSCRIPT:
    case GUMBO_TAG_TEMPLATE:
    case GUMBO_TAG_HEAD:
    case GUMBO_TAG_SVG:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_NOFRAMES:
    case GUMBO_TAG_NOEMBED:
    case GUMBO_TAG_CANVAS:
    case GUMBO_TAG_OBJECT:
    case GUMBO_TAG_AUDIO:
    case GUMBO_TAG_VIDEO:
    case GUMBO_TAG_DATALIST:
    case GUMBO_TAG_SELECT:
    case GUMBO_TAG_TEXTAREA:
    case GUMBO_TAG_BUTTON: return true;
    default: return element.attributes.length > 0 && hidden_by_attribute(element);
  }
}

namespace {

std::pmr::string collect_text(const HtmlNode& node, Spaces spaces, size_t most, std::pmr::memory_resource* memory) {
  struct Collector {
    std::pmr::string out;
    Spaces spaces;
    size_t most;

    Walk enter(const HtmlNode& at) {
      if (out.size() >= most) return Walk::stop;
      if (is_invisible(at)) return Walk::past;
      append_text(out, at, spaces);
      return at.type == GUMBO_NODE_ELEMENT ? Walk::into : Walk::past;
    }
    void leave(const HtmlNode&) {}
  };
  Collector collector{std::pmr::string(memory), spaces, most};
  walk(node, collector);
  std::pmr::string& out = collector.out;
  if (out.size() > most) out.resize(cut_at_or_before(out, most));
  if (spaces == Spaces::collapsed) {
    const std::string_view trimmed = trim(out);
    out.erase(0, static_cast<size_t>(trimmed.data() - out.data()));
    out.resize(trimmed.size());
  }
  return std::move(out);
}

}  // namespace

std::string text_below(const HtmlNode& node, Spaces spaces, size_t most) {
  return std::string(collect_text(node, spaces, most, std::pmr::get_default_resource()));
}

std::pmr::string text_below(const HtmlNode& node, Spaces spaces, std::pmr::memory_resource* memory) {
  return collect_text(node, spaces, SIZE_MAX, memory);
}

}  // namespace talaria
