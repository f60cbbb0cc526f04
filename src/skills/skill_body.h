#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "skills/front_matter.h"
#include "skills/inline_shell.h"
#include "skills/tokens.h"

namespace talaria {

inline constexpr size_t most_skill_bytes = 4 << 20;

// Reads a SKILL.md: a regular file of at most most_skill_bytes, or a link to one. Never waits for anything.
Result<FrontMatter> read_skill(const std::string& file);

// Whether an open file is called as `path` says, whatever link led to it: a SKILL.md may be a link to another SKILL.md,
// but to nothing else that somebody could read through it.
bool has_own_name(int fd, const std::string& path);

// What decides how a body is prepared.
struct BodyRules {
  bool template_vars = true;  // skills.template_vars: tokens are replaced
  TokenValues tokens;
  InlineShellRules inline_shell;
  Trust trust = Trust::community;  // of the skill
};

// A body with its tokens replaced, and the snippets that are to be run for it.
struct PreparedBody {
  std::string text;
  std::vector<InlineSnippet> snippets;  // run the first most_snippets of them; none: the text is ready
  std::string note;                     // why there are some that may not run; else empty

  // The body for an agent; `results` are those of the snippets, in their order.
  std::string finished(const std::vector<SnippetResult>& results) const {
    return with_results(text, snippets, results);
  }
};

PreparedBody prepare_body(std::string_view body, const BodyRules& rules);

}  // namespace talaria
