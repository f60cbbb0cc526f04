#include "skills/skill_template.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "os/file.h"
#include "skills/skill_card.h"
#include "skills/skill_card_text.h"
#include "skills/slug.h"
#include "yaml/yaml_text.h"

namespace talaria {

namespace {

constexpr std::string_view optional_fields = R"(version: 0.1.0
# The rest is optional: take away the # of what you need.
# author: Your Name
# license: MIT
# platforms: [macos, linux]       # or windows; without it everywhere
# compatibility: Needs python3    # for people; nothing checks it
# required_environment_variables: # asked for once, kept in .env, never shown to the agent
#   - name: MY_API_KEY
#     prompt: API key
#     help: https://example.com/where-to-get-one
#     required_for: everything
# required_credential_files:      # below the home, such as a token that a script made
#   - path: my_token.json
#     description: OAuth token
metadata:
  hermes:
    tags: []
    # related_skills: [other-skill]
    # requires_toolsets: [web]        # shown only where these are available
    # requires_tools: [web_search]
    # fallback_for_tools: [web_search] # hidden where these are available
    # config:                         # settings that are no secret, below skills.config
    #   - key: my.path
    #     description: Where the data is
    #     default: ~/data
)";

constexpr std::string_view author_rules = R"(
<!-- For the author; take this out when the skill is done.

Skill or tool? A skill is instructions, shell commands and the tools that are there. What has to run in exactly the same
way each time, keeps a login of its own, or handles binary data and streams wants to be a tool.

- The description decides whether an agent opens this file: say what the skill does and when to use it.
- Put what is needed every time first, the rest further down or into references/, which is read only when asked for.
- Do without dependencies: Python's standard library, curl and the tools at hand. Where one is needed, say how to get it.
- What parses or computes belongs into scripts/, not into prose for the agent to write anew.
- Written as ${…}, HERMES_SKILL_DIR stands for this folder's path and HERMES_SESSION_ID for the session's id.
- `talaria skills check` says what is wrong with it.
-->
)";

constexpr std::string_view template_sections = R"(
Say in two sentences what this is about.

## When to Use

- The words or the situation that call for it
- And what it is not for

## Quick Reference

| to | run |
|---|---|
| count what is in a file | `python3 ${HERMES_SKILL_DIR}/scripts/count.py FILE` |

## Procedure

1. Run the script on the file in question:
   ```sh
   python3 ${HERMES_SKILL_DIR}/scripts/count.py FILE
   ```
2. It prints one JSON object with `lines`, `words` and `bytes`. Go on with those numbers.

## Pitfalls

- The file is missing: the script says so and exits with 1. Ask for the right path; do not guess.

## Verification

The script exited with 0 and `lines` is what the task needs.
)";

constexpr std::string_view template_script = R"(#!/usr/bin/env python3
"""Counts the lines, words and bytes of a file and prints them as JSON."""
import json
import sys


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: count.py FILE", file=sys.stderr)
        return 2
    try:
        with open(sys.argv[1], "rb") as file:
            data = file.read()
    except OSError as error:
        print(f"count.py: {error}", file=sys.stderr)
        return 1
    print(json.dumps({"lines": data.count(b"\n"), "words": len(data.split()), "bytes": len(data)}))
    return 0


sys.exit(main())
)";

std::string title_of(std::string name) {
  for (char& c : name) {
    if (c == '-') c = ' ';
  }
  if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

// A folder that goes unless it was given its final name.
class StagedFolder {
 public:
  static Result<StagedFolder> make(const std::string& parent) {
    StagedFolder staged;
    staged.path_ = parent + "/.new-skill-XXXXXX";
    if (::mkdtemp(staged.path_.data()) == nullptr) return Error::from_errno("make a folder in " + parent);
    staged.made_ = true;
    return staged;
  }
  StagedFolder(StagedFolder&& other) noexcept
      : path_(std::move(other.path_)), made_(std::exchange(other.made_, false)) {}
  StagedFolder& operator=(StagedFolder&&) = delete;
  ~StagedFolder() {
    if (made_) (void)remove_tree(path_);
  }

  const std::string& path() const { return path_; }

  Result<> rename_to(const std::string& path) {
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0) {
      if (errno == EEXIST) return Error(ErrorCode::conflict, path + " is there already; choose another name");
      return Error::from_errno("make " + path);
    }
    made_ = false;
    return ok;
  }

 private:
  StagedFolder() = default;
  std::string path_;
  bool made_ = false;
};

Result<> check_template_name(const std::string& name) {
  if (is_skill_name(name)) return ok;
  const std::string slug = slug_of(name);
  return invalid("\"" + one_line(name) +
                 "\" cannot be a skill's name: it takes 1 to 64 lower-case letters, digits and single hyphens" +
                 (slug.empty() ? "" : "; try " + slug));
}

}  // namespace

std::vector<TemplateFile> skill_template(const std::string& name, std::string_view description) {
  std::string said = one_line(description);
  if (said.empty()) said = template_description;
  std::string text = "---\nname: " + yaml_scalar(name) + "\ndescription: " + yaml_scalar(said) + "\n";
  text.append(optional_fields).append("---\n\n# ").append(title_of(name)).append("\n");
  text.append(author_rules).append(template_sections);
  return {{"SKILL.md", std::move(text), 0644}, {"scripts/count.py", std::string(template_script), 0755}};
}

Result<std::string> make_skill(const std::string& parent, const std::string& name, std::string_view description) {
  TRY(check_template_name(name));
  if (!is_utf8(description) || count_characters(one_line(description)) > longest_skill_description) {
    return invalid("the description must be UTF-8 text of at most 1024 characters");
  }
  const std::string path = parent + "/" + name;
  if (exists(path)) return Error(ErrorCode::conflict, path + " is there already; choose another name");
  TRY(make_directories(parent, 0755));
  StagedFolder staged = TRY(StagedFolder::make(parent));
  if (::chmod(staged.path().c_str(), 0755) != 0) return Error::from_errno("make " + path);
  for (const TemplateFile& file : skill_template(name, description)) {
    const std::string target = staged.path() + "/" + file.path;
    TRY(make_directories(target.substr(0, target.rfind('/')), 0755));
    TRY(write_file_atomically(target, file.content, file.mode, Durable::no));
  }
  TRY(staged.rename_to(path));
  return path;
}

}  // namespace talaria
