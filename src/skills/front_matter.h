#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "skills/diagnostic.h"

namespace talaria {

// A SKILL.md taken apart. Any bytes are one; what is wrong with them is in the diagnostics.
struct FrontMatter {
  bool present = false;  // there was one, however broken
  JsonObject fields;     // every key in the order of the file; null, booleans, lists and maps as such, all else as text
  std::string body;      // what follows: valid UTF-8, lines end with \n
  size_t body_line = 1;  // of the file, where the body begins
  std::string source;    // the text between the fences
  size_t source_line = 0;
  std::vector<SkillDiagnostic> diagnostics;
};

FrontMatter read_front_matter(std::string_view file);

// The line of the file that has this key, at whatever depth; 0 when it cannot be told.
size_t line_of_key(const FrontMatter& matter, std::string_view key);

// The same for whoever asks for one key again and again: each is looked for once.
class KeyLines {
 public:
  explicit KeyLines(const FrontMatter& matter) : matter_(matter) {}
  size_t of(std::string_view key);

 private:
  const FrontMatter& matter_;
  std::map<std::string, size_t, std::less<>> lines_;
};

}  // namespace talaria
