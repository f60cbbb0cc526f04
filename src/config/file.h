#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria {

// A config text → the text to put in its place, such as a call of set_key.
using TextEdit = std::function<Result<std::string>(std::string_view)>;

// Edits the file under a lock, so that edits by several programs all count. A missing file is an empty text; a new one
// gets mode 0600, an old one keeps its mode; a symbolic link stays and its target is replaced, whole or not at all. A
// file that does not parse, before or after the edit, is reported with line and column and left alone.
Result<> edit_config_file(const std::string& path, const TextEdit& edit);

}  // namespace talaria
