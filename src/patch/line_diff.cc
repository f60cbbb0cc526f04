#include "patch/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace talaria {
namespace {

constexpr size_t most_edits = 1'000;       // in one search for the shortest way; its memory grows with the square
constexpr size_t most_steps = 30'000'000;  // of all searches together
constexpr size_t most_depth = 12;          // of ranges within ranges, each costing one pass over its lines

struct Range {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

// A line of one list that also is in the other: its place there, and a number for its text.
struct Shared {
  size_t line = 0;
  uint32_t number = 0;
};

class Differ {
 public:
  Differ(const std::vector<std::string_view>& before, const std::vector<std::string_view>& after)
      : before_kept_(before.size()), after_kept_(after.size()) {
    share(before, after);
    compare({0, before_.size()}, {0, after_.size()}, 0);
  }

  std::vector<LineChange> changes() const {
    std::vector<LineChange> changes;
    size_t i = 0, j = 0;
    while (i < before_kept_.size() || j < after_kept_.size()) {
      if (i < before_kept_.size() && j < after_kept_.size() && before_kept_[i] && after_kept_[j]) {
        ++i, ++j;
        continue;
      }
      LineChange change{i, 0, j, 0};
      while (i < before_kept_.size() && !before_kept_[i]) ++i;
      while (j < after_kept_.size() && !after_kept_[j]) ++j;
      change.before_count = i - change.before_first;
      change.after_count = j - change.after_first;
      changes.push_back(change);
    }
    return changes;
  }

 private:
  // Lines that one side has not at all can be no part of what both share; without them most comparisons are short.
  void share(const std::vector<std::string_view>& before, const std::vector<std::string_view>& after) {
    std::unordered_map<std::string_view, uint32_t> numbers;
    for (std::string_view line : before) numbers.try_emplace(line, static_cast<uint32_t>(numbers.size()));
    std::vector<bool> in_after(numbers.size());
    for (size_t j = 0; j < after.size(); ++j) {
      const auto found = numbers.find(after[j]);
      if (found == numbers.end()) continue;
      in_after[found->second] = true;
      after_.push_back({j, found->second});
    }
    for (size_t i = 0; i < before.size(); ++i) {
      const uint32_t number = numbers.find(before[i])->second;
      if (in_after[number]) before_.push_back({i, number});
    }
    places_.resize(numbers.size());
  }

  void keep(size_t i, size_t j) {
    before_kept_[before_[i].line] = true;
    after_kept_[after_[j].line] = true;
  }

  void compare(Range a, Range b, size_t depth) {
    while (a.size() && b.size() && before_[a.begin].number == after_[b.begin].number) keep(a.begin++, b.begin++);
    while (a.size() && b.size() && before_[a.end - 1].number == after_[b.end - 1].number) keep(--a.end, --b.end);
    if (!a.size() || !b.size() || find_shortest(a, b) || depth == most_depth) return;
    // Too different for that: hold on to the lines that are there once on either side.
    Range rest_a = a, rest_b = b;
    for (const auto& [i, j] : single_lines(a, b)) {
      keep(i, j);
      compare({rest_a.begin, i}, {rest_b.begin, j}, depth + 1);
      rest_a.begin = i + 1;
      rest_b.begin = j + 1;
    }
    if (rest_a.begin != a.begin) compare(rest_a, rest_b, depth + 1);
  }

  // Myers: for every number of edits the furthest place on each diagonal. False when it would take too many.
  bool find_shortest(Range a, Range b) {
    const auto n = static_cast<int64_t>(a.size()), m = static_cast<int64_t>(b.size());
    const int64_t most = std::min<int64_t>(n + m, most_edits);
    std::vector<std::vector<int32_t>> trace;
    std::vector<int32_t> furthest(static_cast<size_t>(2 * most + 3), 0);
    for (int64_t edits = 0; edits <= most; ++edits) {
      for (int64_t diagonal = -edits; diagonal <= edits; diagonal += 2) {
        const size_t at = static_cast<size_t>(diagonal + most + 1);
        const bool down = diagonal == -edits || (diagonal != edits && furthest[at - 1] < furthest[at + 1]);
        int64_t x = down ? furthest[at + 1] : furthest[at - 1] + 1;
        const int64_t start = x;
        while (x < n && x - diagonal < m && same(a, x, b, x - diagonal)) ++x;
        furthest[at] = static_cast<int32_t>(x);
        steps_ += static_cast<size_t>(x - start) + 1;
        if (x < n || x - diagonal < m) continue;
        walk_back(a, b, trace, most);
        return true;
      }
      if (steps_ > most_steps) return false;
      const auto middle = furthest.begin() + most + 1;
      trace.emplace_back(middle - edits - 1, middle + edits + 2);
    }
    return false;
  }

  bool same(Range a, int64_t x, Range b, int64_t y) const {
    return y >= 0 &&
           before_[a.begin + static_cast<size_t>(x)].number == after_[b.begin + static_cast<size_t>(y)].number;
  }

  // trace[d] holds the diagonals -d-1 … d+1 after d edits.
  void walk_back(Range a, Range b, const std::vector<std::vector<int32_t>>& trace, int64_t) {
    auto x = static_cast<int64_t>(a.size()), y = static_cast<int64_t>(b.size());
    for (auto edits = static_cast<int64_t>(trace.size()); edits > 0; --edits) {
      const std::vector<int32_t>& row = trace[static_cast<size_t>(edits - 1)];
      const auto reached = [&](int64_t diagonal) { return row[static_cast<size_t>(diagonal + edits)]; };
      const int64_t diagonal = x - y;
      const bool down = diagonal == -edits || (diagonal != edits && reached(diagonal - 1) < reached(diagonal + 1));
      const int64_t from_x = down ? reached(diagonal + 1) : reached(diagonal - 1);
      const int64_t from_y = from_x - (down ? diagonal + 1 : diagonal - 1);
      while (x > from_x + !down && y > from_y + down) keep_at(a, --x, b, --y);
      x = from_x;
      y = from_y;
    }
    while (x > 0 && y > 0) keep_at(a, --x, b, --y);
  }

  void keep_at(Range a, int64_t x, Range b, int64_t y) {
    keep(a.begin + static_cast<size_t>(x), b.begin + static_cast<size_t>(y));
  }

  struct Places {
    uint32_t in_before = 0, in_after = 0;
    size_t before = 0;
  };

  // The longest list of lines that are there once on either side, rising on both.
  std::vector<std::pair<size_t, size_t>> single_lines(Range a, Range b) {
    for (size_t i = a.begin; i < a.end; ++i) places_[before_[i].number] = {};
    for (size_t j = b.begin; j < b.end; ++j) places_[after_[j].number] = {};
    for (size_t i = a.begin; i < a.end; ++i) {
      Places& places = places_[before_[i].number];
      ++places.in_before;
      places.before = i;
    }
    for (size_t j = b.begin; j < b.end; ++j) ++places_[after_[j].number].in_after;
    std::vector<std::pair<size_t, size_t>> pairs;
    for (size_t j = b.begin; j < b.end; ++j) {
      const Places& places = places_[after_[j].number];
      if (places.in_before == 1 && places.in_after == 1) pairs.emplace_back(places.before, j);
    }
    return longest_rising(pairs);
  }

  static std::vector<std::pair<size_t, size_t>> longest_rising(const std::vector<std::pair<size_t, size_t>>& pairs) {
    constexpr size_t none = static_cast<size_t>(-1);
    std::vector<size_t> ends, previous(pairs.size(), none);  // ends[k]: the smallest end of a list of k + 1
    for (size_t p = 0; p < pairs.size(); ++p) {
      const auto at = std::lower_bound(ends.begin(), ends.end(), pairs[p].first,
                                       [&](size_t end, size_t value) { return pairs[end].first < value; });
      if (at != ends.begin()) previous[p] = *(at - 1);
      if (at == ends.end()) {
        ends.push_back(p);
      } else {
        *at = p;
      }
    }
    std::vector<std::pair<size_t, size_t>> rising;
    for (size_t p = ends.empty() ? none : ends.back(); p != none; p = previous[p]) rising.push_back(pairs[p]);
    std::reverse(rising.begin(), rising.end());
    return rising;
  }

  std::vector<bool> before_kept_, after_kept_;
  std::vector<Shared> before_, after_;
  std::vector<Places> places_;
  size_t steps_ = 0;
};

}  // namespace

std::vector<LineChange> diff_lines(const std::vector<std::string_view>& before,
                                   const std::vector<std::string_view>& after) {
  return Differ(before, after).changes();
}

}  // namespace talaria
