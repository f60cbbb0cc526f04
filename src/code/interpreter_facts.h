#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace talaria {

// What a Python says of itself. Whoever can write to it can make it say anything.
struct PythonFacts {
  int major = 0;
  int minor = 0;
  int micro = 0;
  std::string implementation;
  std::string executable;  // as it was started; behind a shim the real one
  std::string base;        // the interpreter itself, without links and environments
  std::string prefix;
  std::string base_prefix;
  bool has_ctypes = false;
  std::string stdlib;
  std::vector<std::string> library;  // where it loads its own modules from
  std::vector<std::string> site;     // where packages are installed
  bool operator==(const PythonFacts&) const = default;

  std::string version() const;
  bool is_environment() const { return prefix != base_prefix; }
};

// From all that it printed.
Result<PythonFacts> parse_python_facts(std::string_view output);

// Why no program can run in it, or empty.
std::string why_unusable(const PythonFacts& facts);
// The same for one that did not even answer: how it ended and what it printed.
std::string why_no_answer(int exit_code, int exit_signal, std::string_view output);

// The files and directories whose change means that it or its packages changed; and those of the base alone.
std::vector<std::string> marked_paths(const std::string& program, const PythonFacts& facts);
std::vector<std::string> marked_base_paths(const PythonFacts& facts);

}  // namespace talaria
