#include "files/search.h"

#include <algorithm>
#include <cctype>

#include "base/utf8.h"
#include "files/failure.h"
#include "files/match_page.h"
#include "files/path_page.h"
#include "files/search_complaint.h"
#include "files/text_encoding.h"

namespace talaria {
namespace {

constexpr size_t most_agent_content = 500;       // characters of a line
constexpr size_t most_program_content = 20'000;  // bytes of a line
constexpr size_t most_agent_result = 200'000;    // bytes of all lines and paths
constexpr size_t most_program_result = (16 << 20) - (1 << 20);
constexpr size_t entry_overhead = 64;  // of the JSON around a line

size_t most_text_bytes(const SearchRequest& request) {
  return request.audience == Audience::agent ? most_agent_content * 4 : most_program_content;
}

size_t most_result(const SearchRequest& request) {
  return request.audience == Audience::agent ? most_agent_result : most_program_result;
}

std::string shown(const std::string& text, const SearchRequest& request) {
  const std::string valid = valid_utf8(text);
  if (request.audience == Audience::program) return valid;
  return std::string(first_characters(valid, most_agent_content));
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
    array.push_back(Json(std::move(text)));
  }
  return array;
}

Result<> check(const SearchRequest& request, const SearchPrograms& programs) {
  if (programs.rg.empty() && programs.grep.empty())
    return Error(ErrorCode::unavailable, "search: neither rg (ripgrep) nor grep is installed");
  if (request.pattern.empty() && request.target == SearchTarget::content)
    return invalid("search: pattern must not be empty");
  for (const std::string* text : {&request.pattern, &request.path, &request.file_glob}) {
    if (text->find('\0') != std::string::npos) return invalid("search: a pattern or path must not hold a zero byte");
  }
  if (request.path.empty()) return invalid("search: path must not be empty");
  if (request.limit < 1 || request.limit > most_search_limit)
    return invalid("search: limit must be from 1 to " + std::to_string(most_search_limit));
  if (request.offset > most_search_offset)
    return invalid("search: offset must be at most " + std::to_string(most_search_offset));
  if (request.context > most_search_context)
    return invalid("search: context must be at most " + std::to_string(most_search_context));
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
               programs.rg.empty() && variant_ != SearchVariant::all_files ? SearchFilter::Hidden::skipped
                                                                           : SearchFilter::Hidden::as_named),
        matches(command.order, request.offset, request.limit, request.context),
        paths(command.order, request.offset, request.limit) {
    switch (command.format) {
      case SearchFormat::rg_events:
        reader = std::make_unique<RgReader>(filter, matches, most_text_bytes(request));
        break;
      case SearchFormat::rg_lines:
        reader = std::make_unique<MatchLineReader>(filter, matches, most_text_bytes(request), "");
        break;
      case SearchFormat::grep_lines:
        reader =
            std::make_unique<MatchLineReader>(filter, matches, most_text_bytes(request), for_grep(request.pattern));
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
  return Search(std::move(request), std::move(programs), gate);
}

std::optional<std::vector<std::string>> Search::next_command() {
  if (!main_ended_) return main_->command.argv;
  if (!hint_ && !variants_.empty()) {
    hint_ = start(variants_.back());
    variants_.pop_back();
  }
  if (!hint_) return std::nullopt;
  return hint_->command.argv;
}

void Search::take(std::string_view output) {
  if (!main_ended_) main_->reader->take(output);
  else if (hint_) hint_->reader->take(output);
}

void Search::ended(int exit_code) {
  if (!main_ended_) {
    main_ended_ = true;
    exit_code_ = exit_code;
    main_->reader->finish();
    if (main_->found() == 0 && (exit_code == 0 || exit_code == 1)) variants_ = variants_to_try();
    return;
  }
  if (!hint_) return;
  hint_->reader->finish();
  note_hint(*hint_);
  hint_.reset();
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

JsonObject Search::failure_of(const Run& run) const {
  if (run.reader->complaint().empty())
    return failure("search " + request_.path + ": it is not there, or cannot be read", request_.path);
  const SearchComplaint complaint = explain_complaint(run.reader->complaint());
  JsonObject object = failure(complaint.message, request_.path);
  if (complaint.position > 0) object["position"] = complaint.position;
  return object;
}

void Search::add_matches(JsonObject& object) const {
  JsonArray matches;
  size_t bytes = 0;
  for (const FoundMatch& match : main_->matches.page()) {
    JsonObject one{{"path", valid_utf8(match.path)}, {"line", match.line}, {"column", match.column}};
    std::string text = shown(match.text, request_);
    bytes += written_bytes(text) + match.path.size() + entry_overhead;
    one["content"] = std::move(text);
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
  if (main_ended_ && exit_code_ == 2 && main_->found() == 0) return failure_of(*main_);
  JsonObject object;
  const bool has_matches = request_.target == SearchTarget::content && request_.output == SearchOutput::content;
  if (has_matches) add_matches(object);
  else add_paths(object);
  if (!hints_.empty()) object["hints"] = hints_;
  if (!main_ended_ || exit_code_ < 0 || exit_code_ > 2) object["incomplete"] = true;
  return object;
}

}  // namespace talaria
