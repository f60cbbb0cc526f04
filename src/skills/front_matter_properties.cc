#include "skills/front_matter_properties.h"

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "json/json.h"
#include "skills/front_matter_keys.h"
#include "yaml/loose_line.h"

namespace talaria {

namespace {

// Most front matter has none, and is not taken apart.
bool may_have_properties(std::string_view source) {
  for (size_t at = source.find_first_of("!&"); at != std::string_view::npos; at = source.find_first_of("!&", at + 1)) {
    const size_t before = at == 0 ? std::string_view::npos : source.find_last_not_of(" \t", at - 1);
    if (before != std::string_view::npos && before + 1 < at && source[before] == ':') return true;
  }
  return false;
}

bool is_standard_tag(std::string_view tag) {
  if (tag.starts_with("!<")) return true;
  return tag.size() > 2 && tag.starts_with("!!") &&
         std::all_of(tag.begin() + 2, tag.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

class PropertyQuoter {
 public:
  PropertyQuoter(std::string_view source, size_t first_line)
      : source_(source), lines_(loose_lines(source, first_line)) {}

  std::optional<QuotedTexts> quote() {
    const auto first = std::ranges::find_if_not(lines_, &LooseLine::says_nothing);
    if (first == lines_.end()) return std::nullopt;
    for (size_t at = 0; at < lines_.size();) {
      const size_t end = lines_[at].indent == first->indent ? entry_end(at) : at + 1;
      take(LooseLines(lines_).subspan(at, end - at));
      at = end;
    }
    if (scope_.remark_count() == 0) return std::nullopt;
    return QuotedTexts{std::move(source_with_quotes_), std::move(scope_).take_remarks()};
  }

 private:
  // Behind the lines that go on with the value of this one.
  size_t entry_end(size_t at) const {
    const size_t indent = lines_[at].indent;
    size_t end = at + 1;
    while (end < lines_.size() && (lines_[end].content.empty() || lines_[end].indent > indent)) ++end;
    return end;
  }

  void take(LooseLines entry) {
    const LooseLine& first = entry.front();
    const std::optional<LoosePair> pair = split_pair(first.content, skill_keys);
    if (!pair || !pair->exact || std::ranges::find(skill_text_keys, pair->key) == skill_text_keys.end() ||
        !is_unmeant(without_comment(pair->value), entry.subspan(1))) {
      source_with_quotes_ += join_lines(entry);
      return;
    }
    std::vector<LooseLine> below;
    for (const LooseLine& line : entry.subspan(1)) {
      if (line.content.empty() || !line.says_nothing()) below.push_back(line);
    }
    const std::string text = fold_lines(without_comment(pair->value), below);
    source_with_quotes_ += first.text.substr(0, static_cast<size_t>(pair->value.data() - first.text.data()));
    source_with_quotes_ += write_json(Json(text)) + std::string(entry.size(), '\n');
    scope_.remark(first.number, pair->key + ": the value " + std::string(problem_of(text)) + "; read as text");
  }

  bool is_unmeant(std::string_view value, LooseLines below) {
    if (!value.starts_with('!') && !value.starts_with('&')) return false;
    const std::string_view property = value.substr(0, value.find_first_of(" \t"));
    const std::string_view rest = trim(value.substr(property.size()));
    // What it belongs to stands below, or is no plain text.
    if (rest.empty() && std::ranges::any_of(below, [](const LooseLine& line) { return !line.says_nothing(); })) {
      return false;
    }
    if (!rest.empty() && std::string_view("\"'[{|>!&*").find(rest[0]) != std::string_view::npos) return false;
    return property[0] == '!' ? !is_standard_tag(property) : !has_alias(property.substr(1));
  }

  bool has_alias(std::string_view name) {
    if (!aliases_) {
      aliases_.emplace();
      for (size_t at = source_.find('*'); at != std::string_view::npos; at = source_.find('*', at + 1)) {
        const std::string_view alias = source_.substr(at + 1);
        aliases_->insert(alias.substr(0, alias.find_first_of(" \t\n,[]{}*")));
      }
    }
    return aliases_->contains(name);
  }

  std::string_view source_;
  std::vector<LooseLine> lines_;
  std::optional<std::unordered_set<std::string_view>> aliases_;
  std::string source_with_quotes_;
  YamlScope scope_;  // counts the remarks
};

}  // namespace

std::optional<QuotedTexts> quote_unmeant_properties(std::string_view source, size_t first_line) {
  if (!may_have_properties(source)) return std::nullopt;
  return PropertyQuoter(source, first_line).quote();
}

}  // namespace talaria
