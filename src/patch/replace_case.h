#pragma once
#include <string>
#include <vector>

#include "patch/replace.h"

namespace talaria {

// One replacement and all that comes of it.
struct ReplaceCase {
  std::string name;
  std::string text;
  ReplaceRequest request;
  std::string expected;
  std::string strategy;
  std::vector<LineRange> before;
  std::vector<LineRange> after;
};

// One that must not be made.
struct RefusedCase {
  std::string name;
  std::string text;
  ReplaceRequest request;
  ReplaceFailure::Kind kind;
  std::string message;
  std::vector<LineRange> candidates;
};

// One that is made already.
struct DoneCase {
  std::string name;
  std::string text;
  ReplaceRequest request;
  std::string strategy;
  std::string note;
};

}  // namespace talaria
