#include "files/match_page.h"

#include <algorithm>

namespace talaria {
namespace {

std::string_view without_line_end(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

uint64_t last_line(const FoundMatch& match) {
  return match.line + static_cast<uint64_t>(std::ranges::count(match.text, '\n'));
}

}  // namespace

MatchPage::MatchPage(SearchOrder order, uint64_t offset, uint64_t limit, uint64_t context)
    : order_(order), offset_(offset), limit_(limit), context_(context) {}

void MatchPage::begin_file(std::string path) {
  path_ = std::move(path);
  file_count_ = 0;
  matches_.clear();
  recent_.clear();
  if (order_ == SearchOrder::by_path) wanted_ = total_ < offset_ + limit_;
  else wanted_ = kept_ < offset_ + limit_ || PathOrder()(path_, files_.rbegin()->first);
}

// Whether the next match is one to keep: of the page, or of what may still become it.
bool MatchPage::keeps_next() const {
  if (!wanted_) return false;
  if (order_ == SearchOrder::any) return file_count_ < offset_ + limit_;
  const uint64_t index = total_ + file_count_;
  return index >= offset_ && index < offset_ + limit_;
}

bool MatchPage::wants_lines() const {
  if (!wanted_) return false;
  if (keeps_next()) return true;
  if (context_ == 0) return false;
  // Lines that come before the page's first match, or after its last.
  if (order_ == SearchOrder::by_path && total_ + file_count_ < offset_)
    return total_ + file_count_ + context_ >= offset_;
  return !matches_.empty() && matches_.back().after.size() < context_;
}

void MatchPage::near(uint64_t line, std::string_view text) {
  if (context_ == 0) return;
  text = without_line_end(text);
  while (true) {
    const size_t end = text.find('\n');
    const std::string one(without_line_end(text.substr(0, end)));
    for (auto match = matches_.rbegin(); match != matches_.rend(); ++match) {
      const uint64_t last = last_line(*match);
      if (line > last + context_) break;
      if (line > last && match->after.size() < context_) match->after.push_back(one);
    }
    recent_.push_back({line, one});
    if (recent_.size() > context_) recent_.pop_front();
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
    ++line;
  }
}

void MatchPage::match(uint64_t line, uint64_t column, std::string_view text) {
  const bool keep = keeps_next();
  ++file_count_;
  if (!keep) return near(line, text);
  FoundMatch found{path_, line, column, std::string(without_line_end(text))};
  for (const NumberedLine& recent : recent_) {
    if (recent.number < line && recent.number + context_ >= line) found.before.push_back(recent.text);
  }
  near(line, text);  // before it is kept itself: it is not near itself
  matches_.push_back(std::move(found));
}

void MatchPage::context(uint64_t line, std::string_view text) { near(line, text); }

void MatchPage::end_file() {
  total_ += file_count_;
  if (!wanted_ || file_count_ == 0) return;
  if (order_ == SearchOrder::by_path && matches_.empty()) return;
  kept_ += file_count_;
  File& file = files_[path_];
  file.count += file_count_;
  std::ranges::move(matches_, std::back_inserter(file.matches));
  matches_.clear();
  if (order_ == SearchOrder::by_path) return;
  // The last file goes as soon as those before it fill the page: none of its matches can be of it any more.
  while (files_.size() > 1 && kept_ - files_.rbegin()->second.count >= offset_ + limit_) {
    kept_ -= files_.rbegin()->second.count;
    files_.erase(std::prev(files_.end()));
  }
}

std::vector<FoundMatch> MatchPage::page() const {
  std::vector<FoundMatch> page;
  uint64_t skip = order_ == SearchOrder::by_path ? 0 : offset_;
  for (const auto& [path, file] : files_) {
    if (file.count <= skip && order_ == SearchOrder::any) {
      skip -= file.count;
      continue;
    }
    for (size_t i = skip; i < file.matches.size() && page.size() < limit_; ++i) page.push_back(file.matches[i]);
    skip = 0;
  }
  return page;
}

}  // namespace talaria
