#include "api/skill_load.h"

#include "api/file_call.h"
#include "api/skill_places.h"
#include "base/text.h"
#include "os/daemon.h"
#include "os/file.h"
#include "sandbox/view.h"
#include "skills/catalog.h"
#include "skills/skill_body_text.h"
#include "skills/skill_file.h"

namespace talaria {
namespace {

std::string last_part(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// Nobody is asked for what is never passed.
void drop_unpassed(LoadedSkill& loaded) {
  std::erase_if(loaded.skill.card.environment, [&](const EnvironmentNeed& need) {
    const Result<> passes = check_declared_name(need.name);
    if (!passes) loaded.problems.push_back({Severity::warning, 0, passes.error().message()});
    return !passes;
  });
}

Requirements requirements_of(const SkillSurroundings& around, const SkillCard& card, const KnownVariables& variables) {
  Requirements needs;
  needs.environment = environment_state(card, [&](const std::string& name) { return variables.has(name); });
  needs.credentials = credential_state(card.credentials, around.home.root);
  needs.credential_folder = around.home.root;
  needs.missing_commands = missing_commands(card, around.variable("PATH").value_or(""));
  return needs;
}

// The places that the person set for it.
std::vector<std::string> configured_paths(const SkillSurroundings& around, const SkillCard& card) {
  SessionSkill settings;
  for (const SkillSetting& setting : card.settings) settings.settings.push_back(setting.key);
  std::vector<std::string> paths;
  for (const ShownPath& shown : shown_by_skills({settings}, *around.settings, *around.login, around.home.root)) {
    paths.push_back(shown.target);
  }
  return paths;
}

// Why a folder is not loaded as a skill though it has a SKILL.md; empty: it is.
std::string why_no_skill(const SkillSurroundings& around, const Skill& skill) {
  const std::string home = real_or_given_path(around.home.root), folder = real_or_given_path(skill.directory);
  if (is_within(home, folder)) return "its folder holds Talaria's own home";
  const std::string skills = home + "/skills";
  const bool ours = is_within(folder, home) && (!is_within(folder, skills) || is_within(folder, skills + "/.talaria"));
  if (ours && !is_within(folder, real_or_given_path(library_directory()))) return "its folder is Talaria's own";
  const bool in_workspace = skill.source == SkillSource::project || around.is_in_workspace(skill.directory);
  const std::string project = git_root_of(around.directory, around.person_home());
  const bool stays =
      is_within(folder, real_or_given_path(around.workspace)) || (!project.empty() && is_within(folder, project));
  if (in_workspace && !stays) return "its folder is a link that leads out of the project";
  return "";
}

BodyRules body_rules(const SkillSurroundings& around, const Skill& skill) {
  const SkillsSettings& settings = around.settings->skills;
  BodyRules rules;
  rules.template_vars = settings.template_vars;
  rules.tokens = {skill.directory, around.session};
  rules.inline_shell = {settings.inline_shell, settings.inline_shell_trust};
  rules.trust = skill.trust;
  return rules;
}

void add_note(LoadedSkill& loaded, Severity severity, std::string message) {
  loaded.problems.push_back({severity, 0, std::move(message)});
}

void add_notes(LoadedSkill& loaded, const KnownVariables& variables, const std::string& body_note) {
  const SkillCard& card = loaded.skill.card;
  if (!body_note.empty()) add_note(loaded, Severity::note, body_note);
  if (!variables.trouble().empty() && !card.environment.empty()) {
    add_note(loaded, Severity::warning, "variables in .env do not count: " + variables.trouble());
  }
  const bool declares = !card.environment.empty() || !card.credentials.empty() || !card.settings.empty();
  if (declares && !may_declare_needs(loaded.skill.trust)) {
    add_note(loaded, Severity::warning,
             "an agent may have written this skill, so its variables, credential files and configured paths are not "
             "given to commands until a person has read it and runs: " +
                 trust_command(loaded.skill));
  }
}

// A skill and its text that belong together: whoever changes one of them changes what it is trusted with, too.
struct ReadSkill {
  SkillLookUp found;
  Result<FrontMatter> matter = Error(ErrorCode::conflict, "it is being changed; try again");
};

ReadSkill read_together(Catalog& catalog, const std::vector<SkillRoot>& roots, const std::string& name) {
  ReadSkill read;
  read.found = catalog.look_up(roots, name);
  for (int tries = 0; tries < 5 && read.found.skill; ++tries) {
    Result<FrontMatter> matter = read_skill(read.found.skill->file);
    SkillLookUp after = catalog.look_up(roots, name);
    const bool same = after.skill && after.skill->file == read.found.skill->file &&
                      after.skill->stamp == read.found.skill->stamp && after.skill->trust == read.found.skill->trust;
    read.found = std::move(after);
    if (!same) continue;
    read.matter = std::move(matter);
    break;
  }
  return read;
}

// On a worker.
SkillLoad::Reading read_for(Catalog& catalog, TrustedTexts& texts, SkillSurroundings around, const SkillWish& wish) {
  SkillLoad::Reading reading;
  JsonObject& other = reading.answer.other;
  if (const std::string why = refused_wish(wish); !why.empty()) return other = skill_failure(why), reading;
  const SkillRoots roots = skill_roots(around);
  reading.roots = roots.roots;
  ReadSkill read = read_together(catalog, roots.roots, wish.name);
  const SkillLookUp& found = read.found;
  reading.refresh_due = found.refresh_due;
  count_disabled_folders(around.available, *found.view);
  if (!found.skill) return other = skill_not_found(around, *found.view, roots, wish.name), reading;
  if (const std::string why = refused_skill(around, *found.skill, wish.audience); !why.empty()) {
    return other = skill_failure(why), reading;
  }
  if (const std::string why = why_no_skill(around, *found.skill); !why.empty()) {
    other = skill_failure("Skill '" + found.skill->card.name + "' is not loaded: " + why + ".");
    return reading;
  }
  if (!wish.file_path.empty()) {
    other = skill_file_json(found.skill->card.name, found.skill->directory, wish.file_path);
    return reading;
  }
  Result<FrontMatter>& matter = read.matter;
  if (!matter) {
    other = skill_failure("Skill '" + found.skill->card.name + "' cannot be read: " + matter.error().message());
    return reading;
  }

  LoadedSkill& loaded = reading.answer.loaded.emplace();
  loaded.skill = *found.skill;
  loaded.skill.card = read_card(*matter, last_part(found.skill->directory));
  give_slug(loaded.skill.card, found.skill->card.slug);
  loaded.skill.directory = real_or_given_path(found.skill->directory);
  loaded.skill.trust = skill_trust(around, texts).of(*found.skill, *matter);
  loaded.fields = std::move(matter->fields);
  loaded.hidden_because = hidden_because(loaded.skill.card, around.available);
  if (loaded.hidden_because.empty() && wish.audience == SkillAudience::agent) {
    loaded.hidden_because = hidden_from_agents_because(loaded.skill.card);
  }
  for (const Skill* other_one : found.view->shadowed_by(*found.skill)) loaded.shadows.push_back(other_one->file);
  reading.body = prepare_body(matter->body, body_rules(around, loaded.skill));
  const KnownVariables variables(around);
  drop_unpassed(loaded);
  loaded.requirements = requirements_of(around, loaded.skill.card, variables);
  loaded.configured_paths = configured_paths(around, loaded.skill.card);
  loaded.config_block = config_block(loaded.skill.card.settings, setting_values(around, variables));
  // Of an agent's skill nobody is asked for anything.
  if (may_declare_needs(loaded.skill.trust)) {
    loaded.setup_skipped = wish.asked == SetupWay::Asked::person_skipped && loaded.requirements.setup_needed();
    loaded.setup_hint = local_setup_hint(
        loaded.requirements, {loaded.skill.card.slug, around.home.root + "/.env", variables.trouble(), wish.asked});
  }
  if (Result<LinkedFiles> linked = list_linked_files(loaded.skill.directory, last_part(loaded.skill.file)); linked) {
    loaded.linked = *std::move(linked);
  } else {
    add_note(loaded, Severity::warning, "its files cannot be listed: " + linked.error().message());
  }
  add_notes(loaded, variables, reading.body.note);
  return reading;
}

}  // namespace

std::string trust_command(const Skill& skill) {
  return "talaria skills trust " + (skill.source == SkillSource::home ? skill.card.slug : shell_quote(skill.directory));
}

SkillLoad::SkillLoad(Parts& parts, SkillWish wish, SessionRow session, Caller caller, Done<Answer> done)
    : parts_(parts),
      wish_(std::move(wish)),
      session_(std::move(session)),
      caller_(std::move(caller)),
      done_(std::move(done)),
      preparation_(parts, session_, caller_),
      place_(parts, session_),
      runs_(parts, session_, caller_) {}

void SkillLoad::begin() {
  preparation_.find([this](const Result<SkillSurroundings>& around) {
    if (!around) return answer(around.error());
    read(*around);
  });
}

void SkillLoad::read(const SkillSurroundings& around) {
  settings_ = around.settings;
  looked_from_ = around.directory;
  looked_with_ = leading_variables(around);
  const auto reading = std::make_shared<Reading>();
  work_.run(
      parts_.workers,
      [reading, around, wish = wish_, &catalog = parts_.catalog,
       &texts = parts_.trusted_texts](const std::atomic<bool>&) { *reading = read_for(catalog, texts, around, wish); },
      [this, reading] { take(std::move(*reading)); });
}

void SkillLoad::take(Reading reading) {
  reading_ = std::move(reading);
  if (!reading_.answer.loaded) return answer(std::move(reading_.answer));
  give_to_session();
  if (reading_.body.snippets.empty()) return finish({});
  run_snippets();
}

// Before the snippets run, for they are commands of the session too.
void SkillLoad::give_to_session() {
  LoadedSkill& loaded = *reading_.answer.loaded;
  const SkillCard& card = loaded.skill.card;
  SessionSkill mine{card.slug, loaded.skill.directory, loaded.skill.file, {}, {}, {}, looked_from_, looked_with_};
  for (const EnvironmentNeed& need : card.environment) mine.variables.push_back(need.name);
  for (const CredentialNeed& need : card.credentials) mine.credentials.push_back(need.path);
  for (const SkillSetting& setting : card.settings) mine.settings.push_back(setting.key);
  Result<> kept = ok;
  if (may_declare_needs(loaded.skill.trust)) kept = parts_.sessions.grant(session_.id, mine.variables);
  if (!kept) add_note(loaded, Severity::warning, kept.error().message());
  kept = parts_.sessions.change(session_.id, [&](SessionDetails& details) {
    std::erase_if(details.skills,
                  [&](const SessionSkill& one) { return one.name == mine.name || one.directory == mine.directory; });
    details.skills.push_back(mine);
  });
  if (!kept) {
    add_note(loaded, Severity::warning, "commands of this session cannot read its folder: " + kept.error().message());
  }
}

void SkillLoad::run_snippets() {
  place_.find([this](const Result<Place>& place) {
    std::vector<std::string> commands;
    for (const InlineSnippet& snippet : reading_.body.snippets) {
      if (commands.size() < most_snippets) commands.push_back(snippet.command);
    }
    if (!place) {
      const SnippetResult none{SnippetResult::End::not_started, 0, "", place.error().message()};
      return finish(std::vector<SnippetResult>(commands.size(), none));
    }
    const int seconds = std::max(1, static_cast<int>(settings_->skills.inline_shell_timeout));
    runs_.run(*place, reading_.answer.loaded->skill.directory, seconds, std::move(commands),
              [this](const std::vector<SnippetResult>& results) { finish(results); });
  });
}

void SkillLoad::finish(const std::vector<SnippetResult>& results) {
  reading_.answer.loaded->body = reading_.body.finished(results);
  answer(std::move(reading_.answer));
}

void SkillLoad::answer(Result<Answer> result) {
  later_ = Later(parts_.loop, [this, result = std::move(result)]() mutable {
    tidy_catalog(parts_, reading_.refresh_due ? reading_.roots : std::vector<SkillRoot>());
    const Done<Answer> done = std::exchange(done_, nullptr);
    if (done) done(std::move(result));  // may destroy us
  });
}

}  // namespace talaria
