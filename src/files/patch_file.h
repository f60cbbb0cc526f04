#pragma once
#include <string>

#include "files/audience.h"
#include "files/file_system.h"
#include "files/path_locks.h"
#include "files/version_book.h"
#include "gate/file_gate.h"
#include "json/json.h"
#include "patch/replace.h"

namespace talaria {

enum class ShowDiff { to_agents, always };

// Everything a patch works on.
struct PatchTools {
  FileSystem& files;
  FileGate& gate;
  VersionBook& book;
  PathLocks& locks;
};

// Replaces one passage of one file.
struct ReplaceInFile {
  std::string path = {};        // absolute
  std::string shown_path = {};  // as it was asked for
  ReplaceRequest replace = {};
  Audience audience = Audience::agent;
  ShowDiff diff = ShowDiff::to_agents;
};

// Applies a V4A patch of any number of files.
struct PatchFiles {
  std::string patch = {};
  std::string cwd = {};  // where its relative paths begin
  Audience audience = Audience::agent;
  ShowDiff diff = ShowDiff::to_agents;
};

// {success: true, files_modified: [path…], strategy, replacements, ranges: [{path, first, last}…], diff?}, where ranges
// are lines of the new text. When everything is already as wished: {success: true, no_change: true, note,
// files_modified: [], strategy, replacements: 0, ranges: []}.
// Otherwise nothing was written: {success: false, error, path?}; with candidates: [{first, last}…] where the passage
// may be, or with failures: [{path, line, hunk?, reason}…] for all of a patch that does not fit; `line` is the patch's.
JsonObject patch_file(const PatchTools& tools, const ReplaceInFile& request);
JsonObject patch_files(const PatchTools& tools, const PatchFiles& request);

}  // namespace talaria
