#include "config/compare.h"

namespace talaria {
namespace {

using Kind = YamlNode::Kind;
using Path = std::vector<std::string>;

// One document's value, for comparing.
struct Place {
  const YamlDocument& document;
  size_t index;
  const YamlNode& node() const { return document.node(index); }
  Place child(size_t child_index) const { return {document, child_index}; }
};

bool same(const Place& a, const Place& b) {
  const YamlNode& x = a.node();
  const YamlNode& y = b.node();
  if (x.kind != y.kind || x.text != y.text || x.anchor != y.anchor || x.tagged != y.tagged || x.style != y.style)
    return false;
  if (x.items.size() != y.items.size() || x.entries.size() != y.entries.size()) return false;
  for (size_t i = 0; i < x.items.size(); ++i) {
    if (!same(a.child(x.items[i]), b.child(y.items[i]))) return false;
  }
  for (size_t i = 0; i < x.entries.size(); ++i) {
    if (!same(a.child(x.entries[i].key), b.child(y.entries[i].key))) return false;
    if (!same(a.child(x.entries[i].value), b.child(y.entries[i].value))) return false;
  }
  return true;
}

// True when `more` is nothing but the rest of `path`.
bool is_bare_path(const Place& more, const Path& path, size_t depth) {
  if (depth == path.size()) return true;
  const YamlNode& node = more.node();
  if (node.kind != Kind::mapping || node.entries.size() != 1) return false;
  return more.document.node(node.entries[0].key).text == path[depth] &&
         is_bare_path(more.child(node.entries[0].value), path, depth + 1);
}

bool same_below(const Place& less, const Place& more, const Path& path, size_t depth) {
  if (depth == path.size()) return true;
  const YamlNode& x = less.node();
  const YamlNode& y = more.node();
  if (x.anchor != y.anchor || x.tagged != y.tagged) return false;
  if (x.kind == Kind::null) return is_bare_path(more, path, depth);
  if (x.kind != Kind::mapping || y.kind != Kind::mapping) return false;
  size_t next = 0;
  for (const YamlEntry& entry : y.entries) {
    const Place key = more.child(entry.key);
    const bool there = next < x.entries.size() && same(less.child(x.entries[next].key), key);
    const bool wanted = key.node().text == path[depth];
    if (wanted && !there && !is_bare_path(more.child(entry.value), path, depth + 1)) return false;
    if (there) {
      const Place value = less.child(x.entries[next++].value);
      const Place other = more.child(entry.value);
      if (wanted ? !same_below(value, other, path, depth + 1) : !same(value, other)) return false;
    } else if (!wanted) {
      return false;
    }
  }
  return next == x.entries.size();
}

}  // namespace

bool same_but(const YamlDocument& less, const YamlDocument& more, const Path& path) {
  return same_below({less, less.root_index()}, {more, more.root_index()}, path, 0);
}

}  // namespace talaria
