// The actions of talaria skills that work on files and need no gateway: checking and writing skills, their history.
#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "skills/skill_history.h"
#include "skills/skill_report.h"
#include "skills/skill_template.h"
#include "talaria/gateway.h"
#include "talaria/print.h"
#include "talaria/skills.h"

namespace talaria {
namespace {

Colour colour_of(Severity severity) {
  if (severity == Severity::error) return Colour::red;
  return severity == Severity::warning ? Colour::yellow : Colour::dim;
}

void print_report(const SkillReport& report) {
  const bool well = report.loads && report.diagnostics.empty();
  print_line(coloured(Colour::bold, for_terminal(report.path)) + (well           ? ": good"
                                                                  : report.loads ? ""
                                                                                 : ": does not load"));
  for (const SkillDiagnostic& one : report.diagnostics) {
    const std::string place = one.line == 0 ? "" : "line " + std::to_string(one.line) + ": ";
    print_line("  " + coloured(colour_of(one.severity), name_of(one.severity)) + ": " +
               for_terminal(place + one.message));
  }
}

bool is_category(const std::string& text) {
  const std::vector<std::string> parts = split(text, '/');
  return std::ranges::all_of(parts, [](const std::string& part) { return !part.empty() && slug_of(part) == part; });
}

Result<std::string> skills_folder() { return TRY(find_home()).root + "/skills"; }

int refuse_in_job() {
  return fail(Error(ErrorCode::denied,
                    "skills cannot be changed this way from inside a job; an agent has the tool "
                    "skill_manage"));
}

std::string when(EpochMs at) {
  const time_t seconds = at / 1000;
  tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%F %T", &parts));
}

}  // namespace

int check_paths(const SkillsOptions& options) {
  size_t reports = 0, broken = 0, noted = 0;
  for (const std::string& path : options.words) {
    for (const SkillReport& report : check_skills(path)) {
      ++reports;
      if (!report.loads) ++broken;
      else if (!report.diagnostics.empty()) ++noted;
      if (options.json) print_line(write_json(to_json(report)));
      else print_report(report);
    }
  }
  if (!options.json && reports > 1) {
    remark(with_commas(reports) + " skills: " + with_commas(reports - broken - noted) + " good, " + with_commas(noted) +
           " with remarks, " + with_commas(broken) + " do not load");
  }
  return broken > 0 ? 1 : 0;
}

int make_new_skill(const SkillsOptions& options) {
  if (std::getenv("TALARIA_JOB") && !options.directory) return refuse_in_job();
  Result<std::string> parent = options.directory ? Result<std::string>(*options.directory) : skills_folder();
  if (!parent) return fail(parent.error());
  if (options.category) {
    if (!is_category(*options.category)) {
      return fail(invalid("--category must be lower-case names joined by slashes, such as devops or research/physics"));
    }
    *parent += "/" + *options.category;
  }
  const Result<std::string> made = make_skill(*parent, options.words.front(), options.description.value_or(""));
  if (!made) return fail(made.error());
  if (options.json) print_json(JsonObject{{"path", *made}});
  else print_line(*made);
  if (!options.json) remark("Write its SKILL.md, then: talaria skills check " + shell_quote(*made));
  return 0;
}

int show_history(const SkillsOptions& options) {
  const Result<std::string> folder = skills_folder();
  if (!folder) return fail(folder.error());
  const Result<std::vector<SkillRecord>> records = skill_history(*folder, options.words.front());
  if (!records) return fail(records.error());
  if (options.json) {
    JsonArray list;
    for (const SkillRecord& record : *records) list.push_back(to_json(record));
    print_json(JsonObject{{"history", std::move(list)}});
    return 0;
  }
  Table table({"CHANGE", "WHEN", "WHAT", "FILE", "BY", "KEPT"});
  for (const SkillRecord& record : *records) {
    const std::string undone = record.undoes > 0 ? " of " + std::to_string(record.undoes) : "";
    table.add({std::to_string(record.number), when(record.at), record.action + undone, for_terminal(record.changed),
               for_terminal(record.who), human_bytes(record.bytes)});
  }
  if (records->empty()) remark("Nothing was changed in " + for_terminal(options.words.front()) + ".");
  else table.print_out();
  return 0;
}

int undo_change(const SkillsOptions& options) {
  if (std::getenv("TALARIA_JOB")) return refuse_in_job();
  const Result<std::string> folder = skills_folder();
  if (!folder) return fail(folder.error());
  std::optional<uint64_t> number;
  if (options.entry && *options.entry < 1) return fail(invalid("--entry must be a number that history shows"));
  if (options.entry) number = static_cast<uint64_t>(*options.entry);
  const Result<SkillRecord> undone = undo_skill(*folder, options.words.front(), number, "person");
  if (!undone) return fail(undone.error());
  if (options.json) {
    print_json(to_json(*undone));
    return 0;
  }
  print_line("Undid change " + std::to_string(undone->undoes) + " of " + for_terminal(undone->directory) + ": " +
             (undone->exists_after ? "its folder is as it was before that change, without what was edited since."
                                   : "it is gone, as before that change.") +
             " Once more brings back what was there.");
  return 0;
}

}  // namespace talaria
