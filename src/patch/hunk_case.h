#pragma once
#include <string>
#include <vector>

#include "patch/v4a.h"

namespace talaria {

// The body of an update, applied to a text.
struct HunkCase {
  std::string name;
  std::string text;
  std::string hunks;
  std::string expected;
  std::vector<std::string> strategies;
  size_t changed = 0;
};

struct FailingHunkCase {
  std::string name;
  std::string text;
  std::string hunks;
  std::vector<HunkFailure> failures;  // the lines of a patch whose third is the first of `hunks`
};

}  // namespace talaria
