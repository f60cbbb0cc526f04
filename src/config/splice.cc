#include "config/splice.h"

#include <algorithm>

#include "base/text.h"
#include "yaml/yaml_text.h"

namespace talaria {

namespace {

using Kind = YamlNode::Kind;
using Style = YamlNode::Style;
using Path = std::vector<std::string>;

std::string dotted(const Path& path, size_t count) { return join(Path(path.begin(), path.begin() + count), "."); }

// The document, its text, and the way down to the wanted key as far as it exists.
class Planner {
 public:
  Planner(const YamlDocument& document, std::string_view text, const Path& path)
      : document_(document), text_(text), path_(path) {
    size_t index = document.root_index();
    for (const std::string& name : path) {
      mappings_.push_back(index);
      const YamlEntry* entry = document.find(document.node(index), name);
      if (entry == nullptr) break;
      trail_.push_back(entry);
      index = entry->value;
    }
  }

  bool found() const { return trail_.size() == path_.size(); }

  Result<std::vector<Splice>> set(const std::string& written) const {
    TRY(check_shared());
    return found() ? replace(*trail_.back(), written) : add(written);
  }

  Result<std::vector<Splice>> unset() const {
    if (!found()) return std::vector<Splice>();
    TRY(check_shared());
    size_t level = trail_.size() - 1;
    // A section is only taken along when it holds this key and no comment.
    while (level > 0 && holds_only(level)) --level;
    const YamlNode& mapping = document_.node(mappings_[level]);
    return mapping.style == Style::flow ? remove_from_flow(mapping, *trail_[level]) : remove_lines(*trail_[level]);
  }

 private:
  const YamlNode& key_of(const YamlEntry& entry) const { return document_.node(entry.key); }
  const YamlNode& value_of(const YamlEntry& entry) const { return document_.node(entry.value); }

  Error by_hand(size_t offset, const std::string& why) const {
    return {ErrorCode::conflict, "cannot change " + join(path_, ".") + " without risk: " + why + " (line " +
                                     std::to_string(yaml_line(text_, offset)) + "); edit the file by hand"};
  }

  // An anchor on the way that an alias uses: a change would show up in the alias's place too.
  Result<> check_shared() const {
    std::vector<size_t> touched = {document_.root_index()};
    for (const YamlEntry* entry : trail_) touched.push_back(entry->value);
    for (const YamlNode& node : document_.nodes()) {
      const bool uses =
          node.kind == Kind::alias && std::find(touched.begin(), touched.end(), node.target) != touched.end();
      if (uses) return by_hand(node.start, "the alias *" + node.text + " uses the same value");
    }
    return ok;
  }

  // The blanks before a key that is the first thing on its line.
  Result<std::string> indentation(const YamlEntry& entry) const {
    const size_t start = line_start(text_, key_of(entry).start);
    const std::string_view before = text_.substr(start, key_of(entry).start - start);
    if (before.find_first_not_of(' ') != std::string_view::npos) {
      return by_hand(start, "the key is not the first thing on its line");
    }
    return std::string(before);
  }

  // How much deeper this file writes the keys of a section.
  size_t indent_step() const {
    for (const YamlNode& outer : document_.nodes()) {
      if (outer.kind != Kind::mapping || outer.style != Style::block) continue;
      for (const YamlEntry& entry : outer.entries) {
        const YamlNode& inner = value_of(entry);
        if (inner.kind != Kind::mapping || inner.style != Style::block || inner.entries.empty()) continue;
        const size_t from = column(key_of(entry).start);
        const size_t to = column(key_of(inner.entries.front()).start);
        if (to > from) return to - from;
      }
    }
    return 2;
  }

  size_t column(size_t offset) const { return offset - line_start(text_, offset); }

  Result<std::vector<Splice>> replace(const YamlEntry& entry, const std::string& written) const {
    const YamlNode& value = value_of(entry);
    if (value.kind == Kind::mapping) {
      return invalid(join(path_, ".") + " is a section (line " + std::to_string(yaml_line(text_, key_of(entry).start)) +
                     "); set one of its keys");
    }
    if (value.start == value.end) {  // nothing written yet
      if (entry.after_colon == std::string::npos) return std::vector{Splice{key_of(entry).end, 0, ": " + written}};
      return std::vector{Splice{entry.after_colon, 0, " " + written}};
    }
    if (value.kind == Kind::sequence && value.style == Style::block) return replace_block_list(entry, written);
    if (value.kind == Kind::scalar && value.style == Style::block) return replace_block_text(value, written);
    return std::vector{Splice{value.start, value.end - value.start, written}};
  }

  // The items' lines go, with the comments among them; the key's own line stays.
  Result<std::vector<Splice>> replace_block_list(const YamlEntry& entry, const std::string& written) const {
    const YamlNode& value = value_of(entry);
    if (entry.after_colon == std::string::npos || value.tagged || !value.anchor.empty()) {
      return by_hand(value.start, "the list has an anchor or tag");
    }
    const size_t first = line_start(text_, value.start);
    return std::vector{Splice{entry.after_colon, 0, " " + written},
                       Splice{first, end_of_lines(text_, value.end) - first, ""}};
  }

  // A comment beside the "|" stays; so do blank lines after the text.
  Result<std::vector<Splice>> replace_block_text(const YamlNode& value, const std::string& written) const {
    const size_t header_end = std::min(next_line(text_, value.start), text_.size());
    const std::string_view header = trim(text_.substr(value.start, header_end - value.start));
    const size_t comment = header.find(" #");
    const size_t last = text_.find_last_not_of("\r\n \t", value.end - 1);
    const size_t end = std::max(last + 1, value.start + header.size());
    const std::string kept = comment == std::string_view::npos ? "" : std::string(header.substr(comment));
    return std::vector{Splice{value.start, end - value.start, written + kept}};
  }

  Result<std::vector<Splice>> add(const std::string& written) const {
    const YamlNode& parent = document_.node(mappings_.back());
    const size_t level = trail_.size();
    if (parent.kind == Kind::mapping) {
      return parent.style == Style::flow ? add_to_flow(parent, written) : add_lines(parent, written);
    }
    if (parent.kind == Kind::null && level == 0) {
      if (parent.start != parent.end) return by_hand(parent.start, "the whole file is one empty value");
      return std::vector{insert_lines(text_.size(), lines("", written))};
    }
    if (parent.kind == Kind::null) return fill_section(*trail_.back(), written);
    const std::string name = level == 0 ? "the file" : dotted(path_, level);
    const std::string holds = parent.kind == Kind::sequence ? "a list"
                              : parent.kind == Kind::alias  ? "the alias *" + parent.text
                                                            : "\"" + parent.text.substr(0, 60) + "\"";
    return invalid(name + " is " + holds + " (line " + std::to_string(yaml_line(text_, parent.start)) +
                   ") and cannot hold " + join(path_, ".") + "; make it a section first");
  }

  // `a:` / `  b: value` for the part of the path that is missing.
  std::string lines(std::string indent, const std::string& written) const {
    const std::string step(indent_step(), ' ');
    std::string made;
    for (size_t i = trail_.size(); i < path_.size(); ++i) {
      made += indent + yaml_scalar(path_[i]) + ":";
      made += i + 1 < path_.size() ? std::string(line_ending(text_)) : " " + written;
      indent += step;
    }
    return made;
  }

  // `a: {b: value}` for the same part.
  std::string pair(const std::string& written) const {
    std::string made = written;
    for (size_t i = path_.size(); i-- > trail_.size();) {
      made = yaml_scalar(path_[i]) + ": " + made;
      if (i > trail_.size()) made = "{" + made + "}";
    }
    return made;
  }

  Splice insert_lines(size_t end, const std::string& made) const {
    const std::string ending(line_ending(text_));
    const size_t at = end_of_lines(text_, end);
    const bool unfinished = at == text_.size() && at > byte_order_mark(text_) && text_.back() != '\n';
    return {at, 0, unfinished ? ending + made : made + ending};
  }

  Result<std::vector<Splice>> add_lines(const YamlNode& mapping, const std::string& written) const {
    const std::string indent = TRY(indentation(mapping.entries.front()));
    return std::vector{insert_lines(mapping.end, lines(indent, written))};
  }

  Result<std::vector<Splice>> add_to_flow(const YamlNode& mapping, const std::string& written) const {
    if (!mapping.entries.empty()) {
      return std::vector{Splice{value_of(mapping.entries.back()).end, 0, ", " + pair(written)}};
    }
    return std::vector{Splice{text_.rfind('{', mapping.end - 1) + 1, 0, pair(written)}};
  }

  // `section:` or `section: ~` gets its first key.
  Result<std::vector<Splice>> fill_section(const YamlEntry& entry, const std::string& written) const {
    const YamlNode& value = value_of(entry);
    const bool in_flow = document_.node(mappings_[trail_.size() - 1]).style == Style::flow;
    const bool empty = value.start == value.end;
    if (in_flow) {
      const std::string inside = "{" + pair(written) + "}";
      if (!empty) return std::vector{Splice{value.start, value.end - value.start, inside}};
      if (entry.after_colon == std::string::npos) return std::vector{Splice{key_of(entry).end, 0, ": " + inside}};
      return std::vector{Splice{entry.after_colon, 0, " " + inside}};
    }
    const std::string indent = TRY(indentation(entry)) + std::string(indent_step(), ' ');
    std::vector<Splice> splices;
    if (!empty && value.anchor.empty() && !value.tagged) {
      const size_t from = text_.find_last_not_of(line_blanks, value.start - 1) + 1;
      splices.push_back({from, value.end - from, ""});
    }
    splices.push_back(insert_lines(value.end, lines(indent, written)));
    return splices;
  }

  // True when the section around trail_[level] has no other key and no comment.
  bool holds_only(size_t level) const {
    const YamlNode& section = document_.node(mappings_[level]);
    const YamlEntry& parent = *trail_[level - 1];
    if (section.entries.size() != 1 || !section.anchor.empty()) return false;
    const auto has_comment = [&](size_t from, size_t to) {
      return text_.substr(from, to - from).find('#') != std::string_view::npos;
    };
    if (section.style == Style::flow) return !has_comment(key_of(parent).end, section.end);
    if (has_comment(key_of(parent).end, key_of(*trail_[level]).start)) return false;
    return !comment_follows(end_of_lines(text_, section.end), column(key_of(parent).start));
  }

  // A comment below, indented deeper than the section's name, belongs to the section.
  bool comment_follows(size_t line, size_t section_column) const {
    while (line < text_.size()) {
      const size_t content = text_.find_first_not_of(" \t\r\n", line);
      if (content == std::string_view::npos || text_[content] != '#') return false;
      if (column(content) > section_column) return true;
      line = next_line(text_, content);
    }
    return false;
  }

  Result<std::vector<Splice>> remove_lines(const YamlEntry& entry) const {
    TRY(indentation(entry));
    const size_t first = line_start(text_, key_of(entry).start);
    return std::vector{Splice{first, end_of_lines(text_, value_of(entry).end) - first, ""}};
  }

  Result<std::vector<Splice>> remove_from_flow(const YamlNode& mapping, const YamlEntry& entry) const {
    const size_t position = static_cast<size_t>(&entry - mapping.entries.data());
    size_t from = key_of(entry).start;
    size_t to = value_of(entry).end;
    const size_t comma = skip_blank_and_comments(text_, to);
    const bool comma_follows = comma < text_.size() && text_[comma] == ',';
    if (comma_follows && text_.find('#', to) > comma) {
      // The blanks go too, but a comment needs one before it.
      const size_t following = std::min(text_.find_first_not_of(line_blanks, comma + 1), text_.size());
      to = following < text_.size() && text_[following] == '#' ? comma + 1 : following;
    } else if (position > 0) {
      // The last one takes the comma before it along, unless a comment stands between.
      const size_t previous = value_of(mapping.entries[position - 1]).end;
      if (text_.substr(previous, from - previous).find('#') == std::string_view::npos) from = previous;
    }
    return std::vector{Splice{from, to - from, ""}};
  }

  const YamlDocument& document_;
  std::string_view text_;
  const Path& path_;
  std::vector<size_t> mappings_;         // the node each step of the path was looked for in
  std::vector<const YamlEntry*> trail_;  // the steps that exist
};

}  // namespace

std::string apply_splices(std::string_view text, std::vector<Splice> splices) {
  std::stable_sort(splices.begin(), splices.end(), [](const Splice& a, const Splice& b) { return a.at < b.at; });
  std::string result;
  size_t copied = 0;
  for (const Splice& splice : splices) {
    result += text.substr(copied, splice.at - copied);
    result += splice.insert;
    copied = splice.at + splice.remove;
  }
  return result + std::string(text.substr(copied));
}

Result<std::vector<Splice>> plan_set(const YamlDocument& document, std::string_view text, const Path& path,
                                     const std::string& written) {
  return Planner(document, text, path).set(written);
}

Result<std::vector<Splice>> plan_unset(const YamlDocument& document, std::string_view text, const Path& path) {
  return Planner(document, text, path).unset();
}

}  // namespace talaria
