#pragma once
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "json/json.h"
#include "yaml/loose_line.h"
#include "yaml/yaml_value.h"

namespace talaria {

// Reads a text that is no YAML as far as it can be read: entry by entry, going into one only where it is broken. An
// entry is a key or a "-" with the lines below it.
class YamlRepair {
 public:
  YamlRepair(std::string_view text, size_t first_line, std::span<const std::string_view> known, YamlScope& scope);

  Json read();

  // Whether a line starts with one of these keys and something like a colon.
  static bool has_known_key(std::string_view text, std::span<const std::string_view> known);

 private:
  enum class Entries { of_map, of_list };

  Json read_block(LooseLines lines, int depth);
  Json read_map(LooseLines lines, size_t indent, int depth);
  Json read_list(LooseLines lines, size_t indent, int depth);
  bool starts_entry(const LooseLine& line, size_t indent, Entries entries) const;
  // The number of lines of the entry at the start of `lines`.
  size_t entry_length(LooseLines lines, size_t indent, Entries entries);
  // How many of them a quoted text or a flow collection takes that starts on the first; 1 when it is not closed.
  size_t lines_until_closed(LooseLines lines, std::string_view value);

  std::optional<Json> read_strictly(std::string_view text, size_t line);
  std::optional<Json> read_entry_strictly(LooseLines lines);
  // As YAML after all: with tabs made blanks, or without prose behind it. `lines` are then those that count.
  std::optional<Json> read_mended(LooseLines& lines, size_t indent, std::string_view value);
  std::optional<Json> read_without_prose(LooseLines& lines, size_t indent, std::string_view value);
  LooseLines without_tabs(LooseLines lines);
  // Of a list: its items at one depth, with all that belongs to them.
  LooseLines level_items(LooseLines lines);
  // "[a, b]" or "- a" behind a key, with more items below; nothing where that is something else.
  std::optional<Json> read_started_list(std::string_view first, size_t line, LooseLines below, int depth);
  LooseLine moved(const LooseLine& line, size_t indent, std::string_view content);
  void read_entry(LooseLines lines, size_t indent, int depth, JsonObject& into);
  void read_item(LooseLines lines, size_t indent, int depth, JsonArray& into);
  // The value of `key`: `first` is on its line, `below` are the lines under it.
  Json read_value(const std::string& key, std::string_view first, size_t line, LooseLines below, int depth);
  Json read_flow(const std::string& key, std::string_view first, size_t line, LooseLines below);
  Json read_text(const std::string& key, std::string_view first, size_t line, LooseLines below);

  // The first line with a known key: an entry that stands deeper than those around it by mistake.
  size_t first_known_key(LooseLines below) const;
  void put(JsonObject& into, std::string_view key, Json value, size_t line);
  void put_all(JsonObject& into, const Json& values, size_t line);
  void leave_out(LooseLines lines);
  LooseLines keep(std::vector<LooseLine> lines);

  std::string_view text_;
  size_t first_line_;
  std::span<const std::string_view> known_;
  YamlScope& scope_;
  std::deque<std::string> made_;  // what lines that are not in the text are views of
  std::deque<std::vector<LooseLine>> made_lines_;
  size_t strict_left_ = 400;  // calls of the YAML reader: what keeps the time in proportion
  size_t look_ahead_left_;    // bytes
};

}  // namespace talaria
