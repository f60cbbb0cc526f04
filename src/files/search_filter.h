#pragma once
#include <string>
#include <string_view>

#include "files/name_glob.h"
#include "files/search_request.h"
#include "gate/file_gate.h"

namespace talaria {

// Which of the files that a program names are part of the result.
class SearchFilter {
 public:
  enum class Hidden { taken, skipped };  // skipped: unless a glob speaks of them
  enum class Answer { taken, left_out };

  SearchFilter(const SearchRequest& request, const FileGate& gate, NameGlob glob, Hidden hidden);

  // `path` as the program names it, without "./".
  Answer judge(std::string_view path) const;

 private:
  const FileGate& gate_;
  NameGlob glob_;
  NameGlob second_glob_;  // of a search for names that has a file_glob too
  Hidden hidden_;
  std::string cwd_;
  std::string root_;  // the searched folder as it was asked for, without "./"; empty: cwd
  std::string real_root_;
};

// Without "./" in front.
std::string_view plain_path(std::string_view path);

}  // namespace talaria
