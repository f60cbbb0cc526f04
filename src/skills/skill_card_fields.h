#pragma once
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "skills/diagnostic.h"
#include "skills/front_matter.h"

namespace talaria {

// Reads fields that may be of any type as what they are meant to be. What makes no sense is reported and absent.
class CardFields {
 public:
  CardFields(const FrontMatter& matter, std::vector<SkillDiagnostic>& diagnostics)
      : lines_(matter), diagnostics_(diagnostics) {}

  // A scalar, or the scalars of a list or map joined, on one line; empty when there is none.
  std::string text(const JsonObject& map, std::string_view key);
  // Of the first of these keys that has one.
  std::string text(const JsonObject& map, std::initializer_list<std::string_view> keys);

  enum class Split { at_commas, at_blanks };
  // A list of scalars, or one text that is split.
  std::vector<std::string> names(const JsonObject& map, std::string_view key, Split split = Split::at_commas);
  // The same for names of tools: null and booleans are none, and are reported.
  std::vector<std::string> tool_names(const JsonObject& map, std::string_view key);

  bool flag(const JsonObject& map, std::string_view key, bool fallback);
  // The map below `key`, or an empty one. A text is read as JSON: some hubs write it so.
  const JsonObject& map(const JsonObject& outer, std::string_view key);
  // The maps of a list, or a single one; other items are given as {key_of_text: item}.
  std::vector<JsonObject> maps(const JsonObject& outer, std::string_view key, std::string_view key_of_text);

  void note(std::string_view key, std::string message) { say(Severity::note, key, std::move(message)); }
  void warn(std::string_view key, std::string message) { say(Severity::warning, key, std::move(message)); }

 private:
  void say(Severity severity, std::string_view key, std::string message);

  KeyLines lines_;
  std::vector<SkillDiagnostic>& diagnostics_;
  std::vector<std::unique_ptr<JsonObject>> parsed_;  // maps that were texts
};

// A scalar as text; nothing for null, lists and maps.
std::optional<std::string> scalar_text(const Json& value);

}  // namespace talaria
