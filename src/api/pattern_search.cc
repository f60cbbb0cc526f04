#include "api/pattern_search.h"

#include <algorithm>

namespace talaria {
namespace {
constexpr size_t longest_searched_line = 64 << 10;
}  // namespace

std::vector<LineMatcher::Match> LineMatcher::feed(std::string_view bytes) {
  std::vector<Match> matches;
  const std::string text = cleaner_.feed(bytes);
  std::string_view rest = text;
  while (true) {
    const size_t end = rest.find('\n');
    line_.append(rest.substr(0, end));
    if (end == std::string_view::npos) break;
    look_at(line_, matches);
    line_.clear();
    rest.remove_prefix(end + 1);
  }
  look_at(line_, matches);
  // Of a line without end, the second half stays, so that a match across the cut is still found.
  if (line_.size() > longest_searched_line) line_.erase(0, line_.size() - longest_searched_line / 2);
  return matches;
}

void LineMatcher::look_at(std::string_view line, std::vector<Match>& matches) {
  if (line.empty()) return;
  std::erase_if(patterns_, [&](const Pattern& pattern) {
    if (!pattern.found_in(line)) return false;
    matches.push_back({pattern.expression(), std::string(line)});
    return true;
  });
}

PatternSearch::PatternSearch(Outputs& outputs, std::string job, uint64_t offset, std::vector<Pattern> patterns,
                             Events events)
    : outputs_(outputs),
      job_(std::move(job)),
      offset_(offset),
      matcher_(std::move(patterns)),
      events_(std::move(events)) {
  read_on();
}

void PatternSearch::read_on() {
  reading_ = outputs_.read(job_, offset_, output_read_size, {output_read_wait, Wait::Until::gone},
                           [this](Result<OutputPart> part) { take(std::move(part)); });
}

void PatternSearch::take(Result<OutputPart> part) {
  const std::shared_ptr<bool> alive = alive_;
  const auto end = [&] {
    const std::function<void()> on_end = events_.on_end;  // we may be destroyed inside
    on_end();
  };
  if (!part) return end();
  offset_ = part->offset + part->data.size();
  for (const LineMatcher::Match& match : matcher_.feed(part->data)) {
    events_.on_match(match);
    if (!*alive) return;
  }
  const bool exhausted = part->data.empty() && part->complete;
  if (matcher_.done() || exhausted) return end();
  read_on();
}

}  // namespace talaria
