#pragma once
#include <string>
#include <vector>

#include "process/environment.h"

namespace talaria {

// The Python that a program of execute_code runs in.
struct Interpreter {
  std::string program;                      // to exec and to pose as: a venv's python, or the real one behind a shim
  std::string base;                         // the real interpreter behind it
  std::string base_prefix;                  // where that has its library
  std::vector<std::string> base_library{};  // all that it loads of it
  std::string version;                      // "3.11.2"
  std::string found_by;                     // "VIRTUAL_ENV", ".venv", "venv", "CONDA_PREFIX", "PATH"
  std::vector<std::string> notes;  // what was found before it and cannot be used: a sentence each, with the reason
  std::string mark;                // changes when it or its packages change on disk
  std::string base_mark;           // changes when the interpreter behind it changes
  bool may_be_warm = false;        // nothing that the base runs can be written in the sandbox
  bool operator==(const Interpreter&) const = default;
};

enum class InterpreterMode { project, strict };

// A place where a Python may be.
struct InterpreterPlace {
  std::string found_by;
  std::string folder;
  std::vector<std::string> programs;  // the first that is there counts
  bool named = false;                 // a variable names it: that it has no Python is worth a word
  bool operator==(const InterpreterPlace&) const = default;
};

// All in their order. `variables` are those of the session's commands, for strict those of the login shell.
std::vector<InterpreterPlace> interpreter_places(InterpreterMode mode, const std::string& cwd,
                                                 const std::string& workspace, const Environment& variables);

// What `program` goes by if it is a shim such as pyenv's: its own file, and those it looks for from `cwd` up.
std::vector<std::string> shim_files(const std::string& program, const std::string& cwd, const Environment& variables);

// What a person can do when there is none, after what was tried.
std::string no_interpreter(InterpreterMode mode, const std::vector<std::string>& notes);

}  // namespace talaria
