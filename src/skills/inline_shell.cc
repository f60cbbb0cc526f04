#include "skills/inline_shell.h"

#include <string.h>

#include <algorithm>
#include <map>

#include "base/check.h"
#include "base/text.h"
#include "skills/inline_shell_fence.h"
#include "skills/skill_body_text.h"

namespace talaria {
namespace {

constexpr size_t most_output = 4000;
constexpr size_t most_message = 200;

size_t ticks_at(std::string_view line, size_t at) {
  return std::min(line.find_first_not_of('`', at), line.size()) - at;
}

// The code spans of one line.
class CodeSpans {
 public:
  explicit CodeSpans(std::string_view line) : line_(line) {
    for (size_t at = line.find('`'); at != std::string_view::npos;) {
      const size_t length = ticks_at(line, at);
      last_[length] = at;
      at = line.find('`', at + length);
    }
  }

  // Where to go on behind the back-ticks at `at`: behind the code span they open, or, when nothing closes it, behind
  // themselves.
  size_t behind(size_t at) const {
    const size_t length = ticks_at(line_, at);
    const auto last = last_.find(length);
    if (last == last_.end() || last->second <= at) return at + length;
    size_t next = line_.find('`', at + length);
    while (next != std::string_view::npos) {
      const size_t run = ticks_at(line_, next);
      if (run == length) return next + run;
      next = line_.find('`', next + run);
    }
    return at + length;
  }

 private:
  std::string_view line_;
  std::map<size_t, size_t> last_;  // where the last run of so many back-ticks is, so that no search is in vain
};

// The snippet that begins with the '!' at `at`; of no length when none does.
InlineSnippet snippet_at(std::string_view line, size_t at) {
  const size_t start = at + 2;
  if (start >= line.size() || line[at + 1] != '`') return {};
  const size_t end = line.find('`', start);
  if (end == std::string_view::npos || trim(line.substr(start, end - start)).empty()) return {};
  return {at, end + 1 - at, std::string(line.substr(start, end - start))};
}

void find_in_line(std::string_view line, size_t line_offset, std::vector<InlineSnippet>& found) {
  const CodeSpans spans(line);
  size_t at = 0;
  while ((at = line.find_first_of("\\!`", at)) != std::string_view::npos) {
    if (line[at] == '\\') {
      at += 2;
    } else if (line[at] == '`') {
      at = spans.behind(at);
    } else if (InlineSnippet snippet = snippet_at(line, at); snippet.length > 0) {
      at += snippet.length;
      snippet.offset += line_offset;
      found.push_back(std::move(snippet));
    } else {
      ++at;
    }
  }
}

std::string error_text(const std::string& what) { return "[inline-shell error: " + what + "]"; }

// ": the first line that says something", or nothing.
std::string first_line(std::string_view message) {
  message = trim(message);
  const std::string_view line = trim(message.substr(0, message.find_first_of("\r\n")));
  return line.empty() ? "" : ": " + shortened(shown_line(line), most_message);
}

std::string output_text(std::string_view output) {
  std::string text = shown_text(output);
  text.erase(text.find_last_not_of('\n') + 1);
  return shortened(text, most_output);
}

}  // namespace

std::vector<InlineSnippet> find_snippets(std::string_view body) {
  std::vector<InlineSnippet> found;
  FenceReader fences;
  size_t start = 0;
  while (start < body.size()) {
    const size_t end = std::min(body.find('\n', start), body.size());
    std::string_view line = body.substr(start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!fences.takes(line)) find_in_line(line, start, found);
    start = end + 1;
  }
  return found;
}

std::string snippet_text(const SnippetResult& result) {
  switch (result.end) {
    case SnippetResult::End::exited:
      if (result.number == 0) return output_text(result.output);
      return error_text("exit code " + std::to_string(result.number) + first_line(result.message));
    case SnippetResult::End::signalled: {
      const char* name = ::sigabbrev_np(result.number);
      const std::string shown = name ? " (SIG" + std::string(name) + ")" : "";
      return error_text("killed by signal " + std::to_string(result.number) + shown + first_line(result.message));
    }
    case SnippetResult::End::timed_out: return error_text("timed out after " + std::to_string(result.number) + "s");
    case SnippetResult::End::not_started: return error_text("could not start" + first_line(result.message));
  }
  CHECK(false);
}

std::string with_results(std::string_view body, const std::vector<InlineSnippet>& snippets,
                         const std::vector<SnippetResult>& results) {
  std::string out;
  size_t done = 0;
  for (size_t i = 0; i < snippets.size(); ++i) {
    out += body.substr(done, snippets[i].offset - done);
    out += i < results.size()
               ? snippet_text(results[i])
               : error_text("only the first " + std::to_string(most_snippets) + " snippets of a skill are run");
    done = snippets[i].offset + snippets[i].length;
  }
  out += body.substr(done);
  return out;
}

bool may_run_snippets(Trust trust, const InlineShellRules& rules) {
  if (!rules.enabled) return false;
  switch (trust) {
    case Trust::builtin:
    case Trust::official:
    case Trust::trusted:
    case Trust::local: return true;
    case Trust::community:
    case Trust::agent_created: break;
  }
  return std::find(rules.trust.begin(), rules.trust.end(), name_of(trust)) != rules.trust.end();
}

}  // namespace talaria
