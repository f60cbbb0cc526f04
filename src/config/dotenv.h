#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/dotenv_text.h"

namespace talaria {

// A missing file has none. One that others than its owner can read is refused.
Result<std::map<std::string, std::string>> read_dotenv(const std::string& path);

// Whether a variable that has a value already gets another one.
enum class Existing { keep, overwrite };

// Sets variables in the file as set_variable does, all or none; a missing file is made. The file is replaced in one
// step and durably, under a lock, so that several programs lose nothing of each other's, and nobody but its owner could
// read it at any time; a symbolic link stays one. Refused, with what to do: a file that others can read, another
// user's, and what is no file at all.
Result<> set_dotenv(const std::string& path, const std::string& name, std::string_view value);
Result<> set_dotenv(const std::string& path, const std::map<std::string, std::string>& variables, Existing existing);

// Whether set_dotenv could: to be asked before a person types a secret that would be lost.
Result<> check_dotenv(const std::string& path);

// Removes them, with the same care; gives the names that were there.
Result<std::vector<std::string>> unset_dotenv(const std::string& path, const std::vector<std::string>& names);

}  // namespace talaria
