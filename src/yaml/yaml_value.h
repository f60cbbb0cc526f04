#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "json/json.h"

namespace talaria {

// Something odd about a YAML text, or something that was put right in it.
struct YamlRemark {
  size_t line = 0;  // from 1
  std::string message;
  bool operator==(const YamlRemark&) const = default;
};

// What the pieces of one text have in common while they are read.
class YamlScope {
 public:
  // Beyond a hundred they are only counted.
  void remark(size_t line, std::string message);
  size_t remark_count() const { return remarks_.size() + unsaid_; }
  // All of them, by line.
  std::vector<YamlRemark> take_remarks() &&;

  // An anchored value, for aliases behind it.
  void define(std::string name, const Json& value);
  // A copy; nothing when there is no such anchor. What aliases add up to is bounded: beyond that they are null.
  std::optional<Json> expand(const std::string& name, size_t line);

 private:
  bool charge(const Json& value);

  std::unordered_map<std::string, Json> anchors_;
  std::vector<YamlRemark> remarks_;
  size_t unsaid_ = 0;
  size_t bytes_left_ = 1 << 20;
  bool said_too_large_ = false;
};

// What a YAML text says: null, booleans (as YAML 1.2 spells them), lists and maps as such, and every other scalar as
// the text it is written with. Tags are ignored but for !!str, aliases and merge keys are resolved, of two equal keys
// the last one counts and is remarked, keys that are no text are written as JSON. Nothing when it is not one valid
// document. `text` is UTF-8 without NUL; its first line has the number `first_line`.
std::optional<Json> read_yaml_value(std::string_view text, size_t first_line, YamlScope& scope);

// null, true or false, where `plain` is a way to write one without quotes; else the text itself.
Json plain_value(std::string_view plain);

}  // namespace talaria
