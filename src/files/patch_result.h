#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "files/audience.h"
#include "files/patch_file.h"
#include "json/json.h"
#include "patch/replace.h"

namespace talaria {

// What became of one file, for the result. An empty path: it was not, or is no more.
struct PatchedFile {
  std::string before_path;
  std::string after_path;
  std::string before;  // text, also if it is not valid UTF-8
  std::string after;
  std::vector<LineRange> ranges = {};  // of `after`
};

struct PatchSummary {
  std::vector<PatchedFile> files;
  std::string strategy;
  size_t replacements = 0;  // passages or hunks changed, and files added, deleted or moved
  std::string note;         // what was so before, if anything
};

JsonObject patch_success(const PatchSummary& summary, Audience audience, ShowDiff diff);
JsonObject patch_no_change(std::string_view strategy, std::string_view note);
JsonObject patch_failure(std::string_view message);

// The lines of `after` that differ, from the first to the last; last = first - 1 where lines only went.
LineRange changed_lines(std::string_view before, std::string_view after);

}  // namespace talaria
