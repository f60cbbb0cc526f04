#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "skills/skill.h"

namespace talaria {

// A command in a skill's body whose output stands for it: !`cmd`.
struct InlineSnippet {
  size_t offset = 0;  // of the whole in the body, from the '!'
  size_t length = 0;
  std::string command;
  bool operator==(const InlineSnippet&) const = default;
};

// More are found, but not run.
inline constexpr size_t most_snippets = 64;

// All of a body, in order. The first back-tick after the opening one ends a snippet, and none goes over a line's end.
//
// What Markdown shows as it stands is no snippet: fenced code (also in lists and quotations; a fence that nothing
// closes runs to the end), code spans of one or more back-ticks that do not begin right after a '!', and what follows a
// backslash. So `!` in a sentence is harmless, and `` !`cmd` `` is how to write about a snippet. Lines that are only
// indented are text: most of them belong to a list.
std::vector<InlineSnippet> find_snippets(std::string_view body);

// How a snippet's command ended.
struct SnippetResult {
  enum class End { exited, signalled, timed_out, not_started };
  End end = End::exited;
  int number = 0;       // the exit code, the signal, or the seconds it was given
  std::string output;   // its stdout
  std::string message;  // its stderr, or why it was not started
};

// What stands in the snippet's place: the output without the line ends at its end and at most 4,000 characters of it,
// or
// "[inline-shell error: …]".
std::string snippet_text(const SnippetResult& result);

// The body with a text for each snippet; those without a result were too many. Texts are not expanded again.
std::string with_results(std::string_view body, const std::vector<InlineSnippet>& snippets,
                         const std::vector<SnippetResult>& results);

// The settings of inline shell.
struct InlineShellRules {
  bool enabled = false;            // skills.inline_shell
  std::vector<std::string> trust;  // skills.inline_shell_trust: whose snippets may run besides
};

// Whether snippets of a skill may run: those a person placed there, and shipped, official and trusted ones; any other
// only where the rules name its trust.
bool may_run_snippets(Trust trust, const InlineShellRules& rules);

}  // namespace talaria
