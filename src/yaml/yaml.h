#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace talaria {

// One `key: value` of a mapping; both are indices into the document.
struct YamlEntry {
  size_t key = 0;
  size_t value = 0;
  // Just after the ':'; npos when the key is written without one ("{a}") or in the "? key" form.
  size_t after_colon = std::string::npos;
};

// One value and the bytes of the text it was written with.
struct YamlNode {
  enum class Kind { null, scalar, sequence, mapping, alias };
  enum class Style { plain, quoted, block, flow };

  Kind kind = Kind::null;
  Style style = Style::plain;
  size_t start = 0;  // with anchor, tag and quotes; start == end for a value that is not written at all
  size_t end = 0;
  std::string text;    // the scalar's value, or the name behind '*'
  std::string anchor;  // the name behind '&', or empty
  bool tagged = false;
  size_t target = 0;               // of an alias
  std::vector<size_t> items;       // of a sequence
  std::vector<YamlEntry> entries;  // of a mapping
};

// A parsed YAML text that remembers where each value stands in it. Keys are scalars and unique; aliases point
// backwards to a finished value, so following them always ends.
class YamlDocument {
 public:
  // The error starts with "line:column: ".
  static Result<YamlDocument> parse(std::string_view text);

  const YamlNode& node(size_t index) const { return nodes_[index]; }
  const YamlNode& root() const { return nodes_[root_]; }
  size_t root_index() const { return root_; }
  const std::vector<YamlNode>& nodes() const { return nodes_; }

  // The value an alias stands for; any other node itself.
  size_t resolve(size_t index) const;
  // The entry of `mapping` with this key, or null.
  const YamlEntry* find(const YamlNode& mapping, std::string_view key) const;
  // The value at `path` with aliases followed; null when nothing is written there.
  const YamlNode* at(const std::vector<std::string>& path) const;

 private:
  friend class YamlBuilder;
  std::vector<YamlNode> nodes_;
  size_t root_ = 0;
};

// "3:10": the line and column (in characters, from 1) of a byte.
std::string yaml_position(std::string_view text, size_t offset);
size_t yaml_line(std::string_view text, size_t offset);
// 3 when the text starts with a UTF-8 byte order mark, else 0.
size_t byte_order_mark(std::string_view text);

}  // namespace talaria
