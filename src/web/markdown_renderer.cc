#include "web/markdown_renderer.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "web/markdown_code.h"
#include "web/url.h"

namespace talaria {
namespace {

using Mark = MarkdownWriter::Mark;

int64_t number_attribute(const HtmlNode& node, const char* name, int64_t fallback) {
  const std::string_view text = trim(attribute(node, name));
  int64_t number = fallback;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool fine = error == std::errc() && number >= -99'999'999 && number <= 99'999'999;
  return fine ? number : fallback;
}

bool is_block(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_HTML:
    case GUMBO_TAG_BODY:
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_P:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_MAIN:
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_HEADER:
    case GUMBO_TAG_FOOTER:
    case GUMBO_TAG_HGROUP:
    case GUMBO_TAG_ADDRESS:
    case GUMBO_TAG_FIGURE:
    case GUMBO_TAG_FIGCAPTION:
    case GUMBO_TAG_DETAILS:
    case GUMBO_TAG_SUMMARY:
    case GUMBO_TAG_FORM:
    case GUMBO_TAG_FIELDSET:
    case GUMBO_TAG_LEGEND:
    case GUMBO_TAG_CENTER:
    case GUMBO_TAG_CAPTION:
    case GUMBO_TAG_DL:
    case GUMBO_TAG_DT:
    case GUMBO_TAG_FRAMESET: return true;
    default: return false;
  }
}

bool is_list(GumboTag tag) {
  return tag == GUMBO_TAG_UL || tag == GUMBO_TAG_OL || tag == GUMBO_TAG_MENU || tag == GUMBO_TAG_DIR;
}

bool is_table_part(GumboTag tag) {
  return tag == GUMBO_TAG_TABLE || tag == GUMBO_TAG_TR || tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH;
}

bool is_heading(GumboTag tag) { return tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6; }

bool is_code(GumboTag tag) {
  return tag == GUMBO_TAG_CODE || tag == GUMBO_TAG_KBD || tag == GUMBO_TAG_SAMP || tag == GUMBO_TAG_TT;
}

// "¶" and "#" beside headings, by which they can be linked to.
bool is_permalink(const HtmlNode& node) {
  if (!attribute(node, "href").starts_with("#")) return false;
  const std::string text = text_below(node, Spaces::collapsed, 16);
  return text.empty() || text == "¶" || text == "#" || text == "§" || text == "🔗";
}

}  // namespace

std::pmr::string MarkdownRenderer::render(const HtmlNode& top) {
  walk(top, *this);
  // Left in the middle of a table when the limit was reached.
  while (writers_.size() > 1) writers_.pop_back();
  return out().take();
}

bool MarkdownRenderer::left_out(const HtmlNode& node) const {
  if (is_invisible(node)) return true;
  if (leaving_.boilerplate && readable_.boilerplate.contains(&node)) return true;
  return leaving_.link_heavy && readable_.link_heavy.contains(&node) && &node != readable_.main;
}

Walk MarkdownRenderer::enter(const HtmlNode& node) {
  if (out().size() + (tables_.empty() ? 0 : tables_.back().rows.size()) > most_) {
    cut_ = true;
    return Walk::stop;
  }
  switch (node.type) {
    case GUMBO_NODE_TEXT:
    case GUMBO_NODE_CDATA: out().text(node.v.text.text); return Walk::past;
    case GUMBO_NODE_WHITESPACE: out().space(); return Walk::past;
    case GUMBO_NODE_ELEMENT: return left_out(node) ? Walk::past : enter_element(node);
    default: return Walk::past;
  }
}

Walk MarkdownRenderer::enter_element(const HtmlNode& node) {
  const GumboTag tag = tag_of(node);
  if (is_block(tag)) {
    out().block();
    return Walk::into;
  }
  if (is_list(tag)) return enter_list(node);
  if (is_table_part(tag)) return enter_table_part(node);
  if (is_code(tag)) {
    write_code(node);
    return Walk::past;
  }
  if (is_heading(tag)) {
    out().begin_heading(static_cast<int>(tag) - static_cast<int>(GUMBO_TAG_H1) + 1);
    ++in_heading_;
    return Walk::into;
  }
  switch (tag) {
    case GUMBO_TAG_LI: return enter_item(node);
    case GUMBO_TAG_DD:
      out().block_exactly(1);
      out().enter(": ", "  ");
      return Walk::into;
    case GUMBO_TAG_BLOCKQUOTE:
      out().block();
      out().enter("> ", "> ");
      return Walk::into;
    case GUMBO_TAG_PRE:
    case GUMBO_TAG_LISTING:
    case GUMBO_TAG_XMP:
    case GUMBO_TAG_PLAINTEXT: write_code_block(node); return Walk::past;
    case GUMBO_TAG_HR:
      if (writers_.size() == 1) out().literal("---");
      return Walk::past;
    default: return enter_inline(node);
  }
}

Walk MarkdownRenderer::enter_inline(const HtmlNode& node) {
  switch (tag_of(node)) {
    case GUMBO_TAG_A: return enter_link(node);
    case GUMBO_TAG_B:
    case GUMBO_TAG_STRONG: out().open(Mark::strong); return Walk::into;
    case GUMBO_TAG_I:
    case GUMBO_TAG_EM:
    case GUMBO_TAG_VAR:
    case GUMBO_TAG_DFN:
    case GUMBO_TAG_CITE: out().open(Mark::emphasis); return Walk::into;
    case GUMBO_TAG_S:
    case GUMBO_TAG_DEL:
    case GUMBO_TAG_STRIKE: out().open(Mark::strike); return Walk::into;
    case GUMBO_TAG_Q: out().text("“"); return Walk::into;
    case GUMBO_TAG_SUP: {
      // 10<sup>6</sup> must not become 106; a footnote's [1] is fine as it is.
      const std::string text = text_below(node, Spaces::collapsed, 8);
      const bool power = !text.empty() && text.find_first_not_of("0123456789+-−n") == std::string::npos;
      if (power) out().raw("^");
      return Walk::into;
    }
    case GUMBO_TAG_BR: out().line_break(); return Walk::past;
    case GUMBO_TAG_IMG:
    case GUMBO_TAG_IMAGE: write_image(node); return Walk::past;
    case GUMBO_TAG_MATH:
      if (attribute(node, "alttext").empty()) return Walk::into;
      out().text(attribute(node, "alttext"));
      return Walk::past;
    default: return Walk::into;
  }
}

Walk MarkdownRenderer::enter_link(const HtmlNode& node) {
  if (in_heading_ > 0 && is_permalink(node)) return Walk::past;
  std::string target = link_target(base_url_, attribute(node, "href"));
  links_.push_back(!target.empty());
  if (!target.empty()) out().open(Mark::link, "](" + std::move(target) + ")");
  return Walk::into;
}

Walk MarkdownRenderer::enter_list(const HtmlNode& node) {
  // A list inside an item follows its text without an empty line.
  if (lists_.empty() || out().block_is_empty()) out().block(lists_.empty() ? 2 : 1);
  else out().block_exactly(1);
  List list;
  list.ordered = tag_of(node) == GUMBO_TAG_OL;
  list.next = number_attribute(node, "start", 1);
  lists_.push_back(list);
  return Walk::into;
}

Walk MarkdownRenderer::enter_item(const HtmlNode& node) {
  std::string marker = "- ";
  if (!lists_.empty()) {
    List& list = lists_.back();
    if (list.ordered) {
      list.next = number_attribute(node, "value", list.next);
      marker = std::to_string(std::max<int64_t>(list.next++, 0)) + ". ";
    }
    if (!list.first) out().block_exactly(1);
    list.first = false;
  } else {
    out().block(1);
  }
  out().enter(marker, std::string(marker.size(), ' '));
  return Walk::into;
}

Walk MarkdownRenderer::enter_table_part(const HtmlNode& node) {
  const GumboTag tag = tag_of(node);
  if (tag == GUMBO_TAG_TABLE) {
    out().block();
    tables_.push_back({writers_.size() == 1 && is_data_table(node), MarkdownTable(memory_)});
    return Walk::into;
  }
  const bool data = !tables_.empty() && tables_.back().data;
  if (tag == GUMBO_TAG_TR) {
    if (data) tables_.back().rows.begin_row();
    else out().block();
  } else if (data) {
    writers_.emplace_back(MarkdownWriter::Lines::one, memory_);
  } else {
    out().space();
  }
  return Walk::into;
}

void MarkdownRenderer::leave(const HtmlNode& node) {
  const GumboTag tag = tag_of(node);
  if (is_block(tag)) {
    out().block();
  } else if (is_list(tag)) {
    lists_.pop_back();
    out().block();
  } else if (is_table_part(tag)) {
    leave_table_part(node);
  } else if (is_heading(tag)) {
    --in_heading_;
    out().end_heading();
  } else if (tag == GUMBO_TAG_LI || tag == GUMBO_TAG_DD || tag == GUMBO_TAG_BLOCKQUOTE) {
    out().block();
    out().leave();
  } else {
    leave_inline(node);
  }
}

void MarkdownRenderer::leave_inline(const HtmlNode& node) {
  switch (tag_of(node)) {
    case GUMBO_TAG_A:
      if (links_.back()) out().close(Mark::link);
      links_.pop_back();
      break;
    case GUMBO_TAG_B:
    case GUMBO_TAG_STRONG: out().close(Mark::strong); break;
    case GUMBO_TAG_I:
    case GUMBO_TAG_EM:
    case GUMBO_TAG_VAR:
    case GUMBO_TAG_DFN:
    case GUMBO_TAG_CITE: out().close(Mark::emphasis); break;
    case GUMBO_TAG_S:
    case GUMBO_TAG_DEL:
    case GUMBO_TAG_STRIKE: out().close(Mark::strike); break;
    case GUMBO_TAG_Q: out().text("”"); break;
    default: break;
  }
}

void MarkdownRenderer::leave_table_part(const HtmlNode& node) {
  const GumboTag tag = tag_of(node);
  if (tag == GUMBO_TAG_TABLE) {
    const std::pmr::string text = tables_.back().data ? tables_.back().rows.text() : std::pmr::string(memory_);
    tables_.pop_back();
    if (!text.empty()) out().literal(text);
    out().block();
    return;
  }
  const bool data = !tables_.empty() && tables_.back().data;
  if (tag == GUMBO_TAG_TR) {
    if (!data) out().block();
  } else if (data) {
    const std::pmr::string text = out().take();
    writers_.pop_back();
    tables_.back().rows.add_cell(text, static_cast<int>(number_attribute(node, "colspan", 1)),
                                 static_cast<int>(number_attribute(node, "rowspan", 1)), tag == GUMBO_TAG_TH);
  } else {
    out().space();
  }
}

void MarkdownRenderer::write_image(const HtmlNode& node) {
  const std::string_view alt = trim(attribute(node, "alt"));
  if (alt.empty()) return;
  std::string_view source = attribute(node, "src");
  if (source.empty() || source.starts_with("data:")) source = attribute(node, "data-src");
  const std::string target = link_target(base_url_, source);
  if (target.empty()) {
    out().text(alt);
    return;
  }
  std::pmr::string text("![", memory_);
  for (const char c : alt) {
    if (c == '[' || c == ']' || c == '\\') text += '\\';
    text += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  }
  out().raw(text.append("](").append(target).append(")"));
}

void MarkdownRenderer::write_code(const HtmlNode& node) {
  const bool in_cell = writers_.size() > 1;
  const std::pmr::string code = inline_code(text_below(node, Spaces::collapsed, memory_), memory_);
  if (code.empty()) return;
  if (!in_cell) {
    out().raw(code);
    return;
  }
  std::pmr::string escaped(memory_);
  for (const char c : code) escaped.append(c == '|' ? "\\" : "").append(1, c);
  out().raw(escaped);
}

void MarkdownRenderer::write_code_block(const HtmlNode& node) {
  if (writers_.size() > 1 || in_heading_ > 0) {
    write_code(node);
    return;
  }
  const std::pmr::string code = text_below(node, Spaces::kept, memory_);
  if (trim(code).empty()) return;
  out().literal(fenced_code(code, code_language(node), memory_));
}

std::string link_target(std::string_view base_url, std::string_view reference) {
  constexpr size_t longest = 2000;
  std::string clean;
  for (const char c : trim(reference)) {
    if (c != '\n' && c != '\r' && c != '\t') clean += c;
  }
  if (clean.empty() || clean.size() > longest) return {};
  const std::string scheme = scheme_of(clean);
  if (scheme.empty() && !base_url.empty()) clean = resolve_reference(base_url, clean);
  else if (!scheme.empty() && scheme != "http" && scheme != "https" && scheme != "mailto" && scheme != "tel" &&
           scheme != "ftp" && scheme != "magnet" && scheme != "irc")
    return {};
  const bool balanced = std::count(clean.begin(), clean.end(), '(') == std::count(clean.begin(), clean.end(), ')');
  std::string target;
  for (const char c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    const bool encode = byte <= 0x20 || byte == 0x7f || c == '<' || c == '>' || c == '\\' || c == '|' || c == '"' ||
                        ((c == '(' || c == ')') && !balanced);
    if (encode) target += percent_encode(std::string_view(&c, 1));
    else target += c;
  }
  return target;
}

}  // namespace talaria
