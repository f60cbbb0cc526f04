#include "api/skill_query.h"

#include <algorithm>
#include <set>

#include "api/skill_load.h"
#include "base/text.h"
#include "process/secret_setting.h"
#include "skills/catalog.h"
#include "skills/prompt_index.h"
#include "skills/skill_body_text.h"
#include "skills/skill_listing.h"
#include "tools/built_in.h"

namespace talaria {
namespace {

// For whoever asks for all there is to know; the text of an answer has an end.
constexpr size_t most_diagnostics_of_all = 5000;

// What one answer is made from, on a worker.
struct SkillsNow {
  const SkillSurroundings& around;
  SkillRoots roots;
  std::shared_ptr<const CatalogView> view;
  TrustedTexts& texts;

  std::vector<const Skill*> visible(SkillAudience audience) const {
    return visible_skills(*view, around.available, audience);
  }
};

void add_for_person(const Skill& skill, const SkillAvailability& available, JsonObject& row) {
  row["slug"] = skill.card.slug;
  if (no_slash_because(skill.card, available).empty()) row["slash"] = slash_name(skill.card);
  if (const std::string reason = hidden_because(skill.card, available); !reason.empty()) row["hidden_because"] = reason;
  if (!skill.card.model_invocable) row["for_agents"] = false;
}

JsonObject list_of(const SkillsNow& now, const SkillQuestion& question, SkillAudience audience) {
  const KnownVariables variables(now.around);
  SkillListingRequest request;
  if (!question.category.empty()) request.category = question.category;
  request.diagnostics = now.roots.diagnostics;
  request.setup_needed = [&](const Skill& skill) {
    const auto is_set = [&](const std::string& name) { return variables.has(name); };
    if (!environment_state(skill.card, is_set).missing.empty()) return true;
    if (skill.card.credentials.empty()) return false;
    const CredentialState state = credential_state(skill.card.credentials, now.around.home.root);
    return !state.missing.empty() || !state.refused.empty();
  };
  request.hidden_because = [&](const Skill& skill) {
    const std::string why = hidden_because(skill.card, now.around.available);
    return why.empty() && audience == SkillAudience::agent ? hidden_from_agents_because(skill.card) : why;
  };
  SkillTrust trust = skill_trust(now.around, now.texts);
  request.trust = [&](const Skill& skill) { return trust.of(skill); };
  if (audience != SkillAudience::agent) {
    request.add_more = [&](const Skill& skill, JsonObject& row) { add_for_person(skill, now.around.available, row); };
  }
  if (!question.all) return skill_listing(*now.view, now.visible(audience), request);
  request.most_diagnostics = most_diagnostics_of_all;
  JsonObject answer = skill_listing(*now.view, now.view->skills(), request);
  JsonArray& roots = answer["roots"].emplace_array();
  for (const SkillRoot& root : now.roots.roots) roots.emplace_back(path_text(root.path));
  return answer;
}

JsonObject prompt_of(const SkillsNow& now, const SkillQuestion& question) {
  const std::vector<const Skill*> skills = now.visible(SkillAudience::agent);
  // The index tells an agent to call this tool.
  const bool loads = now.around.available.tools.contains(skill_view_spec().name);
  if (skills.empty() || !loads) {
    const char* why = loads ? "no skill is visible here"
                            : "the tool skill_view, which loads a skill, is not among the enabled tools; the toolset "
                              "skills has it";
    return {{"prompt", ""}, {"count", 0}, {"empty_because", why}};
  }
  const int64_t budget = question.budget.value_or(now.around.settings->skills.prompt_budget_chars);
  return {{"prompt", prompt_index(*now.view, skills, static_cast<size_t>(budget))}, {"count", skills.size()}};
}

Json text_or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

// A skill that has settings, as its text is now: whom it is trusted like holds for this text only.
struct SettingsOwner {
  Skill skill;
  bool trusted() const { return may_declare_needs(skill.trust); }
};

// Those that count first: a key is theirs, whoever else declares it.
std::vector<SettingsOwner> settings_owners(const SkillsNow& now, const std::vector<const Skill*>& skills) {
  std::vector<SettingsOwner> owners;
  SkillTrust trust = skill_trust(now.around, now.texts);
  for (const Skill* skill : skills) {
    if (skill->card.settings.empty()) continue;
    const Result<FrontMatter> matter = read_skill(skill->file);
    if (!matter) continue;
    SettingsOwner owner{*skill};
    owner.skill.card = read_card(*matter, skill->directory.substr(skill->directory.find_last_of('/') + 1));
    give_slug(owner.skill.card, skill->card.slug);
    owner.skill.trust = trust.of(*skill, *matter);
    owners.push_back(std::move(owner));
  }
  std::stable_partition(owners.begin(), owners.end(), [](const SettingsOwner& one) { return one.trusted(); });
  return owners;
}

// As it is written, unless it is a secret.
Json configured_value(const std::string& key, const SettingValues& values) {
  const std::optional<std::string> value = values.configured(key);
  if (value && (values.holds_secret(*value) || is_secret_setting(key, *value))) return Json(hidden_setting);
  return text_or_null(value);
}

JsonObject setting_json(const SettingsOwner& owner, const SkillSetting& setting, const SettingValues& values) {
  return {{"key", setting.key},
          {"description", setting.description},
          {"prompt", setting.prompt},
          {"default", text_or_null(setting.default_value)},
          {"skill", owner.skill.card.name},
          {"directory", owner.skill.directory},
          {"trust", name_of(owner.skill.trust)},
          {"trust_command", owner.trusted() ? Json() : Json(trust_command(owner.skill))},
          {"value", configured_value(setting.key, values)}};
}

Result<JsonObject> settings_of(const SkillsNow& now, const SkillQuestion& question) {
  const Skill* only = question.name.empty() ? nullptr : now.view->find(question.name);
  if (!question.name.empty() && !only) {
    return Error(ErrorCode::not_found, "no skill " + question.name.substr(0, 64) + "; talaria skills list shows them");
  }
  const KnownVariables variables(now.around);
  const SettingValues values = setting_values(now.around, variables);
  JsonArray settings;
  std::set<std::string> seen;
  for (const SettingsOwner& owner :
       settings_owners(now, only ? std::vector{only} : now.visible(SkillAudience::person))) {
    for (const SkillSetting& setting : owner.skill.card.settings) {
      if (seen.insert(setting.key).second) settings.push_back(setting_json(owner, setting, values));
    }
  }
  return JsonObject{{"settings", std::move(settings)}};
}

JsonObject found_by(const SkillsNow& now, const std::vector<std::string>& names) {
  SkillTrust trust = skill_trust(now.around, now.texts);
  JsonArray found;
  for (const std::string& name : names) {
    const Skill* skill = now.view->find(name);
    if (!skill) {
      found.emplace_back(nullptr);
      continue;
    }
    const SkillCard& card = skill->card;
    const std::vector<std::string> entries = disabling_entries(*skill, now.around.available, *now.view);
    found.push_back(JsonObject{{"name", now.view->is_found_by_its_name(*skill) ? card.name : card.slug},
                               {"slug", card.slug},
                               {"source", name_of(skill->source)},
                               {"trust", name_of(trust.of(*skill))},
                               {"directory", path_text(skill->directory)},
                               {"disabled_by", JsonArray(entries.begin(), entries.end())}});
  }
  return {{"found", std::move(found)}};
}

Result<JsonObject> answer_from(Catalog& catalog, TrustedTexts& texts, SkillSurroundings around,
                               const SkillQuestion& question, bool person) {
  SkillsNow now{around, skill_roots(around), nullptr, texts};
  now.view = catalog.refresh(now.roots.roots);
  count_disabled_folders(around.available, *now.view);
  if (question.about == SkillQuestion::About::find) return found_by(now, question.names);
  if (question.about == SkillQuestion::About::prompt) return prompt_of(now, question);
  if (question.about == SkillQuestion::About::settings) return settings_of(now, question);
  return list_of(now, question, person ? SkillAudience::person : SkillAudience::agent);
}

// What a chat sends is called by a person, whoever asks for the message.
SkillWish wish_of(const SkillQuestion& question, const Caller& caller) {
  SkillWish wish{question.name, question.file_path, caller.person ? SkillAudience::person : SkillAudience::agent};
  if (question.setup_skipped) wish.asked = SetupWay::Asked::person_skipped;
  if (question.about != SkillQuestion::About::message) return wish;
  wish.audience = SkillAudience::slash;
  if (wish.name.starts_with('/')) wish.name.erase(0, 1);
  return wish;
}

}  // namespace

void SkillPreparation::find(Found found) {
  found_ = std::move(found);
  Result<std::shared_ptr<const Settings>> settings = parts_.settings.current();
  if (!settings) return found_(settings.error());
  settings_ = *std::move(settings);
  const auto go_on = [this] {
    found_(skill_surroundings(parts_, settings_, parts_.environment.known(), session_, caller_));
  };
  if (parts_.environment.known()) return go_on();
  waiting_ = parts_.environment.when_known(go_on);
}

void tidy_catalog(Parts& parts, std::vector<SkillRoot> refresh) {
  Catalog& catalog = parts.catalog;
  if (refresh.empty() && !catalog.unsaved()) return;
  parts.workers.run([&catalog, refresh = std::move(refresh)] {
    if (!refresh.empty()) (void)catalog.refresh(refresh);
    if (catalog.unsaved()) (void)catalog.save();  // what fails is in the next view's diagnostics
  });
}

SkillQuery::SkillQuery(Parts& parts, SkillQuestion question, SessionRow session, Caller caller, Done<JsonObject> done)
    : parts_(parts),
      question_(std::move(question)),
      person_(caller.person),
      done_(std::move(done)),
      preparation_(parts, std::move(session), std::move(caller)) {}

void SkillQuery::begin() {
  preparation_.find([this](const Result<SkillSurroundings>& around) {
    if (!around) return answer(around.error());
    look(*around);
  });
}

void SkillQuery::look(const SkillSurroundings& around) {
  const auto result = std::make_shared<Result<JsonObject>>(JsonObject());
  work_.run(
      parts_.workers,
      [result, around, question = question_, person = person_, &catalog = parts_.catalog,
       &texts = parts_.trusted_texts](const std::atomic<bool>&) {
        *result = answer_from(catalog, texts, around, question, person);
      },
      [this, result] { answer(std::move(*result)); });
}

void SkillQuery::answer(Result<JsonObject> result) {
  later_ = Later(parts_.loop, [this, result = std::move(result)]() mutable {
    tidy_catalog(parts_);
    const Done<JsonObject> done = std::exchange(done_, nullptr);
    if (done) done(std::move(result));  // may destroy us
  });
}

OperationPtr answer_skill_question(Parts& parts, SkillQuestion question, SessionRow session, const Caller& caller,
                                   Done<JsonObject> done) {
  using About = SkillQuestion::About;
  if (question.about != About::view && question.about != About::message) {
    auto query = std::make_unique<SkillQuery>(parts, std::move(question), std::move(session), caller, std::move(done));
    query->begin();
    return query;
  }
  const auto tell = [message = question.about == About::message, text = question.text,
                     done = std::move(done)](Result<SkillLoad::Answer> answer) {
    if (!answer) return done(answer.error());
    ToolResult result = to_tool_result(*answer);
    const Skill* skill = answer->loaded ? &answer->loaded->skill : nullptr;
    if (skill && !may_declare_needs(skill->trust)) result.details["trust_command"] = trust_command(*skill);
    if (message && answer->loaded) result.text = skill_message(*answer->loaded, SkillCall::invoked, text);
    done(JsonObject{{"text", std::move(result.text)}, {"details", std::move(result.details)}});
  };
  auto load = std::make_unique<SkillLoad>(parts, wish_of(question, caller), std::move(session), caller, tell);
  load->begin();
  return load;
}

}  // namespace talaria
