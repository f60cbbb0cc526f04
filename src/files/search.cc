#include "files/search.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "base/unseen.h"
#include "base/utf8.h"
#include "files/failure.h"
#include "files/match_page.h"
#include "files/path_page.h"
#include "files/search_complaint.h"
#include "files/search_pattern.h"
#include "files/text_encoding.h"

namespace talaria {
namespace {

constexpr size_t most_program_content = 20'000;  // bytes of a line
constexpr size_t most_agent_result = 200'000;    // bytes of all lines and paths
constexpr size_t most_program_result = (16 << 20) - (1 << 20);
constexpr int some_unread = 2;         // as both programs end when a file, a folder or the pattern was not to be read
constexpr size_t entry_overhead = 64;  // of the JSON around a line

size_t most_text_bytes(const SearchRequest& request) {
  return request.audience == Audience::agent ? most_agent_match_characters * 4 : most_program_content;
}

size_t most_result(const SearchRequest& request) {
  return request.audience == Audience::agent ? most_agent_result : most_program_result;
}

std::string shown(const std::string& text, const SearchRequest& request) {
  std::string valid = valid_utf8(text);
  if (request.audience == Audience::program) return valid;
  return std::string(first_characters(valid, most_agent_match_characters));
}

// Of a JSON string; what is escaped is counted as if all of it were.
size_t written_bytes(std::string_view text) {
  const auto escaped = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; };
  return text.size() + 5 * static_cast<size_t>(std::ranges::count_if(text, escaped));
}

JsonArray shown_all(const std::vector<std::string>& lines, const SearchRequest& request, size_t& bytes) {
  JsonArray array;
  for (const std::string& line : lines) {
    std::string text = shown(line, request);
    bytes += written_bytes(text) + 4;
    array.push_back(Json(text));
  }
  return array;
}

Result<> check(const SearchRequest& request, const SearchPrograms& programs) {
  if (programs.rg.empty() && programs.grep.empty())
    return Error(ErrorCode::unavailable, "search: neither rg (ripgrep) nor grep is installed");
  TRY(check_search(request));
  if (programs.rg.empty() && request.target == SearchTarget::content && spans_lines(request.pattern))
    return Error(ErrorCode::unavailable,
                 "search: a pattern that spans lines needs rg (ripgrep), which is not installed");
  return ok;
}

NameGlob glob_for(const SearchRequest& request, SearchVariant variant) {
  if (request.target == SearchTarget::content) return NameGlob(request.file_glob);
  return NameGlob(glob_of_word(request.pattern),
                  variant == SearchVariant::case_ignored ? LetterCase::ignored : LetterCase::as_written);
}

}  // namespace

// One program, what it is asked and what is read of it.
struct Search::Run {
  Run(const SearchRequest& request, const SearchPrograms& programs, const FileGate& gate, SearchVariant variant_)
      : variant(variant_),
        command(search_command(request, programs, glob_for(request, variant_), variant_)),
        filter(request, gate, glob_for(request, variant_),
               variant_ == SearchVariant::all_files ? SearchFilter::Hidden::taken : SearchFilter::Hidden::skipped),
        matches(command.order, request.offset, request.limit, request.context),
        paths(command.order, request.offset, request.limit) {
    switch (command.format) {
      case SearchFormat::rg_events:
        reader = std::make_unique<RgReader>(filter, matches, most_text_bytes(request));
        break;
      case SearchFormat::rg_lines:
        reader = std::make_unique<MatchLineReader>(filter, matches, most_text_bytes(request), request.path);
        break;
      case SearchFormat::grep_lines:
        reader = std::make_unique<MatchLineReader>(filter, matches, most_text_bytes(request), request.path,
                                                   for_grep(request.pattern));
        break;
      default: reader = std::make_unique<PathReader>(filter, paths, command.format);
    }
  }

  uint64_t found() const { return matches.total() + paths.paths(); }

  SearchVariant variant;
  SearchCommand command;
  SearchFilter filter;
  MatchPage matches;
  PathPage paths;
  std::unique_ptr<SearchReader> reader;  // of the two pages above
};

void Search::DeleteRun::operator()(Run* run) const { delete run; }

Search::Search(SearchRequest request, SearchPrograms programs, const FileGate& gate)
    : request_(std::move(request)),
      programs_(std::move(programs)),
      gate_(&gate),
      main_(start(SearchVariant::as_asked)) {}

Search::OwnedRun Search::start(SearchVariant variant) const {
  return OwnedRun(new Run(request_, programs_, *gate_, variant));
}

Result<Search> Search::plan(SearchRequest request, SearchPrograms programs, const FileGate& gate) {
  TRY(check(request, programs));
  begin_globs_in_path(request);
  Search search(std::move(request), std::move(programs), gate);
  if (search.programs_.rg.empty() && search.request_.target == SearchTarget::content) {
    const GrepPattern pattern = for_grep(search.request_.pattern);
    if (pattern.fault) search.fail(*pattern.fault);
  }
  return search;
}

std::optional<std::vector<std::string>> Search::next_command() {
  switch (stage_) {
    case Stage::searching: return main_->command.argv;
    case Stage::checking_path: return path_check(request_, programs_).argv;
    case Stage::hinting: break;
    case Stage::failed: return std::nullopt;
  }
  if (!hint_ && !variants_.empty()) {
    hint_ = start(variants_.back());
    variants_.pop_back();
  }
  if (!hint_) return std::nullopt;
  return hint_->command.argv;
}

void Search::take(std::string_view output) {
  if (stage_ == Stage::searching) main_->reader->take(output);
  else if (stage_ == Stage::hinting && hint_) hint_->reader->take(output);
}

void Search::ended(int exit_code) {
  switch (stage_) {
    case Stage::searching: return main_run_ended(exit_code);
    case Stage::checking_path:
      if (exit_code == some_unread)
        return fail({"search " + shown_line(request_.path) + ": it is not there, or cannot be read"});
      return begin_hints();
    case Stage::hinting: break;
    case Stage::failed: return;
  }
  if (!hint_) return;
  hint_->reader->finish();
  note_hint(*hint_);
  hint_.reset();
}

void Search::stopped(const std::string& note) {
  if (stage_ == Stage::searching) {
    constexpr int ended_by_us = -1;
    exit_code_ = ended_by_us;
    main_->reader->finish();
    note_ = note_.empty() ? note : note_ + "; " + note;
  }
  hint_.reset();
  variants_.clear();
  if (stage_ != Stage::failed) stage_ = Stage::hinting;
}

void Search::begin_again_without_ignore_files(const std::string& note) {
  if (stage_ != Stage::searching) return stopped("");  // the result is there, and a hint is not worth the trouble
  request_.ignore_files = IgnoreFiles::unread;
  note_ = note;
  main_ = start(SearchVariant::as_asked);
}

bool Search::heeds_ignore_files() const {
  return !programs_.rg.empty() && request_.ignore_files == IgnoreFiles::heeded;
}

bool Search::found_anything() const { return main_->found() > 0; }

void Search::main_run_ended(int exit_code) {
  exit_code_ = exit_code;
  main_->reader->finish();
  stage_ = Stage::hinting;
  if (main_->found() > 0 || exit_code < 0 || exit_code > some_unread) return;
  if (exit_code < some_unread || main_->reader->named_files()) return begin_hints();
  // Nothing was searched: the pattern is wrong, of which it speaks, or something could not be read, of which it does
  // not.
  if (!main_->reader->complaint().empty()) return fail(explain_complaint(main_->reader->complaint()));
  stage_ = Stage::checking_path;
}

void Search::fail(const SearchComplaint& complaint) {
  stage_ = Stage::failed;
  failure_ = failure(complaint.message, request_.path);
  if (complaint.position > 0) failure_["position"] = complaint.position;
}

void Search::begin_hints() {
  stage_ = Stage::hinting;
  variants_ = variants_to_try();
  const std::string& glob = request_.target == SearchTarget::files ? request_.pattern : request_.file_glob;
  if (glob.starts_with('/'))
    hints_.push_back(Json(shown_line("the glob " + glob + " begins in the searched folder, " + request_.path +
                                     "; to look elsewhere, give another path")));
}

// In the order of vectors that are taken from behind.
std::vector<SearchVariant> Search::variants_to_try() const {
  std::vector<SearchVariant> variants;
  const std::string& pattern = request_.pattern;
  if (request_.target == SearchTarget::content && pattern.find_first_of("\\.+*?()|[]{}^$") != std::string::npos)
    variants.push_back(SearchVariant::literal);
  variants.push_back(SearchVariant::all_files);
  if (std::ranges::any_of(pattern, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }))
    variants.push_back(SearchVariant::case_ignored);
  return variants;
}

void Search::note_hint(const Run& run) {
  if (run.found() == 0) return;
  const bool names = request_.target == SearchTarget::files;
  const uint64_t number = names ? run.paths.paths() : run.paths.total();
  const std::string found =
      std::to_string(number) + (names ? (number == 1 ? " file" : " files") : (number == 1 ? " line" : " lines"));
  const std::string match = number == 1 ? " matches" : " match";
  switch (run.variant) {
    case SearchVariant::case_ignored:
      hints_.push_back(Json(found + match + " when upper and lower case are not told apart" +
                            (names ? "" : ": begin the pattern with (?i)")));
      return;
    case SearchVariant::all_files:
      hints_.push_back(
          Json(found + match + " in hidden or ignored files, which are not searched; search them by a command"));
      return;
    case SearchVariant::literal:
      hints_.push_back(Json(found + match + " the pattern read as plain text: escape its special characters"));
      return;
    case SearchVariant::as_asked: return;
  }
}

void Search::add_matches(JsonObject& object) const {
  JsonArray matches;
  size_t bytes = 0;
  for (const FoundMatch& match : main_->matches.page()) {
    JsonObject one{{"path", valid_utf8(match.path)}, {"line", match.line}, {"column", match.column}};
    std::string text = shown(match.text, request_);
    bytes += written_bytes(text) + match.path.size() + entry_overhead;
    one["content"] = text;
    if (request_.context > 0) {
      one["before"] = shown_all(match.before, request_, bytes);
      one["after"] = shown_all(match.after, request_, bytes);
    }
    if (bytes > most_result(request_) && !matches.empty()) {
      object["truncated_by"] = "bytes";
      break;
    }
    matches.push_back(std::move(one));
  }
  const uint64_t total = main_->matches.total();
  const uint64_t next = request_.offset + matches.size();
  object["total_count"] = total;
  object["truncated"] = next < total && !matches.empty();
  if (next < total && !matches.empty()) object["next_offset"] = next;
  object["matches"] = std::move(matches);
}

void Search::add_paths(JsonObject& object) const {
  JsonArray entries;
  size_t bytes = 0;
  for (const auto& [path, count] : main_->paths.page()) {
    bytes += path.size() + entry_overhead;
    if (bytes > most_result(request_) && !entries.empty()) {
      object["truncated_by"] = "bytes";
      break;
    }
    if (asks_for_files()) entries.push_back(Json(valid_utf8(path)));
    else entries.push_back(JsonObject{{"path", valid_utf8(path)}, {"count", count}});
  }
  const uint64_t next = request_.offset + entries.size();
  const bool more = next < main_->paths.paths() && !entries.empty();
  object["total_count"] = asks_for_files() ? main_->paths.paths() : main_->paths.total();
  object["matches"] = JsonArray();
  object["truncated"] = more;
  if (more) object["next_offset"] = next;
  object[asks_for_files() ? "files" : "counts"] = std::move(entries);
}

JsonObject Search::result() const {
  if (stage_ == Stage::failed) return failure_;
  JsonObject object;
  const bool has_matches = request_.target == SearchTarget::content && request_.output == SearchOutput::content;
  if (has_matches) add_matches(object);
  else add_paths(object);
  if (!hints_.empty()) object["hints"] = hints_;
  const bool stopped = stage_ == Stage::searching || exit_code_ < 0 || exit_code_ > some_unread;
  std::vector<std::string> notes;
  if (stopped) object["incomplete"] = true;
  else if (exit_code_ == some_unread) notes.emplace_back("some files or folders could not be read and were left out");
  if (!note_.empty()) notes.push_back(note_);
  if (!notes.empty()) object["note"] = valid_utf8(join(notes, "; "));
  return object;
}

}  // namespace talaria
