#include "keeper/show_frames.h"

#include <charconv>

namespace talaria {
namespace {

Result<uint64_t> number_in(const std::string& text) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  if (text.empty() || std::from_chars(text.data(), end, number).ptr != end) {
    return invalid("\"" + text + "\" is not the number of a file");
  }
  return number;
}

Result<size_t> count_in(const Frame& frame) {
  const int64_t count = integer_or(frame.header, "count");
  if (count >= 0 && count <= static_cast<int64_t>(most_shown_paths)) return static_cast<size_t>(count);
  return invalid("a sandbox shows at most " + std::to_string(most_shown_paths) + " further paths");
}

}  // namespace

std::string pack_wishes(const std::vector<ShowWish>& wishes) {
  std::vector<std::string> strings;
  for (const ShowWish& wish : wishes) {
    strings.push_back(wish.path.target);
    strings.push_back(wish.path.source);
    strings.push_back(std::to_string(wish.device));
    strings.push_back(std::to_string(wish.inode));
  }
  return pack_strings(strings);
}

Result<std::vector<ShowWish>> wishes_in(const Frame& frame) {
  std::vector<ShowWish> wishes(TRY(count_in(frame)));
  std::string_view payload = frame.payload;
  for (ShowWish& wish : wishes) {
    std::vector<std::string> strings = TRY(unpack_strings(payload, 4));
    wish.device = TRY(number_in(strings[2]));
    wish.inode = TRY(number_in(strings[3]));
    wish.path = {std::move(strings[0]), std::move(strings[1])};
  }
  return wishes;
}

std::string pack_outcomes(const std::vector<ShowOutcome>& outcomes) {
  std::vector<std::string> strings;
  for (const ShowOutcome& outcome : outcomes) {
    strings.emplace_back(outcome.state == ShowState::shown ? "shown" : "failed");
    strings.push_back(outcome.reason);
  }
  return pack_strings(strings);
}

Result<ShowAnswer> show_answer_in(const Frame& frame) {
  ShowAnswer answer;
  answer.outcomes.resize(TRY(count_in(frame)));
  answer.changed = boolean_or(frame.header, "changed");
  std::string_view payload = frame.payload;
  for (ShowOutcome& outcome : answer.outcomes) {
    std::vector<std::string> strings = TRY(unpack_strings(payload, 2));
    outcome = {strings[0] == "shown" ? ShowState::shown : ShowState::failed, std::move(strings[1])};
  }
  return answer;
}

}  // namespace talaria
