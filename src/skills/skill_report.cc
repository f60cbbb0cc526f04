#include "skills/skill_report.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "os/fd.h"
#include "os/file.h"
#include "skills/catalog_walk.h"
#include "skills/skill_body.h"
#include "skills/skill_report_lint.h"

namespace talaria {

namespace {

SkillReport cannot_load(const std::string& path, std::string why) {
  SkillReport report;
  report.path = path;
  report.diagnostics.push_back({Severity::error, 0, std::move(why)});
  return report;
}

JsonArray json_texts(const std::vector<std::string>& texts) { return JsonArray(texts.begin(), texts.end()); }

SkillReport check_file(const std::string& path, const KnownTools& known) {
  Result<FrontMatter> matter = read_skill(path);
  if (!matter) return cannot_load(path, matter.error().message());
  SkillReport report;
  report.path = path;
  report.loads = true;
  report.matter = *std::move(matter);
  const std::filesystem::path folder = std::filesystem::absolute(path).lexically_normal().parent_path();
  report.card = read_card(report.matter, folder.filename().string());
  report.diagnostics = report.card.diagnostics;
  lint_skill(report.matter, report.card, folder.string(), known, report.diagnostics);
  std::stable_sort(report.diagnostics.begin(), report.diagnostics.end(),
                   [](const SkillDiagnostic& a, const SkillDiagnostic& b) { return a.line < b.line; });
  return report;
}

// What lies beside the skill's file. Of the file itself all is said.
void add_passed_over(const CatalogFolder& folder, SkillReport& report) {
  for (const CatalogDiagnostic& one : folder.diagnostics) {
    const std::string name = one.path.substr(one.path.rfind('/') + 1);
    if (one.severity == Severity::note || name == folder.skill_file) continue;
    report.diagnostics.insert(report.diagnostics.begin(), SkillDiagnostic{one.severity, 0, name + ": " + one.message});
  }
}

bool is_misspelled(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return lower(name) == "skill.md" && name != "SKILL.md" && name != "skill.md";
}

}  // namespace

std::vector<SkillReport> check_skill_root(const std::string& folder, const KnownTools& known) {
  const UniqueFd directory(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return {cannot_load(folder, Error::from_errno("open " + folder).message())};
  const SkillRoot root{folder, SkillSource::external, Trust::local};
  const SkillOrigins origins;
  CatalogWork work;
  const FolderWalk walk =
      walk_folders({root, directory.get(), real_or_given_path(folder), origins}, {FolderVisit()}, {}, {}, work);
  std::vector<SkillReport> reports;
  const auto add_trouble = [&](const std::vector<CatalogDiagnostic>& diagnostics) {
    for (const CatalogDiagnostic& one : diagnostics) {
      if (one.severity != Severity::note) reports.push_back(cannot_load(one.path, one.message));
    }
  };
  for (const auto& found : walk.folders) {
    if (found->skill_file.empty()) {
      add_trouble(found->diagnostics);
      continue;
    }
    reports.push_back(check_file(folder + "/" + path_below(found->path, found->skill_file), known));
    add_passed_over(*found, reports.back());
  }
  add_trouble(walk.diagnostics);
  return reports;
}

std::vector<SkillReport> check_skills(const std::string& path, const KnownTools& known) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {cannot_load(path, Error::from_errno("read " + path).message())};
  if (!S_ISDIR(status.st_mode)) {
    SkillReport report = check_file(path, known);
    if (is_misspelled(path)) {
      report.diagnostics.insert(
          report.diagnostics.begin(),
          SkillDiagnostic{Severity::warning, 0, "is not found by this name: a skill's file is called SKILL.md"});
    }
    return {std::move(report)};
  }
  std::string folder = path;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  std::vector<SkillReport> reports = check_skill_root(folder, known);
  if (reports.empty())
    reports.push_back(cannot_load(path, "there is no SKILL.md in " + folder + " or the folders below"));
  return reports;
}

JsonObject to_json(const SkillReport& report) {
  const SkillCard& card = report.card;
  JsonObject json;
  json["path"] = report.path;
  json["front_matter"] = report.matter.present ? Json(report.matter.fields) : Json(nullptr);
  json["name"] = card.name;
  json["description"] = card.description;
  json["version"] = card.version;
  json["tags"] = json_texts(card.tags);
  json["requires_tools"] = json_texts(card.conditions.requires_tools);
  json["requires_toolsets"] = json_texts(card.conditions.requires_toolsets);
  json["fallback_for_tools"] = json_texts(card.conditions.fallback_for_tools);
  json["fallback_for_toolsets"] = json_texts(card.conditions.fallback_for_toolsets);
  json["platforms"] = json_texts(card.platforms);
  json["body"] = report.matter.body;
  json["loads"] = report.loads;
  JsonArray& diagnostics = json["diagnostics"].emplace_array();
  for (const SkillDiagnostic& diagnostic : report.diagnostics) {
    diagnostics.push_back(JsonObject{
        {"severity", name_of(diagnostic.severity)}, {"line", diagnostic.line}, {"message", diagnostic.message}});
  }
  return json;
}

}  // namespace talaria
