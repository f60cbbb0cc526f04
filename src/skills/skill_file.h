#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "skills/linked_files.h"

namespace talaria {

// A file of a skill, as skill_view's file_path asks for it.
struct SkillFile {
  enum class Kind { text, binary, folder };
  Kind kind = Kind::text;
  std::string path;                // as asked for, without "." and doubled slashes
  uint64_t size = 0;               // of the whole file
  std::string content;             // text: valid UTF-8; else a description of it
  std::string type;                // text: its ending, such as ".md"; binary: what it most likely is
  std::string note;                // what is not as in the file, or nothing
  std::vector<LinkedFile> inside;  // of a folder
};

// Reads a file below the skill's folder; links may lead to it, but not outside. At most 1 MiB of a text is given.
// Pipes, devices and sockets are never opened.
Result<SkillFile> read_skill_file(const std::string& directory, const std::string& file_path);

// The answer to skill_view(name, file_path). For a file that is not there: up to 20 that may have been meant.
JsonObject skill_file_json(const std::string& skill_name, const std::string& directory, const std::string& file_path);

}  // namespace talaria
