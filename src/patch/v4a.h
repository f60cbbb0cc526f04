#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace talaria {

// One line of a hunk: ' ' context, '-' to remove, '+' to add.
struct PatchLine {
  char kind = ' ';
  std::string text;  // without the line end
  bool operator==(const PatchLine&) const = default;
};

struct Hunk {
  std::vector<std::string> hints;  // of "@@ class A", "@@ def f": where to look, from the outside in
  std::vector<PatchLine> lines;
  bool at_end = false;  // "*** End of File"
  size_t line = 0;      // of the patch, for messages
  bool operator==(const Hunk&) const = default;
};

struct FileChange {
  enum class Kind { add, update, remove, move };  // move: with or without hunks
  Kind kind = Kind::update;
  std::string path;
  std::string new_path;     // of move
  std::string content;      // of add, with its line ends
  std::vector<Hunk> hunks;  // of update and move
  size_t line = 0;          // of the patch
  bool operator==(const FileChange&) const = default;
};

// Reads "*** Begin Patch … *** End Patch". The error names the line.
Result<std::vector<FileChange>> parse_v4a(std::string_view patch);

struct HunkFailure {
  size_t hunk = 0;  // from 1
  size_t line = 0;  // of the patch
  std::string reason;
  bool operator==(const HunkFailure&) const = default;
};

struct HunksApplied {
  std::string text;
  std::vector<std::string> strategies;  // one for each hunk: "exact", …; "already_applied" for one that was
  size_t changed = 0;                   // hunks that changed something
  std::vector<HunkFailure> failures;    // every hunk that did not fit; then `text` means nothing
};

// Applies all hunks of a file in order.
HunksApplied apply_hunks(std::string_view text, const std::vector<Hunk>& hunks);

}  // namespace talaria
