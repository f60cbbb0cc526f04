#include "talaria/wording.h"

#include <utility>

#include "base/text.h"

namespace talaria {
namespace {

constexpr std::pair<std::string_view, std::string_view> phrases[] = {
    {"; process list shows the jobs there are", " (talaria ps lists the jobs)"},
    {"; pass offset/limit to page]", "; --offset and --limit page, --raw gives all that is kept]"},
    {"(More output follows: poll again.)", "More output follows: poll again."},
    {"start it with pty=true", "start it with talaria exec -b --pty"},
    {" Use process (list/poll/log/write/kill/clear/remove) for follow-up.", ""},
    {"process kill ends", "talaria kill ends"},
    {"; use remove to end and forget it", "; talaria rm ends and forgets it"},
    {"process log shows", "talaria log shows"},
};
// From here to the end of the sentence: how to call the tool another time.
constexpr std::string_view advice_begin = " If it needs longer, call again";
constexpr std::string_view advice_end = "process poll.";

}  // namespace

std::string for_people(std::string_view text) {
  std::string said(text);
  for (const auto& [theirs, ours] : phrases) {
    for (size_t at = said.find(theirs); at != std::string::npos; at = said.find(theirs, at + ours.size())) {
      said.replace(at, theirs.size(), ours);
    }
  }
  if (const size_t begin = said.find(advice_begin); begin != std::string::npos) {
    const size_t end = said.find(advice_end, begin);
    said.erase(begin, end == std::string::npos ? end : end + advice_end.size() - begin);
  }
  return said;
}

ToldOutput split_log(const std::string& text, int64_t lines, const std::string& note) {
  if (!note.empty() && text.ends_with("\n" + note)) {
    ToldOutput told = split_log(text.substr(0, text.size() - note.size() - 1), lines);
    told.remark += (told.remark.empty() ? "" : "\n") + for_people(note);
    return told;
  }
  if (lines == 0) return {"", for_people(text)};
  const size_t hint = text.rfind("\n[showing ");
  if (hint == std::string::npos || !text.ends_with(']')) return {text, ""};
  return {text.substr(0, hint), for_people(text.substr(hint + 1))};
}

ToldOutput split_poll(const std::string& text, const std::string& output) {
  std::string rest = text;
  const std::string_view shown = std::string_view(output).substr(0, output.size() - (output.ends_with('\n') ? 1 : 0));
  if (!output.empty() && rest.starts_with(shown)) rest.erase(0, shown.size());
  std::string remark;
  for (const std::string& line : split(rest, '\n')) {
    if (!trim(line).empty()) remark += (remark.empty() ? "" : "\n") + line;
  }
  return {output, for_people(remark)};
}

}  // namespace talaria
