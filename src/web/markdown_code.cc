#include "web/markdown_code.h"

#include <algorithm>

#include "base/text.h"
#include "web/html_walk.h"

namespace talaria {
namespace {

size_t longest_run_of_backticks(std::string_view code) {
  size_t longest = 0;
  size_t run = 0;
  for (const char c : code) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

std::string language_in(std::string_view classes) {
  constexpr std::string_view prefixes[] = {"language-", "lang-", "highlight-source-", "brush:"};
  constexpr size_t most_looked_at = 1000;
  for (const std::string& word : split(classes.substr(0, most_looked_at), ' ')) {
    for (const std::string_view prefix : prefixes) {
      if (!word.starts_with(prefix)) continue;
      std::string name = lower(word.substr(prefix.size()));
      const bool fine =
          !name.empty() && name.size() <= 20 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
            return std::isalnum(c) || c == '+' || c == '#' || c == '-' || c == '_' || c == '.';
          });
      if (fine) return name;
    }
  }
  return {};
}

}  // namespace

std::pmr::string inline_code(std::string_view code, std::pmr::memory_resource* memory) {
  if (code.empty()) return std::pmr::string(memory);
  const std::string fence(longest_run_of_backticks(code) + 1, '`');
  const bool padded = code.starts_with('`') || code.ends_with('`');
  const std::string_view pad = padded ? " " : "";
  std::pmr::string out(memory);
  out.reserve(code.size() + 2 * fence.size() + 2);
  out.append(fence).append(pad).append(code).append(pad).append(fence);
  return out;
}

std::pmr::string fenced_code(std::string_view code, std::string_view language, std::pmr::memory_resource* memory) {
  const std::string fence(std::max<size_t>(longest_run_of_backticks(code) + 1, 3), '`');
  std::pmr::string out(memory);
  out.reserve(code.size() + 2 * fence.size() + language.size() + 2);
  out.append(fence).append(language).append("\n").append(code);
  if (!code.ends_with('\n')) out += '\n';
  out += fence;
  return out;
}

std::string code_language(const HtmlNode& pre) {
  std::string found = language_in(attribute(pre, "class"));
  const GumboVector& children = pre.v.element.children;
  for (unsigned i = 0; i < children.length && found.empty(); ++i) {
    const auto& child = *static_cast<const HtmlNode*>(children.data[i]);
    if (tag_of(child) == GUMBO_TAG_CODE) found = language_in(attribute(child, "class"));
  }
  // <div class="highlight-source-cpp"><pre>
  if (found.empty() && pre.parent != nullptr) found = language_in(attribute(*pre.parent, "class"));
  return found;
}

}  // namespace talaria
