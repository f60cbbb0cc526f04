#include "patch/hunk_search.h"

#include <algorithm>
#include <cstring>

#include "patch/normal_form.h"

namespace talaria {
namespace {

constexpr size_t most_places = 1'000;

void add_once(std::vector<size_t>& places, size_t place) {
  if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
}

}  // namespace

HunkPlaces HunkSearch::find(const Hunk& hunk, const std::vector<std::string_view>& wanted, size_t from) {
  for (size_t start : {from, size_t{0}}) {
    for (Tolerance tolerance : tolerances) {
      std::vector<size_t> places = lines_.find(wanted, tolerance, start, most_places);
      if (places.empty()) continue;
      narrow(hunk, wanted.size(), start, places);
      return {std::move(places), tolerance};
    }
    if (from == 0) break;
  }
  return {};
}

void HunkSearch::narrow(const Hunk& hunk, size_t length, size_t from, std::vector<size_t>& places) const {
  if (hunk.at_end && places.back() + length == lines_.size()) {
    places = {places.back()};
    return;
  }
  if (places.size() == 1 || hunk.hints.empty()) return;
  std::vector<size_t> hints = find_hints(hunk.hints, from);
  // A hint above what was changed last still tells: the nearest of them.
  if (hints.empty()) hints = find_hints(hunk.hints, 0);
  if (!hints.empty() && hints.front() < from) hints = {hints.back()};
  std::vector<size_t> after_hints;
  for (size_t hint : hints) {
    const auto place = std::lower_bound(places.begin(), places.end(), hint);
    if (place != places.end()) add_once(after_hints, *place);
  }
  if (!after_hints.empty()) places = std::move(after_hints);
}

std::vector<size_t> HunkSearch::find_hints(const std::vector<std::string>& hints, size_t from) const {
  std::vector<size_t> outer;
  for (size_t i = 0; i < hints.size(); ++i) {
    const std::vector<size_t> all = find_hint(hints[i], from);
    if (i == 0) {
      outer = all;
      continue;
    }
    std::vector<size_t> inner;
    for (size_t line : outer) {
      const auto next = std::upper_bound(all.begin(), all.end(), line);
      if (next != all.end()) add_once(inner, *next);
    }
    outer = std::move(inner);
  }
  return outer;
}

// The lines that are the hint; if none is, those that begin with it; if none does, those that have it in them.
std::vector<size_t> HunkSearch::find_hint(std::string_view hint, size_t from) const {
  std::vector<size_t> equal, beginning, containing;
  lines_.add_work(lines_.size() + lines_.bytes() / 8);
  for (size_t at = from; at < lines_.size() && equal.size() < most_places; ++at) {
    const std::string_view line = trim_blanks(lines_.bodies()[at]);
    if (line.size() < hint.size()) continue;
    if (line == hint) {
      equal.push_back(at);
    } else if (line.starts_with(hint)) {
      if (beginning.size() < most_places) beginning.push_back(at);
    } else if (containing.size() < most_places && memmem(line.data(), line.size(), hint.data(), hint.size())) {
      containing.push_back(at);
    }
  }
  if (!equal.empty()) return equal;
  return beginning.empty() ? containing : beginning;
}

}  // namespace talaria
