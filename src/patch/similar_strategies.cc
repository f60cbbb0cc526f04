#include "patch/similar_strategies.h"

#include <algorithm>

#include "patch/document.h"
#include "patch/normal_form.h"
#include "patch/similarity.h"

namespace talaria {
namespace {

constexpr double least_middle = 0.5;          // of a block's middle, when there is only one such block
constexpr double least_middle_of_many = 0.7;  // when there are several
constexpr double least_line = 0.8;
constexpr double rival_line = 0.7;  // a place that almost would have done still makes another one doubtful
constexpr double too_close = 0.1;
constexpr size_t most_similar_work = 30'000'000;

struct Candidate {
  size_t line = 0;
  double score = 0;
  bool good = false;
};

// The best one if it is good, together with those that come close to it.
std::vector<size_t> choose(const std::vector<Candidate>& candidates) {
  std::vector<size_t> chosen;
  const auto best = std::max_element(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::pair(a.good, a.score) < std::pair(b.good, b.score);
  });
  if (best == candidates.end() || !best->good) return chosen;
  for (const Candidate& candidate : candidates) {
    if (&candidate == &*best || candidate.score > best->score - too_close) chosen.push_back(candidate.line);
  }
  return chosen;
}

class SimilarSearch {
 public:
  explicit SimilarSearch(PassageSearch& search) : search_(search), pair_(search.old_text(), search.new_text()) {
    for (std::string_view line : pieces_of(pair_.old_text)) wanted_.push_back(trim_blanks(line));
    for (std::string_view line : search.lines()) lines_.push_back(trim_blanks(line));
  }

  std::optional<Found> find_block_anchor() {
    if (wanted_.size() < 3 || wanted_.front().empty() || wanted_.back().empty()) return std::nullopt;
    std::vector<Candidate> candidates;
    for (size_t at = 0; at + wanted_.size() <= lines_.size(); ++at) {
      if (lines_[at] != wanted_.front() || lines_[at + wanted_.size() - 1] != wanted_.back()) continue;
      candidates.push_back({at, middle_score(at), false});
      if (limit_.used_up()) return std::nullopt;
    }
    const double least = candidates.size() > 1 ? least_middle_of_many : least_middle;
    for (Candidate& candidate : candidates) candidate.good = candidate.score >= least;
    return found("block_anchor", choose(candidates));
  }

  std::optional<Found> find_context_aware() {
    const auto filled =
        std::count_if(wanted_.begin(), wanted_.end(), [](std::string_view line) { return !line.empty(); });
    // One line that is only similar is as likely another line.
    if (filled < 2) return std::nullopt;
    std::vector<Candidate> candidates;
    for (size_t at = 0; at + wanted_.size() <= lines_.size(); ++at) {
      if (std::optional<Candidate> candidate = lines_score(at)) candidates.push_back(*candidate);
      if (limit_.used_up()) return std::nullopt;
    }
    return found("context_aware", choose(candidates));
  }

 private:
  double middle_score(size_t at) {
    size_t common = 0, total = 0;
    for (size_t i = 1; i + 1 < wanted_.size() && !limit_.used_up(); ++i) {
      common += 2 * common_bytes(wanted_[i], lines_[at + i], limit_);
      total += wanted_[i].size() + lines_[at + i].size();
    }
    return total == 0 ? 1 : static_cast<double>(common) / static_cast<double>(total);
  }

  std::optional<Candidate> lines_score(size_t at) {
    double sum = 0, worst = 1;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      limit_.spend(1);
      const double score = similarity(wanted_[i], lines_[at + i], rival_line, limit_);
      if (score < rival_line) return std::nullopt;
      worst = std::min(worst, score);
      sum += score;
    }
    return Candidate{at, sum / static_cast<double>(wanted_.size()), worst >= least_line};
  }

  std::optional<Found> found(std::string_view strategy, const std::vector<size_t>& starts) {
    if (starts.empty()) return std::nullopt;
    Found result{strategy, {}, std::string(pair_.old_text), std::string(pair_.new_text), Rendering::fitted};
    for (size_t start : starts) {
      Passage place = search_.whole_lines(start, wanted_.size());
      if (pair_.removes_line_end && place.end < search_.text().size()) ++place.end;
      result.places.push_back(place);
    }
    return result;
  }

  PassageSearch& search_;
  LinePair pair_;
  std::vector<std::string_view> wanted_, lines_;
  WorkLimit limit_{most_similar_work};
};

}  // namespace

std::optional<Found> find_similar(PassageSearch& search) {
  SimilarSearch similar(search);
  std::optional<Found> found = similar.find_block_anchor();
  return found ? found : similar.find_context_aware();
}

}  // namespace talaria
