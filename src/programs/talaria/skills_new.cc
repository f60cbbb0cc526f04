// talaria skills new: a folder to start from.
#include <algorithm>

#include "base/text.h"
#include "os/file.h"
#include "skills/skill_body_text.h"
#include "skills/skill_card.h"
#include "skills/skill_findable.h"
#include "skills/skill_template.h"
#include "talaria/found_skill.h"
#include "talaria/job_guard.h"
#include "talaria/print.h"
#include "talaria/skills.h"

namespace talaria {
namespace {

bool is_category(const std::string& text) {
  const std::vector<std::string> parts = split(text, '/');
  return std::ranges::all_of(parts, [](const std::string& part) { return !part.empty() && slug_of(part) == part; });
}

// Where it is to be made: `path` below a folder that skills are looked for in, or that will be one.
struct NewPlace {
  std::string root;
  std::string path;
  bool in_home = false;
};

Result<NewPlace> place_of(const SkillsOptions& options) {
  if (options.category && !is_category(*options.category)) {
    return invalid("--category must be lower-case names joined by slashes, such as devops or research/physics");
  }
  const std::string inner = (options.category ? *options.category + "/" : "") + options.words.front();
  const Result<std::string> home = skills_folder();
  if (!options.directory) return NewPlace{TRY(home), inner, true};
  // A folder of the home's skills is a category of them.
  const std::string real = real_or_given_path(*options.directory);
  const std::string root = home ? real_or_given_path(*home) : "";
  if (home && real == root) return NewPlace{*options.directory, inner, true};
  if (!home || !real.starts_with(root + "/")) return NewPlace{*options.directory, inner, false};
  return NewPlace{*home, real.substr(root.size() + 1) + "/" + inner, true};
}

// The skill that has the name already. None when the gateway cannot tell: the new one is made either way.
std::optional<FoundSkill> namesake_of(const SkillsOptions& options) {
  const auto found = find_skills({options.words.front()}, options);
  return found ? found->front() : std::nullopt;
}

// Which of the two is used from now on.
void tell_precedence(const FoundSkill& before, const std::string& made, const SkillsOptions& options) {
  const std::optional<FoundSkill> now = namesake_of(options);
  if (!now) return;
  const bool is_first = real_or_given_path(now->directory) == real_or_given_path(made);
  const std::string where = shown_line(before.directory);
  remark(is_first
             ? "It now stands in front of the skill of this name in " + where + "; deleting it brings that one back."
             : "It is not used here: the skill of this name in " + where + " goes before it.");
}

}  // namespace

int make_new_skill(const SkillsOptions& options) {
  if (!options.directory && inside_job()) return refuse_in_job();
  const Result<NewPlace> place = place_of(options);
  if (!place) return fail(place.error());
  if (const Result<> findable = check_findable(place->root, place->path); !findable) return fail(findable.error());
  const std::optional<FoundSkill> namesake = place->in_home ? namesake_of(options) : std::nullopt;
  const std::string& name = options.words.front();
  const std::string whole = place->root + "/" + place->path;
  const Result<std::string> made =
      make_skill(whole.substr(0, whole.size() - name.size() - 1), name, options.description.value_or(""));
  if (!made) return fail(made.error());
  if (options.json) print_json(JsonObject{{"path", *made}});
  else print_line(for_terminal(*made));
  if (namesake) tell_precedence(*namesake, *made, options);
  if (!options.json) remark("Write its SKILL.md, then: talaria skills check " + shell_quote(*made));
  return 0;
}

}  // namespace talaria
