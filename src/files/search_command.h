#pragma once
#include <string>
#include <vector>

#include "files/name_glob.h"
#include "files/search_request.h"

namespace talaria {

// How the output of a program is to be read.
enum class SearchFormat {
  rg_events,      // rg --json: several lines may be one match
  rg_lines,       // path NUL number ":" column ":" text, or path NUL number "-" text for context
  grep_lines,     // path NUL number ":" text, or "-" for context
  paths,          // path NUL
  counted_paths,  // path NUL number newline
  listed_paths,   // the same, where the number does not matter
};

// How a search differs from the one that was asked for, to see what would have been found.
enum class SearchVariant { as_asked, case_ignored, all_files, literal };

enum class SearchOrder { any, by_path };

struct SearchCommand {
  std::vector<std::string> argv;
  SearchFormat format = SearchFormat::paths;
  SearchOrder order = SearchOrder::any;
};

// Whether a match may span lines: the pattern speaks of a line end.
bool spans_lines(std::string_view pattern);

// With rg if there is one, else with grep. Variants other than as_asked count, whatever the output asked for.
SearchCommand search_command(const SearchRequest& request, const SearchPrograms& programs, const NameGlob& glob,
                             SearchVariant variant);

// Ends with 2 if the file or folder where the search begins cannot be opened, whatever is below it. Prints nothing.
SearchCommand path_check(const SearchRequest& request, const SearchPrograms& programs);

}  // namespace talaria
