#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"
#include "files/audience.h"

namespace talaria {

enum class SearchTarget { content, files };
enum class SearchOutput { content, files_only, count };
// Whether .gitignore and its like are read, and what they name is left out.
enum class IgnoreFiles { heeded, unread };

struct SearchRequest {
  std::string pattern = {};  // a regular expression; of names, a glob
  SearchTarget target = SearchTarget::content;
  std::string path = ".";      // as it was asked for: absolute, or below cwd
  std::string real_path = {};  // where it really leads, for the gate
  std::string file_glob = {};  // see NameGlob; begins in `path`
  uint64_t limit = 50;         // 1 to most_search_limit
  uint64_t offset = 0;         // up to most_search_offset
  SearchOutput output = SearchOutput::content;
  uint64_t context = 0;  // lines around a match, up to most_search_context
  std::string cwd = "/";
  Audience audience = Audience::agent;
  IgnoreFiles ignore_files = IgnoreFiles::heeded;
};

inline constexpr uint64_t most_search_limit = 100'000;
inline constexpr uint64_t most_search_offset = 100'000'000;
inline constexpr uint64_t most_search_context = 100;

// Absolute paths; empty where there is none.
struct SearchPrograms {
  std::string rg = {};
  std::string grep = {};
};

// Whether it can be at all; an error names the parameter.
Result<> check_search(const SearchRequest& request);

// Absolute globs of what is below `path` become globs that begin there.
void begin_globs_in_path(SearchRequest& request);

}  // namespace talaria
