#include "api/skill_query.h"

#include <set>

#include "api/skill_load.h"
#include "base/text.h"
#include "skills/catalog.h"
#include "skills/prompt_index.h"
#include "skills/skill_listing.h"

namespace talaria {
namespace {

// What one answer is made from, on a worker.
struct SkillsNow {
  const SkillSurroundings& around;
  SkillRoots roots;
  std::shared_ptr<const CatalogView> view;

  std::vector<const Skill*> visible(SkillAudience audience) const {
    return visible_skills(*view, around.available, audience);
  }
};

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
  JsonObject listing = skill_listing(*now.view, question.all ? now.view->skills() : now.visible(audience), request);
  if (audience == SkillAudience::agent) return listing;
  for (Json& item : listing["skills"].get_array()) {
    JsonObject& one = item.get_object();
    const Skill* skill = now.view->find(text_or(one, "name"));
    if (!skill) continue;
    const std::string reason = hidden_because(skill->card, now.around.available);
    if (!reason.empty()) one["hidden_because"] = reason;
    if (!skill->card.model_invocable) one["for_agents"] = false;
  }
  return listing;
}

JsonObject prompt_of(const SkillsNow& now, const SkillQuestion& question) {
  const std::vector<const Skill*> skills = now.visible(SkillAudience::agent);
  const int64_t budget = question.budget.value_or(now.around.settings->skills.prompt_budget_chars);
  return {{"prompt", prompt_index(*now.view, skills, static_cast<size_t>(budget))}, {"count", skills.size()}};
}

Json text_or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

Result<JsonObject> settings_of(const SkillsNow& now, const SkillQuestion& question) {
  const Skill* only = question.name.empty() ? nullptr : now.view->find(question.name);
  if (!question.name.empty() && !only) {
    return Error(ErrorCode::not_found, "no skill " + question.name.substr(0, 64) + "; talaria skills list shows them");
  }
  const KnownVariables variables(now.around);
  const SettingValues values = setting_values(now.around, variables);
  JsonArray settings;
  std::set<std::string> seen;
  for (const Skill* skill : only ? std::vector{only} : now.visible(SkillAudience::person)) {
    for (const SkillSetting& setting : skill->card.settings) {
      if (!seen.insert(setting.key).second) continue;
      std::optional<std::string> value = values.configured(setting.key);
      if (value && trim(*value).empty()) value.reset();
      settings.push_back(JsonObject{{"key", setting.key},
                                    {"description", setting.description},
                                    {"prompt", setting.prompt},
                                    {"default", text_or_null(setting.default_value)},
                                    {"skill", skill->card.name},
                                    {"value", text_or_null(value)}});
    }
  }
  return JsonObject{{"settings", std::move(settings)}};
}

Result<JsonObject> answer_from(Catalog& catalog, const SkillSurroundings& around, const SkillQuestion& question,
                               bool person) {
  SkillsNow now{around, skill_roots(around), nullptr};
  now.view = catalog.refresh(now.roots.roots);
  if (question.about == SkillQuestion::About::prompt) return prompt_of(now, question);
  if (question.about == SkillQuestion::About::settings) return settings_of(now, question);
  return list_of(now, question, person ? SkillAudience::person : SkillAudience::agent);
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
  preparation_.find([this](Result<SkillSurroundings> around) {
    if (!around) return answer(around.error());
    look(*around);
  });
}

void SkillQuery::look(const SkillSurroundings& around) {
  const auto result = std::make_shared<Result<JsonObject>>(JsonObject());
  work_.run(
      parts_.workers,
      [result, around, question = question_, person = person_, &catalog = parts_.catalog](const std::atomic<bool>&) {
        *result = answer_from(catalog, around, question, person);
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
    if (message && answer->loaded) result.text = skill_message(*answer->loaded, SkillCall::invoked, text);
    done(JsonObject{{"text", std::move(result.text)}, {"details", std::move(result.details)}});
  };
  auto load = std::make_unique<SkillLoad>(parts, question.name, question.file_path, std::move(session), caller, tell);
  load->begin();
  return load;
}

}  // namespace talaria
