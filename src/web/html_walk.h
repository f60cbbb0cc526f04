#pragma once
#include <gumbo.h>

#include <deque>

#include "web/html_tree.h"

namespace talaria {

enum class Walk { into, past, stop };

// Visits `top` and all below it in the order of the page. `enter` says whether to go into a node; only then is `leave`
// called for it. Pages can be nested a hundred thousand deep, so this must not recurse.
template <class Visitor>
void walk(const HtmlNode& top, Visitor& visitor) {
  struct Frame {
    const HtmlNode* node;
    unsigned next;
  };
  std::deque<Frame> path;  // not a vector, which would take three times as much while it grows
  const HtmlNode* node = &top;
  for (;;) {
    const Walk where = visitor.enter(*node);
    if (where == Walk::stop) return;
    if (where == Walk::into) path.push_back({node, 0});
    for (;;) {
      if (path.empty()) return;
      Frame& frame = path.back();
      const bool has_children = frame.node->type == GUMBO_NODE_ELEMENT;
      if (has_children && frame.next < frame.node->v.element.children.length) {
        node = static_cast<const HtmlNode*>(frame.node->v.element.children.data[frame.next++]);
        break;
      }
      visitor.leave(*frame.node);
      path.pop_back();
    }
  }
}

inline GumboTag tag_of(const HtmlNode& node) {
  return node.type == GUMBO_NODE_ELEMENT ? node.v.element.tag : GUMBO_TAG_LAST;
}

}  // namespace talaria
