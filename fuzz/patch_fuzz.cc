// A replacement changes nothing outside the lines it reports, a diff leads from one text to the other, a patch that
// fails changes nothing; and every message is valid UTF-8.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "patch/line_diff.h"
#include "patch/replace.h"
#include "patch/unified_diff.h"
#include "patch/v4a.h"

namespace {

using namespace talaria;

std::vector<std::string_view> split_whole(std::string_view text, char end) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t length = std::min(text.find(end), text.size() - 1) + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

std::vector<std::string_view> outside(std::string_view text, char end, const std::vector<LineRange>& ranges) {
  std::vector<std::string_view> lines = split_whole(text, end);
  std::vector<bool> inside(lines.size());
  for (const LineRange& range : ranges) {
    CHECK(range.first >= 1 && range.last + 1 >= range.first && range.last <= lines.size());
    for (size_t number = range.first; number <= range.last; ++number) inside[number - 1] = true;
  }
  std::vector<std::string_view> kept;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!inside[i]) kept.push_back(lines[i]);
  }
  return kept;
}

// The byte order mark is part of no line.
std::string_view without_mark(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

void check_diff(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> from = split_whole(before, '\n'), to = split_whole(after, '\n');
  std::string result;
  size_t at = 0;
  for (const LineChange& change : diff_lines(from, to)) {
    for (; at < change.before_first; ++at) result += from[at];
    for (size_t i = 0; i < change.after_count; ++i) result += to[change.after_first + i];
    at += change.before_count;
  }
  for (; at < from.size(); ++at) result += from[at];
  CHECK(result == after);
  CHECK(unified_diff("a", before, "b", after).empty() == (before == after));
}

void check_replacement(std::string_view text, const ReplaceRequest& request) {
  const auto outcome = replace_text(text, request);
  if (const auto* failure = std::get_if<ReplaceFailure>(&outcome)) {
    CHECK(!failure->message.empty() && is_utf8(failure->message));
    return;
  }
  const auto& replaced = std::get<Replaced>(outcome);
  CHECK(replaced.no_change == (replaced.text == text));
  CHECK(replaced.no_change == (replaced.replacements == 0));
  CHECK(replaced.before.size() == replaced.replacements && replaced.after.size() == replaced.replacements);
  const bool returns = text.find('\n') == std::string_view::npos && text.find('\r') != std::string_view::npos;
  const char end = returns ? '\r' : '\n';
  const std::string_view before = without_mark(text);
  const std::string_view after = before.size() < text.size() ? without_mark(replaced.text) : replaced.text;
  CHECK(text.size() - before.size() == replaced.text.size() - after.size());
  CHECK(outside(before, end, replaced.before) == outside(after, end, replaced.after));
  check_diff(text, replaced.text);
}

void check_patch(std::string_view text, std::string_view patch) {
  const Result<std::vector<FileChange>> changes = parse_v4a(patch);
  if (!changes) {
    CHECK(is_utf8(changes.error().message()));
    return;
  }
  CHECK(!changes->empty());
  for (const FileChange& change : *changes) {
    CHECK(!change.path.empty() && change.path.find('\0') == std::string::npos);
    const HunksApplied applied = apply_hunks(text, change.hunks);
    CHECK(applied.strategies.size() == change.hunks.size());
    for (const HunkFailure& failure : applied.failures) CHECK(is_utf8(failure.reason));
    if (!applied.failures.empty() || applied.changed == 0) CHECK(applied.text == text);
    check_diff(text, applied.text);
  }
}

}  // namespace

// The input has its parts after a first byte of choices, each ended by a NUL byte: text, old and new string, and patch.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::array<std::string_view, 4> parts;
  for (std::string_view& part : parts) {
    const size_t end = std::min(rest.find('\0'), rest.size());
    part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  check_replacement(parts[0], {std::string(parts[1]), std::string(parts[2]), (data[0] & 1) != 0});
  check_patch(parts[0], parts[3]);
  return 0;
}
