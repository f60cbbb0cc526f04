#include "skills/skill_listing.h"

#include <set>

#include "base/text.h"
#include "skills/platform.h"
#include "skills/prompt_index_text.h"

namespace talaria {
namespace {

bool is_in(const Skill& skill, const std::string& category) {
  return skill.category == category || skill.category.starts_with(category + "/");
}

JsonObject row_of(const Skill& skill, const SkillListingRequest& request) {
  JsonObject row;
  row["name"] = visible_text(skill.card.name);
  row["description"] = visible_text(skill.card.description);
  row["category"] = skill.category.empty() ? Json(nullptr) : Json(visible_text(skill.category));
  row["source"] = name_of(skill.source);
  row["trust"] = name_of(request.trust ? request.trust(skill) : skill.trust);
  row["setup_needed"] = request.setup_needed && request.setup_needed(skill);
  return row;
}

// The first few that are worth acting on, and how many there are beyond them.
class DiagnosticList {
 public:
  explicit DiagnosticList(size_t most) : most_(most) {}
  void add(const CatalogDiagnostic& diagnostic) {
    if (diagnostic.severity != Severity::note) add_always(diagnostic);
  }
  // What was left out as a whole is worth a note, too.
  void add_always(const CatalogDiagnostic& diagnostic) {
    add(diagnostic.severity, {{"path", visible_text(diagnostic.path)}}, diagnostic.message);
  }
  void add(const Skill& skill) {
    for (const SkillDiagnostic& diagnostic : skill.card.diagnostics) {
      if (diagnostic.severity == Severity::note) continue;
      JsonObject about{{"skill", visible_text(skill.card.name)}, {"path", visible_text(skill.file)}};
      if (diagnostic.line > 0) about["line"] = diagnostic.line;
      add(diagnostic.severity, std::move(about), diagnostic.message);
    }
  }
  void finish(JsonObject& answer) && {
    if (more_ > 0) {
      list_.push_back(JsonObject{{"severity", name_of(Severity::note)},
                                 {"message", with_commas(more_) + " more; talaria skills check shows them"}});
    }
    if (!list_.empty()) answer["diagnostics"] = std::move(list_);
  }

 private:
  void add(Severity severity, JsonObject about, const std::string& message) {
    if (list_.size() >= most_) {
      ++more_;
      return;
    }
    about["severity"] = name_of(severity);
    about["message"] = visible_text(message);
    list_.push_back(std::move(about));
  }

  size_t most_;
  JsonArray list_;
  size_t more_ = 0;
};

// Why nobody finds it by its name. A winner that is hidden itself leaves the name with nothing to show.
std::string shadowed_because(const ShadowedSkill& one, const SkillListingRequest& request) {
  const std::string elsewhere = other_platform_because(one.skill->card);
  if (!elsewhere.empty() && runs_on(one.winner->card)) return elsewhere + ": " + one.winner->file + " has its name";
  const std::string hidden = request.hidden_because ? request.hidden_because(*one.winner) : "";
  return "shadowed: " + one.winner->file + " has its name" + (hidden.empty() ? "" : ", and is hidden: " + hidden);
}

std::string nothing_because(const SkillListingRequest& request, const std::set<std::string>& categories) {
  if (!request.category || categories.empty()) return "There are no skills.";
  const std::vector<std::string> names(categories.begin(), categories.end());
  return "There is no skill in the category " + visible_text(*request.category) +
         ". The categories are: " + join(names, ", ") + ".";
}

}  // namespace

JsonObject skill_listing(const CatalogView& view, const std::vector<const Skill*>& skills,
                         const SkillListingRequest& request) {
  JsonArray rows;
  std::set<std::string> categories;
  DiagnosticList diagnostics(request.most_diagnostics);
  for (const CatalogDiagnostic& diagnostic : request.diagnostics) diagnostics.add_always(diagnostic);
  for (const CatalogDiagnostic& diagnostic : view.diagnostics()) diagnostics.add(diagnostic);
  for (const ShadowedSkill& one : view.shadowed()) {
    diagnostics.add_always({Severity::note, one.skill->file, shadowed_because(one, request)});
  }
  for (const RenamedSkill& one : view.renamed()) {
    diagnostics.add_always(
        {Severity::note, one.skill->file,
         "its name's short form is that of " + one.winner->file + "; view it as \"" + one.skill->card.slug + "\""});
  }
  for (const Skill* skill : skills) {
    if (!skill->category.empty()) categories.insert(visible_text(skill->category));
    if (request.category && !is_in(*skill, *request.category)) continue;
    JsonObject row = row_of(*skill, request);
    if (!view.is_found_by_its_name(*skill)) row["view_as"] = skill->card.slug;
    if (request.add_more) request.add_more(*skill, row);
    rows.push_back(std::move(row));
    diagnostics.add(*skill);
  }
  const size_t count = rows.size();
  JsonObject answer{{"success", true}};
  answer["skills"] = std::move(rows);
  answer["categories"] = JsonArray(categories.begin(), categories.end());
  answer["count"] = count;
  std::move(diagnostics).finish(answer);
  if (count == 0) {
    answer["message"] = nothing_because(request, categories);
  } else {
    answer["hint"] = "Use skill_view(name) to see full content, tags, and linked files";
  }
  return answer;
}

}  // namespace talaria
