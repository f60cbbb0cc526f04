#include "files/patch_result.h"

#include <algorithm>

#include "files/text_encoding.h"
#include "patch/unified_diff.h"

namespace talaria {
namespace {

constexpr size_t most_diff_bytes = 100'000;

std::string diff_of(const std::vector<PatchedFile>& files) {
  std::string text;
  for (const PatchedFile& file : files) {
    if (text.size() >= most_diff_bytes) {
      text += "[the differences of further files are left out]\n";
      break;
    }
    if (!file.before_path.empty() && !file.after_path.empty() && file.before_path != file.after_path) {
      const Renamed renamed = file.before == file.after ? Renamed::as_it_was : Renamed::with_changes;
      text += rename_head(file.before_path, file.after_path, renamed);
    }
    text += unified_diff(file.before_path, file.before, file.after_path, file.after,
                         most_diff_bytes - std::min(text.size(), most_diff_bytes));
  }
  return valid_utf8(text);
}

}  // namespace

JsonObject patch_success(const PatchSummary& summary, Audience audience, ShowDiff diff) {
  JsonArray modified;
  JsonArray ranges;
  for (const PatchedFile& file : summary.files) {
    if (!file.before_path.empty()) modified.push_back(Json(valid_utf8(file.before_path)));
    if (file.after_path.empty()) continue;
    const std::string path = valid_utf8(file.after_path);
    if (file.after_path != file.before_path) modified.push_back(Json(path));
    for (const LineRange& range : file.ranges)
      ranges.push_back(JsonObject{{"path", path}, {"first", range.first}, {"last", range.last}});
  }
  JsonObject object{{"success", true},
                    {"files_modified", std::move(modified)},
                    {"strategy", summary.strategy.empty() ? "exact" : summary.strategy},
                    {"replacements", summary.replacements},
                    {"ranges", std::move(ranges)}};
  if (!summary.note.empty()) object["note"] = valid_utf8(summary.note);
  if (audience == Audience::agent || diff == ShowDiff::always) object["diff"] = diff_of(summary.files);
  return object;
}

JsonObject patch_no_change(std::string_view strategy, std::string_view note) {
  return {{"success", true},
          {"no_change", true},
          {"note", valid_utf8(note)},
          {"files_modified", JsonArray()},
          {"strategy", strategy.empty() ? "exact" : strategy},
          {"replacements", 0},
          {"ranges", JsonArray()}};
}

JsonObject patch_failure(std::string_view message) { return {{"success", false}, {"error", valid_utf8(message)}}; }

LineRange changed_lines(std::string_view before, std::string_view after) {
  const auto starts = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  const size_t same = static_cast<size_t>(starts.second - after.begin());
  const size_t least = std::min(before.size(), after.size()) - same;
  size_t tail = 0;
  while (tail < least && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  const auto lines_in = [](std::string_view text) { return static_cast<size_t>(std::ranges::count(text, '\n')); };
  const size_t first = 1 + lines_in(after.substr(0, same));
  const std::string_view middle = after.substr(same, after.size() - tail - same);
  // A line end that closes the passage begins no further line.
  const size_t ends = lines_in(middle) - (middle.ends_with('\n') ? 1 : 0);
  const bool only_removed = middle.empty() && (same == 0 || after[same - 1] == '\n');
  return {first, only_removed ? first - 1 : first + ends};
}

}  // namespace talaria
