#include "web/strip_tags.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/text.h"
#include "base/utf8.h"

namespace talaria {
namespace {

struct Entity {
  std::string_view name;
  std::string_view text;
};
constexpr Entity entities[] = {{"amp", "&"},   {"lt", "<"},    {"gt", ">"},    {"quot", "\""},  {"apos", "'"},
                               {"nbsp", " "},  {"ndash", "–"}, {"mdash", "—"}, {"hellip", "…"}, {"lsquo", "‘"},
                               {"rsquo", "’"}, {"ldquo", "“"}, {"rdquo", "”"}, {"copy", "©"},   {"middot", "·"}};

constexpr size_t longest_entity = 12;

// Reads the entity at the start of `text`, appends what it means, and gives its length; 0 when it is none.
size_t read_entity(std::string_view text, std::string& out) {
  const size_t end = text.substr(0, longest_entity).find(';');
  if (end == std::string_view::npos || end < 2) return 0;
  std::string_view name = text.substr(1, end - 1);
  if (name[0] == '#') {
    const bool hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
    name.remove_prefix(hex ? 2 : 1);
    uint32_t number = 0;
    const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), number, hex ? 16 : 10);
    const bool whole = error == std::errc() && rest == name.data() + name.size();
    if (!whole || number < 0x20 || number > 0x10ffff || (number >= 0xd800 && number < 0xe000)) return 0;
    append_utf8(out, number);
    return end + 1;
  }
  const auto* found =
      std::find_if(std::begin(entities), std::end(entities), [&](const Entity& entity) { return entity.name == name; });
  if (found == std::end(entities)) return 0;
  out += found->text;
  return end + 1;
}

// Behind </script> or </style>, from the start of such an element; npos when it is never closed.
size_t end_of_raw(std::string_view html, std::string_view name) {
  for (size_t at = html.find("</"); at != std::string_view::npos; at = html.find("</", at + 2)) {
    if (lower(html.substr(at + 2, name.size())) == name) return at;
  }
  return std::string_view::npos;
}

bool starts_tag(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '/' || c == '!' || c == '?'; }

// The length of the tag or comment at the start of `html`, with all of a script or style.
size_t tag_length(std::string_view html) {
  if (html.starts_with("<!--")) {
    const size_t end = html.find("-->", 4);
    return end == std::string_view::npos ? html.size() : end + 3;
  }
  for (const std::string_view raw : {"script", "style"}) {
    if (lower(html.substr(1, raw.size())) != raw) continue;
    html = html.substr(0, end_of_raw(html, raw));
    return html.size();
  }
  const size_t end = html.find('>');
  return end == std::string_view::npos ? html.size() : end + 1;
}

}  // namespace

std::string strip_tags(std::string_view html, size_t most) {
  std::string out;
  out.reserve(std::min(html.size(), most));  // No entity is shorter than what it means.
  const auto add_space = [&out] {
    if (!out.empty() && out.back() != ' ') out += ' ';
  };
  while (!html.empty() && out.size() < most) {
    // So much more that a character at the limit is there whole.
    const size_t enough = std::min(most - out.size(), SIZE_MAX - 4) + 4;
    const char c = html[0];
    size_t length = 1;
    if (c == '<' && html.size() > 1 && starts_tag(html[1])) {
      length = tag_length(html);
      // <b>bold</b>er is one word; what follows other tags is most often not.
      const std::string name = lower(html.substr(html[1] == '/' ? 2 : 1, 3));
      const bool within_word = name.starts_with("b>") || name.starts_with("i>") || name.starts_with("em>") ||
                               name == "str" || name == "spa" || name.starts_with("a ") || name.starts_with("a>");
      if (!within_word) add_space();
    } else if (c == '&' && (length = read_entity(html, out)) > 0) {
      if (out.ends_with("  ")) out.pop_back();
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      add_space();
    } else {
      length = std::max<size_t>(1, std::min(html.find_first_of("<& \t\r\n\f\v", 1), html.size()));
      out += html.substr(0, std::min(length, enough));
    }
    html.remove_prefix(std::max<size_t>(length, 1));
  }
  if (out.size() > most) out.resize(cut_at_or_before(out, most));
  out.erase(out.find_last_not_of(' ') + 1);
  out.shrink_to_fit();
  return out;
}

}  // namespace talaria
