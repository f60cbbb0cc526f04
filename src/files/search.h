#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "files/search_command.h"
#include "files/search_complaint.h"
#include "files/search_filter.h"
#include "files/search_reader.h"
#include "files/search_request.h"
#include "gate/file_gate.h"
#include "json/json.h"

namespace talaria {

// Of a line of a match, for an agent.
inline constexpr size_t most_agent_match_characters = 500;

// A search in files, or for files, by rg or grep. Somebody else runs the programs:
//   while (auto argv = search.next_command()) { run it in the request's cwd; take() what it prints; ended(its code); }
//
// The result is {total_count, matches: […], truncated}, and
// - matches: {path, line, column, content}, for content; with before and after, lists of lines, when context was asked
//   for. Columns count characters, from 1. total_count is the number of matching lines.
// - files: [path…], for files_only and names. total_count is the number of files.
// - counts: [{path, count}…], for count. total_count is the number of matching lines; offset and limit are of files.
// - next_offset when truncated; truncated_by: "bytes" when the limit was not reached, but a result's size.
// - hints: [text…] when nothing was found, but something similar would be.
// - incomplete: true when the program was stopped.
// - note: when files or folders could not be read by the program, it was stopped, or it read no ignore files.
// Files that may not be read are left out without a word: how many there are with a match would tell what is in them.
// matches is always there, and files and counts whenever they were asked for. All are in the order of paths. A search
// that cannot be is {error, path}; with position, the character of the pattern at which it is wrong.
class Search {
 public:
  // `gate` must outlive it.
  static Result<Search> plan(SearchRequest request, SearchPrograms programs, const FileGate& gate);

  // What to run next, until there is nothing more; the same until ended() is called.
  std::optional<std::vector<std::string>> next_command();
  void take(std::string_view output);
  void ended(int exit_code);
  // It took too long and was ended: what was found until then is the result, with `note`. Nothing more is run.
  void stopped(const std::string& note);
  // What runs has to be ended, for it waits for an ignore file; it is run again and reads none. `note` says why.
  void begin_again_without_ignore_files(const std::string& note);
  bool heeds_ignore_files() const;
  bool found_anything() const;

  // At any time; then of what was found so far.
  JsonObject result() const;

 private:
  struct Run;
  struct DeleteRun {
    void operator()(Run* run) const;
  };
  enum class Stage { searching, checking_path, hinting, failed };
  using OwnedRun = std::unique_ptr<Run, DeleteRun>;

  Search(SearchRequest request, SearchPrograms programs, const FileGate& gate);
  OwnedRun start(SearchVariant variant) const;
  std::vector<SearchVariant> variants_to_try() const;
  void note_hint(const Run& run);
  bool asks_for_files() const {
    return request_.target == SearchTarget::files || request_.output == SearchOutput::files_only;
  }
  void main_run_ended(int exit_code);
  void fail(const SearchComplaint& complaint);
  void begin_hints();
  void add_matches(JsonObject& object) const;
  void add_paths(JsonObject& object) const;

  SearchRequest request_;
  SearchPrograms programs_;
  const FileGate* gate_;
  OwnedRun main_;                        // what was asked for
  OwnedRun hint_;                        // what is run beside it
  std::vector<SearchVariant> variants_;  // still to be tried, the next one last
  JsonArray hints_;
  Stage stage_ = Stage::searching;
  int exit_code_ = 0;   // of what was asked for
  std::string note_;    // what else there is to say
  JsonObject failure_;  // the result, when it failed
};

}  // namespace talaria
