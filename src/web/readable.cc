#include "web/readable.h"

#include <strings.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "web/html_walk.h"

namespace talaria {
namespace {

struct Sums {
  size_t text = 0;
  size_t good = 0;  // neither in a link nor in boilerplate
  size_t link_text = 0;
  size_t links = 0;
  size_t headings = 0;

  Sums& operator+=(const Sums& other) {
    text += other.text;
    good += other.good;
    link_text += other.link_text;
    links += other.links;
    headings += other.headings;
    return *this;
  }
};

struct Candidate {
  const HtmlNode* node;
  Sums sums;
};

constexpr size_t paragraph_size = 140;
constexpr size_t few_links = 4;

bool has_role(const HtmlNode& node, std::initializer_list<std::string_view> roles) {
  const std::string_view role = attribute(node, "role");
  return !role.empty() && std::find(roles.begin(), roles.end(), role) != roles.end();
}

// Documentation puts its notes and warnings into <aside>.
bool is_note(const HtmlNode& node) {
  const std::string names = lower(attribute(node, "class"));
  const auto names_one = [&](const char* word) { return names.find(word) != std::string::npos; };
  return names_one("note") || names_one("tip") || names_one("warn") || names_one("admonition") ||
         names_one("callout") || names_one("caution") || names_one("alert") || has_role(node, {"note", "alert"});
}

bool is_boilerplate(const HtmlNode& node, const Sums& sums) {
  switch (tag_of(node)) {
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_FOOTER:
    case GUMBO_TAG_FORM: return true;
    case GUMBO_TAG_ASIDE: return !is_note(node);
    case GUMBO_TAG_HEADER: return sums.headings == 0;
    case GUMBO_TAG_BODY:
    case GUMBO_TAG_HTML: return false;
    default:
      return node.v.element.attributes.length > 0 &&
             has_role(node, {"navigation", "banner", "contentinfo", "search", "complementary"});
  }
}

bool may_be_link_list(GumboTag tag) {
  return tag == GUMBO_TAG_DIV || tag == GUMBO_TAG_UL || tag == GUMBO_TAG_OL || tag == GUMBO_TAG_SECTION ||
         tag == GUMBO_TAG_TABLE || tag == GUMBO_TAG_P || tag == GUMBO_TAG_DL || tag == GUMBO_TAG_MENU;
}

// Adds up text from the leaves, and notes the elements that matter.
class Survey {
 public:
  explicit Survey(std::pmr::memory_resource* memory)
      : mains(memory), articles(memory), boilerplate(memory), large(memory), link_heavy(memory), open_(1, memory) {}

  Walk enter(const HtmlNode& node) {
    if (node.type == GUMBO_NODE_TEXT) {
      const size_t length = std::char_traits<char>::length(node.v.text.text);
      Sums& sums = open_.back();
      sums.text += length;
      (link_depth_ > 0 ? sums.link_text : sums.good) += length;
      return Walk::past;
    }
    if (node.type != GUMBO_NODE_ELEMENT || is_invisible(node)) return Walk::past;
    open_.emplace_back();
    if (tag_of(node) == GUMBO_TAG_A) ++link_depth_;
    return Walk::into;
  }

  void leave(const HtmlNode& node) {
    Sums sums = open_.back();
    open_.pop_back();
    const GumboTag tag = tag_of(node);
    if (tag == GUMBO_TAG_A) {
      --link_depth_;
      sums.links += 1;
    }
    if (tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6) sums.headings += 1;
    note(node, tag, sums);
    if (is_boilerplate(node, sums)) {
      boilerplate.push_back({&node, sums});
      sums.good = 0;
    }
    if (!open_.empty()) open_.back() += sums;
  }

  std::pmr::vector<Candidate> mains;
  std::pmr::vector<Candidate> articles;
  std::pmr::vector<Candidate> boilerplate;
  std::pmr::unordered_map<const HtmlNode*, Sums> large;
  std::pmr::unordered_set<const HtmlNode*> link_heavy;

 private:
  void note(const HtmlNode& node, GumboTag tag, const Sums& sums) {
    if (tag == GUMBO_TAG_MAIN || (node.v.element.attributes.length > 0 && has_role(node, {"main"}))) {
      mains.push_back({&node, sums});
    }
    if (tag == GUMBO_TAG_ARTICLE) articles.push_back({&node, sums});
    if (sums.good >= paragraph_size || tag == GUMBO_TAG_BODY) large.emplace(&node, sums);
    if (sums.links >= few_links && sums.link_text * 4 >= sums.text * 3 && may_be_link_list(tag))
      link_heavy.insert(&node);
  }

  std::pmr::vector<Sums> open_;  // one for what is above the top
  int link_depth_ = 0;
};

const Candidate* largest(const std::pmr::vector<Candidate>& candidates) {
  const auto found = std::max_element(candidates.begin(), candidates.end(),
                                      [](const Candidate& a, const Candidate& b) { return a.sums.text < b.sums.text; });
  return found == candidates.end() ? nullptr : &*found;
}

// The page's own word for it, unless that holds next to nothing of the page.
const Candidate* declared(const Survey& survey, size_t body_good) {
  if (const Candidate* found = largest(survey.mains); found != nullptr && found->sums.good * 5 >= body_good)
    return found;
  const Candidate* article = largest(survey.articles);
  return article != nullptr && article->sums.good * 2 >= body_good ? article : nullptr;
}

// Down from `node` as long as one child has three quarters of the plain text.
const HtmlNode* descend(const HtmlNode* node, const Survey& survey) {
  for (;;) {
    const size_t good = survey.large.at(node).good;
    const HtmlNode* next = nullptr;
    const GumboVector& children = node->v.element.children;
    for (unsigned i = 0; i < children.length && next == nullptr; ++i) {
      const auto* child = static_cast<const HtmlNode*>(children.data[i]);
      const auto found = survey.large.find(child);
      if (found != survey.large.end() && found->second.good * 4 >= good * 3) next = child;
    }
    // Into a lone paragraph, list or table would lose what belongs to it.
    const GumboTag tag = next == nullptr ? GUMBO_TAG_LAST : tag_of(*next);
    if (tag != GUMBO_TAG_DIV && tag != GUMBO_TAG_SECTION && tag != GUMBO_TAG_ARTICLE && tag != GUMBO_TAG_MAIN &&
        tag != GUMBO_TAG_FORM && tag != GUMBO_TAG_CENTER) {
      return node;
    }
    node = next;
  }
}

const HtmlNode* find_body(const HtmlNode& root) {
  if (root.type != GUMBO_NODE_ELEMENT) return &root;
  const GumboVector& children = root.v.element.children;
  for (unsigned i = 0; i < children.length; ++i) {
    const auto* child = static_cast<const HtmlNode*>(children.data[i]);
    if (tag_of(*child) == GUMBO_TAG_BODY) return child;
  }
  return &root;
}

}  // namespace

Readable find_readable(const HtmlNode& root, std::pmr::memory_resource* memory) {
  Readable readable(memory);
  readable.body = find_body(root);
  readable.main = readable.body;
  Survey survey(memory);
  walk(*readable.body, survey);
  const auto body = survey.large.find(readable.body);
  if (body == survey.large.end()) return readable;
  readable.body_text = body->second.text;
  readable.main_text = body->second.text;
  if (const Candidate* found = declared(survey, body->second.good)) {
    readable.main = found->node;
    readable.main_text = found->sums.text;
  } else {
    readable.main = descend(readable.body, survey);
    readable.main_text = survey.large.at(readable.main).text;
  }
  for (const Candidate& part : survey.boilerplate) {
    // What holds most of the text is no boilerplate, whatever it is called: some pages are one large form.
    if (part.node != readable.main && part.sums.text * 2 <= readable.main_text) readable.boilerplate.insert(part.node);
  }
  readable.link_heavy = std::move(survey.link_heavy);
  return readable;
}

}  // namespace talaria
