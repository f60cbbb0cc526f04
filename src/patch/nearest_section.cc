#include "patch/nearest_section.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "base/utf8.h"
#include "patch/line_diff.h"
#include "patch/normal_form.h"
#include "patch/similarity.h"

namespace talaria {
namespace {

constexpr size_t most_lines_compared = 100;
constexpr size_t most_places_of_a_line = 50;  // a line that is everywhere says nothing about where
constexpr size_t most_refined = 30;
constexpr size_t most_votes = 20'000;
constexpr size_t most_shown_lines = 16;
constexpr size_t most_shown_characters = 160;
constexpr double least_score = 0.45;
constexpr size_t most_nearest_work = 12'000'000;

enum class Visible { text, blanks };

std::string show(std::string_view line, Visible visible) {
  std::string shown;
  size_t characters = 0;
  while (!line.empty()) {
    if (++characters > most_shown_characters) return shown + "…";
    const Utf8Step step = decode_utf8(line);
    const char32_t c = step.kind == Utf8Step::Kind::character ? step.character : 0xFFFD;
    line.remove_prefix(step.length);
    if (c == '\t') {
      shown += visible == Visible::blanks ? "→" : "\t";
    } else if (c == ' ') {
      shown += visible == Visible::blanks ? "·" : " ";
    } else if (c == '\r') {
      shown += "␍";
    } else {
      append_utf8(shown, c < 0x20 || (c >= 0x7F && c < 0xA0) ? char32_t{0xFFFD} : c);
    }
  }
  return shown;
}

std::string without_blanks(std::string_view line) {
  std::string result;
  for (char c : line) {
    if (!is_blank(c)) result += c;
  }
  return result;
}

bool has_letters(std::string_view line) {
  return std::any_of(line.begin(), line.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

class NearestSearch {
 public:
  NearestSearch(const std::vector<std::string_view>& lines, const std::vector<std::string_view>& wanted) {
    for (std::string_view line : lines) lines_.push_back(trim_blanks(line));
    for (size_t i = 0; i < std::min(wanted.size(), most_lines_compared); ++i) wanted_.push_back(trim_blanks(wanted[i]));
  }

  std::vector<Section> run(size_t most) {
    if (wanted_.empty() || lines_.empty()) return {};
    std::vector<Section> sections;
    for (size_t start : promising_starts()) {
      const size_t count = std::min(wanted_.size(), lines_.size() - start);
      sections.push_back({start, count, score(start, count)});
    }
    std::stable_sort(sections.begin(), sections.end(),
                     [](const Section& a, const Section& b) { return a.score > b.score; });
    std::vector<Section> chosen;
    for (const Section& section : sections) {
      if (chosen.size() == most || section.score < least_score) break;
      const auto overlaps = [&](const Section& other) {
        return section.first < other.first + other.count && other.first < section.first + section.count;
      };
      if (std::none_of(chosen.begin(), chosen.end(), overlaps)) chosen.push_back(section);
    }
    return chosen;
  }

 private:
  std::vector<size_t> promising_starts() {
    std::unordered_map<size_t, double> votes = votes_of_equal_lines();
    if (votes.size() < most_refined) add_votes_of_similar_lines(votes);
    std::vector<std::pair<double, size_t>> order;
    for (const auto& [start, weight] : votes) order.emplace_back(-weight, start);
    const size_t kept = std::min(order.size(), most_refined);
    std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(kept), order.end());
    std::vector<size_t> starts;
    for (size_t i = 0; i < kept; ++i) starts.push_back(order[i].second);
    return starts;
  }

  // Each line that is there votes for where the section would begin then; the rarer it is the more it counts.
  std::unordered_map<size_t, double> votes_of_equal_lines() {
    std::unordered_map<std::string_view, std::vector<size_t>> places;
    for (std::string_view line : wanted_) {
      if (!line.empty()) places[line];
    }
    for (size_t at = 0; at < lines_.size(); ++at) {
      const auto found = places.find(lines_[at]);
      if (found != places.end() && found->second.size() <= most_places_of_a_line) found->second.push_back(at);
    }
    std::unordered_map<size_t, double> votes;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      const auto found = places.find(wanted_[i]);
      if (found == places.end() || found->second.size() > most_places_of_a_line) continue;
      for (size_t at : found->second) votes[start_for(at, i)] += 1.0 / static_cast<double>(found->second.size());
    }
    return votes;
  }

  // By the longest line that is wanted, as it says most.
  void add_votes_of_similar_lines(std::unordered_map<size_t, double>& votes) {
    const auto longest = std::max_element(wanted_.begin(), wanted_.end(),
                                          [](std::string_view a, std::string_view b) { return a.size() < b.size(); });
    const auto index = static_cast<size_t>(longest - wanted_.begin());
    for (size_t at = 0; at < lines_.size() && votes.size() < most_votes && !limit_.used_up(); ++at) {
      const double likeness = similarity(*longest, lines_[at], least_score, limit_);
      if (likeness >= least_score) votes[start_for(at, index)] += likeness / 2;
    }
  }

  size_t start_for(size_t at, size_t index) const { return at - std::min(at, index); }

  // By bytes, and by lines that are the same.
  double score(size_t start, size_t count) {
    size_t common = 0, total = 0, telling = 0, equal = 0;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      total += wanted_[i].size();
      telling += has_letters(wanted_[i]);
      if (i >= count) continue;
      equal += has_letters(wanted_[i]) && wanted_[i] == lines_[start + i];
      total += lines_[start + i].size();
      // What two lines have by chance does not make a section alike.
      const size_t shared = scoring_.used_up() ? 0 : common_bytes(wanted_[i], lines_[start + i], scoring_);
      if (shared * 4 >= wanted_[i].size() + lines_[start + i].size()) common += 2 * shared;
    }
    if (total == 0) return 0;
    const double by_lines = telling == 0 ? 0 : static_cast<double>(equal) / static_cast<double>(telling);
    const double by_bytes = static_cast<double>(common) / static_cast<double>(total);
    return std::min(1.0, std::max(by_lines, by_bytes + 0.3 * by_lines));
  }

  std::vector<std::string_view> lines_, wanted_;
  WorkLimit limit_{most_nearest_work};
  WorkLimit scoring_{most_nearest_work};
};

// Collects shown lines up to their most.
class Listing {
 public:
  void add(char kind, std::string_view line, Visible visible) {
    if (++lines_ <= most_shown_lines) text_ += std::string("  ") + kind + show(line, visible) + "\n";
  }
  std::string finish() && {
    if (lines_ > most_shown_lines) text_ += "  … " + std::to_string(lines_ - most_shown_lines) + " more lines\n";
    return std::move(text_);
  }

 private:
  std::string text_;
  size_t lines_ = 0;
};

}  // namespace

std::vector<Section> nearest_sections(const std::vector<std::string_view>& lines,
                                      const std::vector<std::string_view>& wanted, size_t most) {
  return NearestSearch(lines, wanted).run(most);
}

std::string describe(const Section& section, const std::vector<std::string_view>& lines,
                     const std::vector<std::string_view>& wanted) {
  const auto first = lines.begin() + static_cast<ptrdiff_t>(section.first);
  const std::vector<std::string_view> there(first, first + static_cast<ptrdiff_t>(section.count));
  const std::vector<std::string_view> here(
      wanted.begin(), wanted.begin() + static_cast<ptrdiff_t>(std::min(wanted.size(), most_lines_compared)));
  Listing listing;
  size_t at = 0;
  for (const LineChange& change : diff_lines(here, there)) {
    for (; at < change.before_first; ++at) listing.add(' ', here[at], Visible::text);
    const auto pair = [&](size_t i) {
      if (i >= change.before_count || i >= change.after_count) return Visible::text;
      const bool blanks =
          without_blanks(here[change.before_first + i]) == without_blanks(there[change.after_first + i]);
      return blanks ? Visible::blanks : Visible::text;
    };
    for (size_t i = 0; i < change.before_count; ++i, ++at) listing.add('-', here[at], pair(i));
    for (size_t i = 0; i < change.after_count; ++i) listing.add('+', there[change.after_first + i], pair(i));
  }
  for (; at < here.size(); ++at) listing.add(' ', here[at], Visible::text);
  const std::string last = section.count > 1 ? "-" + std::to_string(section.first + section.count) : "";
  const std::string head = section.count > 1 ? "Lines " : "Line ";
  return head + std::to_string(section.first + 1) + last + ":\n" + std::move(listing).finish();
}

std::string printable(std::string_view line) { return show(line, Visible::text); }

}  // namespace talaria
