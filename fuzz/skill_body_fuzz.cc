// A skill's body and paths from anywhere: snippets lie in order on one line each, only they change, and no path that is
// taken has a way up in it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/text.h"
#include "skills/config_block.h"
#include "skills/inline_shell.h"
#include "skills/skill_edit_rules.h"
#include "skills/skill_file_open.h"
#include "skills/tokens.h"

using namespace talaria;

namespace {

void check_body(const std::string& text) {
  const std::string body = with_tokens(text, {"/skills/${HERMES_SESSION_ID}", "${HERMES_SKILL_DIR}"});
  const std::vector<InlineSnippet> snippets = find_snippets(body);
  std::string expected;
  size_t done = 0;
  for (const InlineSnippet& snippet : snippets) {
    CHECK(snippet.offset >= done);
    CHECK(body.substr(snippet.offset, snippet.length) == "!`" + snippet.command + "`");
    CHECK(snippet.command.find_first_of("`\n") == std::string::npos);
    expected += body.substr(done, snippet.offset - done) + "!`x`";
    done = snippet.offset + snippet.length;
  }
  expected += body.substr(done);
  const SnippetResult result{SnippetResult::End::exited, 0, "!`x`\n", ""};
  CHECK(with_results(body, snippets, std::vector<SnippetResult>(snippets.size(), result)) == expected);
}

void check_paths(const std::string& text) {
  const auto goes_up = [](const std::string& path) {
    for (const std::string& part : split(path, '/')) {
      if (part == ".." || part.empty()) return true;
    }
    return path.find('\0') != std::string::npos;
  };
  const Result<std::string> inner = check_inner_path(text);
  CHECK(!inner || !goes_up(*inner));
  const Result<std::string> support = check_support_path(text);
  CHECK(!support || (!goes_up(*support) && support->find('/') != std::string::npos));
  if (check_new_skill_name(text)) CHECK(text.find('/') == std::string::npos && text.front() != '.');
  if (check_category(text)) CHECK(!goes_up(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_body(text);
  check_paths(text);
  const SettingValues values{"/home/u/.talaria/config.yaml",
                             "/home/u",
                             [&](const std::string&) { return text; },
                             [](const std::string&) { return "${SECRET}"; },
                             [](const std::string& name) { return name == "SECRET"; },
                             [](const std::string& value) { return value.starts_with("sk-"); }};
  const std::string block = config_block({{"k", "d", "d", std::nullopt}}, values);
  CHECK(split(block, '\n').size() == 3);
  CHECK(block.find("sk-") == std::string::npos || !text.starts_with("sk-"));
  return 0;
}
