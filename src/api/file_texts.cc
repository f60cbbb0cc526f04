#include "api/file_texts.h"

#include "base/text.h"
#include "base/unseen.h"

namespace talaria {
namespace {

const JsonArray* list_in(const JsonObject& object, std::string_view name) {
  const Json* list = object.if_contains(name);
  return list && list->is_array() ? &list->get_array() : nullptr;
}

std::vector<std::string> texts_in(const JsonObject& object, std::string_view name) {
  std::vector<std::string> texts;
  if (const JsonArray* list = list_in(object, name)) {
    for (const Json& text : *list) {
      if (text.is_string()) texts.emplace_back(text.get_string());
    }
  }
  return texts;
}

// Names in the lines of a text: one that broke its line could feign another.
std::vector<std::string> names_in(const JsonObject& object, std::string_view name) {
  std::vector<std::string> names = texts_in(object, name);
  for (std::string& one : names) one = shown_line(one);
  return names;
}

void append_note(std::string& text, const std::string& note) {
  if (note.empty()) return;
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += "(" + note + ")\n";
}

std::string error_text(const JsonObject& result) {
  std::string text = text_or(result, "error");
  const std::vector<std::string> similar = names_in(result, "similar_files");
  if (!similar.empty()) text += "\nSimilar files: " + join(similar, ", ");
  return text;
}

// Matches with the lines around them; those that two matches share once.
class MatchText {
 public:
  void add(const JsonObject& match) {
    const std::string path = text_or(match, "path");
    const int64_t line = integer_or(match, "line");
    const std::vector<std::string> before = texts_in(match, "before");
    if (path != path_) shown_ = 0;
    path_ = path;
    int64_t number = line - static_cast<int64_t>(before.size());
    for (const std::string& text : before) put('-', number++, text);
    put(':', line, text_or(match, "content"));
    pending_ = texts_in(match, "after");
    pending_first_ = line + 1;
  }
  // The lines after a match are only shown once the next one is known: it may be among them.
  void before_next(const JsonObject* next) {
    const bool same = next && text_or(*next, "path") == path_;
    const int64_t end = same ? integer_or(*next, "line") : INT64_MAX;
    for (const std::string& text : pending_) {
      if (pending_first_ < end) put('-', pending_first_, text);
      ++pending_first_;
    }
    pending_.clear();
  }
  std::string take() { return std::move(text_); }

 private:
  void put(char mark, int64_t line, const std::string& text) {
    if (line <= shown_) return;
    shown_ = line;
    text_ += shown_line(path_) + mark + std::to_string(line) + mark + text + "\n";
  }

  std::string text_, path_;
  int64_t shown_ = 0;  // up to which line of the file
  std::vector<std::string> pending_;
  int64_t pending_first_ = 0;
};

std::string matches_text(const JsonArray& matches) {
  MatchText text;
  for (size_t at = 0; at < matches.size(); ++at) {
    text.add(matches[at].get_object());
    text.before_next(at + 1 < matches.size() ? &matches[at + 1].get_object() : nullptr);
  }
  return text.take();
}

std::string count_note(const JsonObject& result) {
  const std::string total = with_commas(static_cast<uint64_t>(integer_or(result, "total_count")));
  const std::string what = integer_or(result, "total_count") == 1 ? " result" : " results";
  if (!boolean_or(result, "truncated")) return total + what;
  return total + what + " in all; more with offset=" + std::to_string(integer_or(result, "next_offset"));
}

}  // namespace

std::string read_text(const JsonObject& result) {
  if (result.contains("error")) return error_text(result);
  std::string text = text_or(result, "content");
  const int64_t first = integer_or(result, "offset", 1), shown = integer_or(result, "lines_returned");
  append_note(text, text_or(result, "hint"));
  // A line that is too long may be the last one: then the hint says all.
  if (result.contains("next_offset")) {
    append_note(text, "lines " + std::to_string(first) + " to " + std::to_string(first + shown - 1) + " of " +
                          std::to_string(integer_or(result, "total_lines")) +
                          "; go on with offset=" + std::to_string(integer_or(result, "next_offset")));
  }
  if (const std::string encoding = text_or(result, "encoding"); !encoding.empty() && encoding != "utf-8") {
    append_note(text, "encoding: " + encoding);
  }
  return text;
}

std::string write_text(const JsonObject& result) {
  if (result.contains("error")) return error_text(result);
  std::string text = (boolean_or(result, "created") ? "Created " : "Wrote ") + shown_line(text_or(result, "path")) +
                     " (" + human_bytes(static_cast<uint64_t>(integer_or(result, "bytes_written"))) + ").";
  append_note(text, text_or(result, "note"));
  return text;
}

std::string patch_text(const JsonObject& result) {
  if (result.contains("error")) return error_text(result);
  const std::vector<std::string> files = names_in(result, "files_modified");
  std::string text;
  if (boolean_or(result, "no_change")) text = "Nothing changed.";
  else text = "Changed " + join(files, ", ") + ".";
  if (const std::string strategy = text_or(result, "strategy"); !strategy.empty() && strategy != "exact") {
    append_note(text, "matched by " + strategy);
  }
  append_note(text, text_or(result, "note"));
  if (const std::string diff = text_or(result, "diff"); !diff.empty()) {
    if (text.back() != '\n') text += '\n';
    text += diff;
  }
  return text;
}

std::string search_text(const JsonObject& result) {
  if (result.contains("error")) return error_text(result);
  std::string text;
  if (const JsonArray* matches = list_in(result, "matches")) text = matches_text(*matches);
  for (const std::string& file : names_in(result, "files")) text += file + "\n";
  if (const JsonArray* counts = list_in(result, "counts")) {
    for (const Json& item : *counts) {
      const JsonObject& one = item.get_object();
      text += shown_line(text_or(one, "path")) + ":" + std::to_string(integer_or(one, "count")) + "\n";
    }
  }
  append_note(text, count_note(result));
  for (const std::string& hint : texts_in(result, "hints")) append_note(text, hint);
  append_note(text, text_or(result, "note"));
  return text;
}

}  // namespace talaria
