#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/dotenv.h"
#include "talaria/import_row.h"

namespace talaria {

// A config text with what another program's says added to it.
struct ConfigImport {
  std::string text;
  std::vector<ImportRow> rows;
};

// What decides on an import beside the two texts.
struct ConfigImportRules {
  std::string root;                    // the other program's home: its relative paths begin there
  Existing existing = Existing::keep;  // for single values that are set here; lists are joined
  std::string skills_folder;           // to be added to skills.external_dirs, or empty
};

// `ours` with the settings of `theirs` that mean the same here; every other byte of `ours` stays. The same once more
// changes nothing. Errors start with "line:column: " and are about `theirs`.
Result<ConfigImport> import_config(std::string_view ours, std::string_view theirs, const ConfigImportRules& rules);

// A row for each variable of theirs, without its value, and which of them to set.
struct VariableImport {
  std::map<std::string, std::string> taken;
  std::vector<ImportRow> rows;
};
VariableImport import_variables(const std::map<std::string, std::string>& ours,
                                const std::map<std::string, std::string>& theirs, Existing existing);
// A row for each line of their .env that is no variable, by its number: what is in it may be a secret.
std::vector<ImportRow> stray_line_rows(const std::vector<size_t>& lines);

}  // namespace talaria
