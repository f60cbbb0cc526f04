// talaria skills check: what is wrong with skills.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "skills/skill_body_text.h"
#include "skills/skill_report.h"
#include "talaria/print.h"
#include "talaria/skills.h"

namespace talaria {
namespace {

Colour colour_of(Severity severity) {
  if (severity == Severity::error) return Colour::red;
  return severity == Severity::warning ? Colour::yellow : Colour::dim;
}

bool is_good(const SkillReport& report) { return report.loads && report.diagnostics.empty(); }

// A line each, in a pipe too: what they quote is a stranger's, and must not pass for one of ours.
void print_report(const SkillReport& report) {
  const char* verdict = is_good(report) ? ": good" : report.loads ? "" : ": does not load";
  std::string text = coloured(Colour::bold, shown_line(report.path)) + verdict + "\n";
  for (const SkillDiagnostic& one : report.diagnostics) {
    const std::string place = one.line == 0 ? "" : "line " + std::to_string(one.line) + ": ";
    text +=
        "  " + coloured(colour_of(one.severity), name_of(one.severity)) + ": " + place + shown_line(one.message) + "\n";
  }
  print(text);
}

// Prints reports as they come, and counts.
class CheckRun {
 public:
  enum class Good { shown, counted };
  CheckRun(const SkillsOptions& options, Good good) : options_(options), good_(good) {}

  void take(const std::vector<SkillReport>& reports) {
    for (const SkillReport& report : reports) {
      ++reports_;
      if (!report.loads) ++broken_;
      else if (!report.diagnostics.empty()) ++noted_;
      if (options_.json) print_json_line(to_json(report));
      else if (good_ == Good::shown || !is_good(report)) print_report(report);
    }
  }
  int finish() const {
    if (!options_.json && (reports_ > 1 || good_ == Good::counted)) {
      remark(with_commas(reports_) + (reports_ == 1 ? " skill: " : " skills: ") +
             with_commas(reports_ - broken_ - noted_) + " good, " + with_commas(noted_) + " with remarks, " +
             with_commas(broken_) + " do not load");
    }
    return broken_ > 0 ? 1 : 0;
  }

 private:
  const SkillsOptions& options_;
  Good good_;
  size_t reports_ = 0, broken_ = 0, noted_ = 0;
};

// What the catalog says about places rather than about the text of a skill: which are shadowed, skipped, left out.
class PlaceDiagnostics {
 public:
  explicit PlaceDiagnostics(const JsonObject& listing) {
    const Json* list = listing.if_contains("diagnostics");
    if (!list || !list->is_array()) return;
    for (const Json& item : list->get_array()) {
      const JsonObject& one = item.get_object();
      if (!one.contains("skill")) places_.emplace(text_or(one, "path"), text_or(one, "message"));
    }
  }

  // Those of a skill become its own; what the reports say already is taken out.
  void hand_over(std::vector<SkillReport>& reports) {
    for (SkillReport& report : reports) {
      const auto [first, last] = places_.equal_range(report.path);
      for (auto one = first; one != last && report.loads; ++one) {
        report.diagnostics.insert(report.diagnostics.begin(), SkillDiagnostic{Severity::note, 0, one->second});
      }
      places_.erase(first, last);
      const std::string folder = report.path.substr(0, report.path.rfind('/') + 1);
      std::erase_if(places_, [&](const auto& place) {
        const auto says_so = [&](const SkillDiagnostic& one) {
          return folder + one.message == place.first + ": " + place.second;
        };
        return place.first.starts_with(folder) && std::ranges::any_of(report.diagnostics, says_so);
      });
    }
  }
  void remark_rest() const {
    for (const auto& [path, message] : places_) remark(shown_line((path.empty() ? "" : path + ": ") + message));
  }

 private:
  std::multimap<std::string, std::string> places_;  // messages by path
};

// All that there are in this directory. Most are somebody else's and good: those are only counted.
int check_here(const SkillsOptions& options) {
  const Result<JsonObject> answer = ask_skills("skills/list", {{"all", true}}, options);
  if (!answer) return fail(answer.error());
  const Json* roots = answer->if_contains("roots");
  if (!roots || !roots->is_array()) {
    return fail(Error(ErrorCode::unavailable,
                      "the gateway does not say where it looks for skills; name a folder: talaria skills check PATH"));
  }
  CheckRun run(options, CheckRun::Good::counted);
  PlaceDiagnostics places(*answer);
  for (const Json& root : roots->get_array()) {
    std::vector<SkillReport> reports = check_skill_root(std::string(root.get_string()));
    places.hand_over(reports);
    run.take(reports);
  }
  places.remark_rest();
  return run.finish();
}

}  // namespace

int check_paths(const SkillsOptions& options) {
  if (options.words.empty()) return check_here(options);
  CheckRun run(options, CheckRun::Good::shown);
  for (const std::string& path : options.words) run.take(check_skills(path));
  return run.finish();
}

}  // namespace talaria
