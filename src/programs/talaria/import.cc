#include <unistd.h>

#include <memory>

#include "base/text.h"
#include "base/unseen.h"
#include "config/dotenv.h"
#include "config/file.h"
#include "config/settings.h"
#include "os/file.h"
#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/import_config.h"
#include "talaria/import_skills.h"
#include "talaria/import_source.h"
#include "talaria/job_guard.h"
#include "talaria/print.h"
#include "talaria/table.h"

namespace talaria {
namespace {

using ImportRows = std::vector<ImportRow>;

struct ImportOptions {
  std::string program;
  std::optional<std::string> from;
  bool dry_run = false, yes = false, overwrite = false, copy_skills = false, json = false;

  Existing existing() const { return overwrite ? Existing::overwrite : Existing::keep; }
};

// What an import would do to this home as it is now.
class Import {
 public:
  Import(const ImportOptions& options, const Home& home, ImportSource source)
      : options_(options), home_(home), source_(std::move(source)) {
    rules_ = {source_.root, options.existing(), ""};
    if (source_.has_skills && !options.copy_skills && !source_.usual_place) rules_.skills_folder = theirs();
  }

  Result<ImportRows> plan() {
    const std::string config = exists(home_.config()) ? TRY(read_file(home_.config())) : "";
    ImportRows rows = TRY(settings(config)).rows;
    variables_ = import_variables(TRY(read_dotenv(env_file())), source_.variables, options_.existing());
    rows.insert(rows.end(), variables_.rows.begin(), variables_.rows.end());
    const ImportRows stray = stray_line_rows(source_.stray_lines);
    rows.insert(rows.end(), stray.begin(), stray.end());
    const ImportRows skills = plan_skills();
    rows.insert(rows.end(), skills.begin(), skills.end());
    for (const std::string& name : source_.credential_files) {
      rows.push_back({ImportRow::Kind::file, name, ImportRow::Result::by_hand,
                      "a skill that names it looks for it in " + home_.root});
    }
    return rows;
  }

  // Marks in `rows` what did not work with a skill; any other failure is an error.
  Result<> apply(ImportRows& rows) {
    TRY(home_.prepare());
    TRY(edit_config_file(home_.config(),
                         [&](std::string_view text) -> Result<std::string> { return TRY(settings(text)).text; }));
    if (!variables_.taken.empty()) TRY(set_dotenv(env_file(), variables_.taken, options_.existing()));
    const std::string scratch = home_.cache() + "/import." + std::to_string(::getpid());
    if (options_.copy_skills) copy_skills(rows, theirs(), home_.root + "/skills", scratch);
    return ok;
  }

 private:
  std::string env_file() const { return home_.root + "/.env"; }
  std::string theirs() const { return source_.root + "/skills"; }

  Result<ConfigImport> settings(std::string_view ours) const {
    const Result<Settings> valid = parse_settings(ours);
    if (!valid) return Error(valid.error().code(), home_.config() + ":" + valid.error().message());
    Result<ConfigImport> import = import_config(ours, source_.config, rules_);
    if (import) return import;
    return Error(import.error().code(), source_.root + "/config.yaml:" + import.error().message());
  }

  ImportRows plan_skills() const {
    if (!source_.has_skills) return {};
    if (options_.copy_skills) return plan_skill_copies(theirs(), home_.root + "/skills");
    const size_t count = find_skill_folders(theirs()).size();
    const std::string detail = count == 1
                                   ? "1 skill, read where it is; --copy-skills copies it"
                                   : std::to_string(count) + " skills, read where they are; --copy-skills copies them";
    return {{ImportRow::Kind::skill, theirs(), ImportRow::Result::kept, detail}};
  }

  const ImportOptions& options_;
  const Home& home_;
  ImportSource source_;
  ConfigImportRules rules_;
  VariableImport variables_;
};

// Before anything is done.
void show(const ImportRows& rows) {
  Table table({"WHAT", "NAME", "PLAN", "DETAIL"});
  for (const ImportRow& row : rows) {
    const bool to_take = row.result == ImportRow::Result::taken;
    table.add({std::string(name_of(row.kind)), row.name, to_take ? "to be taken" : std::string(name_of(row.result)),
               row.detail});
  }
  table.wrap_last_column();
  table.print_out();
}

void show_json(const std::string& from, const ImportRows& rows, bool changed) {
  print_json(JsonObject{{"from", from}, {"changed", changed}, {"items", rows_json(rows)}});
}

bool person_agrees() {
  print("Import this? [y/N]: ");
  char answer[16] = {};
  const ssize_t count = ::read(STDIN_FILENO, answer, sizeof answer - 1);
  return count > 0 && (answer[0] == 'y' || answer[0] == 'Y');
}

// Why nothing is to be changed; empty when it is.
std::string reason_to_stop(const ImportOptions& options, const ImportRows& rows) {
  if (!has_result(rows, ImportRow::Result::taken)) return "nothing is left to import";
  if (options.dry_run) return "nothing was changed (--dry-run)";
  return "";
}

Result<int> import_all(const ImportOptions& options) {
  const Home home = TRY(find_home());
  ImportSource source = TRY(read_hermes_home(options.from, home.root));
  const std::string from = source.root;
  Import import(options, home, std::move(source));
  ImportRows rows = TRY(import.plan());
  if (!options.json) show(rows);
  if (const std::string why = reason_to_stop(options, rows); !why.empty()) {
    if (options.json) show_json(from, rows, false);
    else remark(why);
    return 0;
  }
  const bool can_ask = !options.json && is_terminal(STDIN_FILENO) && is_terminal(STDOUT_FILENO);
  if (!options.yes && !can_ask) {
    return Error(ErrorCode::cancelled, "nothing was changed: add --yes to import this, or --dry-run to look only");
  }
  if (!options.yes && !person_agrees()) return Error(ErrorCode::cancelled, "nothing was changed");
  const ImportRows planned = rows;
  TRY(import.apply(rows));
  if (options.json) {
    show_json(from, rows, true);
  } else {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] != planned[i]) remark(rows[i].name + ": " + rows[i].detail);
    }
    remark("imported from " + from);
  }
  return has_result(rows, ImportRow::Result::failed) ? 1 : 0;
}

int run(const ImportOptions& options) {
  if (options.program != "hermes") {
    return usage_error("import",
                       "settings can be taken over from hermes only, not from \"" + shown_line(options.program) + "\"");
  }
  if (const Result<> allowed = refuse_inside_job("nothing can be imported"); !allowed) return fail(allowed.error());
  const Result<int> code = import_all(options);
  return code ? *code : fail(code.error());
}

Run declare_import(CommandLine& line) {
  auto options = std::make_shared<ImportOptions>();
  line.required("PROGRAM", options->program, "hermes");
  line.option("--from", options->from, "DIR", "Read from this home (default: $HERMES_HOME, else ~/.hermes)");
  line.flag("--dry-run", options->dry_run, "Only show what would be imported");
  line.flag("-y,--yes", options->yes, "Import without asking");
  line.flag("--overwrite", options->overwrite, "Replace values that are already set here");
  line.flag("--copy-skills", options->copy_skills, "Copy its skills instead of reading them where they are");
  line.flag("--json", options->json, "Print JSON");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand import_command = {"import", "Take over settings, variables and skills of another program",
                                   R"(  talaria import hermes --dry-run         what there is to take over
  talaria import hermes                   shows it, asks, and imports
  talaria import hermes --from /mnt/old/.hermes --yes --copy-skills)",
                                   declare_import};

}  // namespace talaria
