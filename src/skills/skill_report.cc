#include "skills/skill_report.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "os/file.h"
#include "skills/skill_report_lint.h"

namespace talaria {

namespace {

constexpr int deepest_folder = 6;
constexpr size_t most_skills = 20'000;
constexpr size_t longest_file = 16 << 20;

bool is_skill_file(const std::string& name) { return name == "SKILL.md" || name == "skill.md"; }

bool is_skipped(const std::string& name) {
  static constexpr std::array<std::string_view, 5> skipped = {"node_modules", "site-packages", "venv", "__pycache__",
                                                              "build"};
  return name.starts_with('.') || std::find(skipped.begin(), skipped.end(), name) != skipped.end();
}

// The SKILL.md files of a folder: its own, or else those of the folders below.
class SkillFolders {
 public:
  std::vector<std::string> find(const std::string& folder) {
    look_in(folder, 0);
    return std::move(found_);
  }

 private:
  void look_in(const std::string& folder, int depth) {
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return;
    if (!seen_.emplace(status.st_dev, status.st_ino).second || found_.size() >= most_skills) return;
    const Result<std::vector<std::string>> names = list_directory(folder);
    if (!names) return;
    // Sorted, so SKILL.md comes before skill.md.
    const auto own = std::find_if(names->begin(), names->end(), is_skill_file);
    if (own != names->end()) {
      found_.push_back(folder + "/" + *own);
      return;
    }
    for (const std::string& name : *names) {
      if (depth < deepest_folder && !is_skipped(name)) look_in(folder + "/" + name, depth + 1);
    }
  }

  std::vector<std::string> found_;
  std::set<std::pair<dev_t, ino_t>> seen_;
};

SkillReport cannot_load(const std::string& path, std::string why) {
  SkillReport report;
  report.path = path;
  report.diagnostics.push_back({Severity::error, 0, std::move(why)});
  return report;
}

// A pipe or a device would keep us waiting.
Result<std::string> read_regular_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return Error::from_errno("read " + path);
  if (!S_ISREG(status.st_mode)) return invalid("read " + path + ": not a regular file");
  return read_file(path, longest_file);
}

SkillReport check_file(const std::string& path, const KnownTools& known) {
  const Result<std::string> file = read_regular_file(path);
  if (!file) return cannot_load(path, file.error().message());
  SkillReport report;
  report.path = path;
  report.loads = true;
  report.matter = read_front_matter(*file);
  const std::filesystem::path folder = std::filesystem::absolute(path).lexically_normal().parent_path();
  report.card = read_card(report.matter, folder.filename().string());
  report.diagnostics = report.card.diagnostics;
  lint_skill(report.matter, report.card, folder.string(), known, report.diagnostics);
  std::stable_sort(report.diagnostics.begin(), report.diagnostics.end(),
                   [](const SkillDiagnostic& a, const SkillDiagnostic& b) { return a.line < b.line; });
  return report;
}

JsonArray json_texts(const std::vector<std::string>& texts) { return JsonArray(texts.begin(), texts.end()); }

}  // namespace

std::vector<SkillReport> check_skills(const std::string& path, const KnownTools& known) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {cannot_load(path, Error::from_errno("read " + path).message())};
  if (!S_ISDIR(status.st_mode)) return {check_file(path, known)};
  std::string folder = path;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  std::vector<SkillReport> reports;
  for (const std::string& file : SkillFolders().find(folder)) reports.push_back(check_file(file, known));
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
