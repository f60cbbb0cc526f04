#include "api/skill_grants.h"

#include <algorithm>

#include "api/skill_places.h"
#include "api/skill_query.h"
#include "os/file.h"
#include "skills/credential_secrets.h"
#include "skills/skill_body.h"

namespace talaria {
namespace {

// A skill whose name another one has taken since is still there.
const Skill* skill_at(const CatalogView& view, const std::string& file) {
  for (const auto& root : view.roots()) {
    const auto found = std::ranges::find(root->skills, file, [](const auto& skill) { return skill->file; });
    if (found != root->skills.end()) return found->get();
  }
  return nullptr;
}

template <class Needs, class Name>
void keep_declared(std::vector<std::string>& given, const Needs& declared, Name name) {
  std::erase_if(given,
                [&](const std::string& one) { return std::ranges::find(declared, one, name) == declared.end(); });
}

SessionSkill what_is_left(SessionSkill loaded, const std::optional<SkillCard>& card) {
  const SkillCard declared = card.value_or(SkillCard());
  keep_declared(loaded.variables, declared.environment, &EnvironmentNeed::name);
  keep_declared(loaded.credentials, declared.credentials, &CredentialNeed::path);
  keep_declared(loaded.settings, declared.settings, &SkillSetting::key);
  return loaded;
}

bool is_same_skill(const Skill* one, const Skill* other) {
  return one && other && one->file == other->file && one->stamp == other->stamp && one->trust == other->trust;
}

bool contains_name(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::vector<SessionSkill> StandingSkills::among(const std::vector<SessionSkill>& loaded) {
  std::vector<SessionSkill> standing;
  for (const SessionSkill& one : loaded) look_at(one, standing);
  return standing;
}

// Whoever changes a skill while it is looked at must not get what only the one before, or the one after, is trusted
// with: it counts when it was the same before and after.
void StandingSkills::look_at(const SessionSkill& loaded, std::vector<SessionSkill>& standing) {
  constexpr int most_tries = 5;
  SkillLookUp found = find(loaded);
  for (int tries = 0; tries < most_tries && found.skill; ++tries) {
    if (!is_standing(loaded, found)) return;
    const std::optional<SkillCard> card = trusted_card(*found.skill);
    SkillLookUp after = find(loaded);
    if (is_same_skill(found.skill, after.skill)) {
      standing.push_back(what_is_left(loaded, card));
      return;
    }
    found = std::move(after);
  }
}

SkillLookUp StandingSkills::find(const SessionSkill& loaded) {
  const std::vector<SkillRoot>& roots = roots_for(loaded);
  SkillLookUp found = catalog_.look_up(roots, loaded.name);
  if (found.refresh_due) refresh_due_ = roots;
  if (found.skill && found.skill->file == loaded.file) return found;
  if (found.skill) found = {.view = catalog_.refresh(roots)};  // what has no such name was looked for just now
  found.skill = skill_at(*found.view, loaded.file);
  return found;
}

// What it declares, if it is trusted with that; both of one text.
std::optional<SkillCard> StandingSkills::trusted_card(const Skill& skill) {
  SkillTrust trust = skill_trust(around_, texts_);
  if (!may_declare_needs(trust.of(skill))) return std::nullopt;
  if (!trust.goes_by_text(skill)) return skill.card;
  const Result<FrontMatter> matter = read_skill(skill.file);
  if (!matter || !may_declare_needs(trust.of(skill, *matter))) return std::nullopt;
  return read_card(*matter, skill.card.name);
}

// It is looked for where it was found, whatever directory and variables whoever asks now has.
const std::vector<SkillRoot>& StandingSkills::roots_for(const SessionSkill& loaded) {
  const bool same = around_.directory == loaded.looked_from && around_.client == loaded.looked_with;
  if (same && !roots_.empty()) return roots_;
  around_.directory = loaded.looked_from;
  around_.client = loaded.looked_with;
  roots_ = skill_roots(around_).roots;
  return roots_;
}

bool StandingSkills::is_standing(const SessionSkill& loaded, const SkillLookUp& found) {
  count_disabled_folders(around_.available, *found.view);
  if (!disabled_by(found.skill->card, around_.available).empty()) return false;
  return real_or_given_path(found.skill->directory) == loaded.directory;
}

struct GrantFinder::Outcome {
  SkillGrants grants;
  Environment credentials;  // what their credential files hold that a model must not read
  std::vector<SkillRoot> refresh_due;
};

void GrantFinder::find(const std::shared_ptr<const Settings>& settings, const SharedEnvironment& login, Found found) {
  std::vector<SessionSkill> loaded = parts_.sessions.details(session_).skills;
  if (loaded.empty()) return found({});
  found_ = std::move(found);
  const auto outcome = std::make_shared<Outcome>();
  const auto look = [outcome, loaded = std::move(loaded), &catalog = parts_.catalog, &texts = parts_.trusted_texts,
                     around = skill_surroundings(parts_, settings, login, session_, {})](const std::atomic<bool>&) {
    StandingSkills skills(catalog, texts, around);
    const std::vector<SessionSkill> standing = skills.among(loaded);
    SkillGrants& grants = outcome->grants;
    for (const SessionSkill& skill : standing) {
      grants.variables.insert(grants.variables.end(), skill.variables.begin(), skill.variables.end());
      grants.credential_files = grants.credential_files || !skill.credentials.empty();
      outcome->credentials.merge(credential_secrets(present_credentials(skill, around.home.root)));
    }
    grants.shown = shown_by_skills(standing, *around.settings, *around.login, around.home.root);
    outcome->refresh_due = skills.refresh_due();
  };
  work_.run(parts_.workers, look, [this, outcome] { take(*outcome); });
}

void GrantFinder::take(Outcome& outcome) {
  // What was not granted when the skill was loaded, for it was not trusted then, is from now on.
  (void)parts_.sessions.grant(session_.id, outcome.grants.variables);
  const std::vector<std::string> granted = parts_.sessions.details(session_).granted;
  std::erase_if(outcome.grants.variables, [&](const std::string& name) { return !contains_name(granted, name); });
  parts_.secrets.given(outcome.credentials);
  tidy_catalog(parts_, std::move(outcome.refresh_due));
  const Found found = std::exchange(found_, nullptr);
  if (found) found(std::move(outcome.grants));  // may destroy us
}

}  // namespace talaria
