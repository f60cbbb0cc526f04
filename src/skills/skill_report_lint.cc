#include "skills/skill_report_lint.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/utf8.h"
#include "process/environment.h"
#include "skills/skill_report_body.h"
#include "skills/skill_report_keys.h"
#include "skills/skill_template.h"
#include "skills/unseen_report.h"

namespace talaria {

namespace {

constexpr size_t longest_compatibility = 500;

class Lint {
 public:
  Lint(const FrontMatter& matter, const SkillCard& card, std::vector<SkillDiagnostic>& diagnostics)
      : matter_(matter), lines_(matter), card_(card), diagnostics_(diagnostics) {}

  void check_texts() {
    if (card_.description == template_description) {
      say(Severity::warning, "description",
          "is still that of the template; say what the skill does and when to use it");
    }
    if (count_characters(card_.compatibility) > longest_compatibility) {
      say(Severity::warning, "compatibility", "is longer than 500 characters");
    }
    const auto tools = matter_.fields.find("allowed-tools");
    if (tools == matter_.fields.end()) return;
    const bool text = tools->value().is_string();
    if (!text || std::string_view(tools->value().get_string()).find(',') != std::string_view::npos) {
      say(Severity::note, "allowed-tools", "the open format has one text with blanks between the tools");
    }
  }

  void check_variables() {
    std::string_view field = "metadata";
    for (std::string_view key : {"prerequisites", "setup", "required_environment_variables"}) {
      if (matter_.fields.contains(key)) field = key;
    }
    for (const EnvironmentNeed& need : card_.environment) {
      const Result<> passes = check_declared_name(need.name);
      if (!passes) say(Severity::warning, field, passes.error().message());
    }
  }

  void check_credentials() {
    constexpr std::string_view field = "required_credential_files";
    for (const CredentialNeed& need : card_.credentials) {
      const std::vector<std::string> parts = split(need.path, '/');
      const bool up = std::find(parts.begin(), parts.end(), "..") != parts.end();
      if (need.path.starts_with('/') || need.path.starts_with('~') || up) {
        say(Severity::warning, field, "\"" + need.path + "\" is refused: it must be a path below the home");
      } else if (is_master_store(need.path)) {
        say(Severity::warning, field, "\"" + need.path + "\" is refused: it belongs to the program, not to a skill");
      }
    }
  }

  void check_conditions(const KnownTools& known) {
    const SkillConditions& conditions = card_.conditions;
    check_names("requires_tools", "tool", conditions.requires_tools, known.tools);
    check_names("fallback_for_tools", "tool", conditions.fallback_for_tools, known.tools);
    check_names("requires_toolsets", "toolset", conditions.requires_toolsets, known.toolsets);
    check_names("fallback_for_toolsets", "toolset", conditions.fallback_for_toolsets, known.toolsets);
  }

 private:
  void say(Severity severity, std::string_view key, const std::string& message) {
    diagnostics_.push_back({severity, lines_.of(key), std::string(key) + ": " + message});
  }

  static bool is_master_store(const std::string& path) {
    static constexpr std::array<std::string_view, 5> stores = {".env", "config.yaml", "exec-approvals.json",
                                                               "talaria.db", "tokens"};
    const std::string_view name = std::string_view(path).substr(path.starts_with("./") ? 2 : 0);
    return std::any_of(stores.begin(), stores.end(), [&](std::string_view store) {
      return name == store || name.starts_with(std::string(store) + "/") ||
             (store == "talaria.db" && name.starts_with(store));
    });
  }

  void check_names(std::string_view field, const std::string& what, const std::vector<std::string>& names,
                   const std::vector<std::string>& known) {
    if (known.empty()) return;
    for (const std::string& name : names) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::vector<std::string> near = nearest(name, known, 1);
      say(Severity::note, field,
          "there is no " + what + " \"" + name + "\" here" + (near.empty() ? "" : "; is " + near.front() + " meant?"));
    }
  }

  const FrontMatter& matter_;
  KeyLines lines_;
  const SkillCard& card_;
  std::vector<SkillDiagnostic>& diagnostics_;
};

}  // namespace

void lint_skill(const FrontMatter& matter, const SkillCard& card, const std::string& folder, const KnownTools& known,
                std::vector<SkillDiagnostic>& diagnostics) {
  check_skill_keys(matter, diagnostics);
  Lint lint(matter, card, diagnostics);
  lint.check_texts();
  lint.check_variables();
  lint.check_credentials();
  lint.check_conditions(known);
  check_skill_body(matter.body, matter.body_line, folder, diagnostics);
  report_unseen(matter.body, matter.body_line, diagnostics);
}

}  // namespace talaria
