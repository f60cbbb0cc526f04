// talaria skills history and undo: what agents changed.
#include "base/text.h"
#include "base/unseen.h"
#include "skills/skill_history.h"
#include "talaria/gateway.h"
#include "talaria/job_guard.h"
#include "talaria/print.h"
#include "talaria/skills.h"
#include "talaria/table.h"

namespace talaria {
namespace {

std::string when(EpochMs at) {
  const time_t seconds = at / 1000;
  tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%F %T", &parts));
}

}  // namespace

Result<std::string> skills_folder() { return TRY(find_home()).root + "/skills"; }

int refuse_in_job() {
  return fail(Error(ErrorCode::denied,
                    "skills cannot be changed this way from inside a job; an agent has the tool "
                    "skill_manage"));
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
  if (records->empty()) remark("Nothing was changed in " + options.words.front() + ".");
  else table.print_out();
  return 0;
}

int undo_change(const SkillsOptions& options) {
  if (inside_job()) return refuse_in_job();
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
  print_line("Undid change " + std::to_string(undone->undoes) + " of " + shown_line(undone->directory) + ": " +
             (undone->exists_after ? "its folder is as it was before that change, without what was edited since."
                                   : "it is gone, as before that change.") +
             " Once more brings back what was there.");
  return 0;
}

}  // namespace talaria
