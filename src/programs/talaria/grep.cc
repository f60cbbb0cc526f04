#include "base/text.h"
#include "base/unseen.h"
#include "talaria/commands.h"
#include "talaria/print.h"
#include "talaria/tool_request.h"

namespace talaria {
namespace {

struct GrepOptions {
  std::string pattern;
  std::optional<std::string> path;
  std::optional<std::string> glob;
  std::optional<int64_t> limit;
  std::optional<int64_t> offset;
  std::optional<int64_t> context;
  std::optional<std::string> session;
  bool ignore_case = false;
  bool files = false;
  bool names = false;
  bool count = false;
  bool json = false;
};

std::string place(const JsonObject& match, char mark, int64_t line) {
  return coloured(Colour::green, shown_line(text_or(match, "path"))) + mark + std::to_string(line) + mark;
}

std::vector<std::string> texts_in(const JsonObject& object, std::string_view name) {
  std::vector<std::string> texts;
  if (const Json* list = object.if_contains(name); list && list->is_array()) {
    for (const Json& text : list->get_array()) texts.emplace_back(text.get_string());
  }
  return texts;
}

// Prints matches with the lines around them; those that two of them share once.
class MatchPrinter {
 public:
  void print(const JsonObject& match, const JsonObject* next) {
    if (text_or(match, "path") != path_) shown_ = 0;
    path_ = text_or(match, "path");
    const int64_t line = integer_or(match, "line");
    const std::vector<std::string> before = texts_in(match, "before");
    int64_t number = line - static_cast<int64_t>(before.size());
    if (shown_ > 0 && number > shown_ + 1 && match.contains("before")) print_line("--");
    for (const std::string& text : before) put(match, '-', number++, text);
    put(match, ':', line, text_or(match, "content"));
    const bool same = next && text_or(*next, "path") == path_;
    const int64_t end = same ? integer_or(*next, "line") : INT64_MAX;
    for (const std::string& text : texts_in(match, "after")) {
      if (++number < end) put(match, '-', number, text);
    }
  }

 private:
  void put(const JsonObject& match, char mark, int64_t line, const std::string& text) {
    if (line <= shown_) return;
    shown_ = line;
    print_line(place(match, mark, line) + for_terminal(text));
  }

  std::string path_;
  int64_t shown_ = 0;  // up to which line of the file
};

void print_matches(const JsonArray& matches) {
  MatchPrinter printer;
  for (size_t at = 0; at < matches.size(); ++at) {
    printer.print(matches[at].get_object(), at + 1 < matches.size() ? &matches[at + 1].get_object() : nullptr);
  }
}

void print_found(const JsonObject& found) {
  if (const Json* matches = found.if_contains("matches"); matches && matches->is_array()) {
    print_matches(matches->get_array());
  }
  for (const std::string& file : texts_in(found, "files")) print_line(shown_line(file));
  if (const Json* counts = found.if_contains("counts"); counts && counts->is_array()) {
    for (const Json& item : counts->get_array()) {
      const JsonObject& one = item.get_object();
      print_line(shown_line(text_or(one, "path")) + ":" + std::to_string(integer_or(one, "count")));
    }
  }
  for (const std::string& hint : texts_in(found, "hints")) remark(hint);
  if (const std::string note = text_or(found, "note"); !note.empty()) remark(note);
  if (!boolean_or(found, "truncated")) return;
  remark(with_commas(static_cast<uint64_t>(integer_or(found, "total_count"))) + " in all; go on with --offset " +
         std::to_string(integer_or(found, "next_offset")));
}

int run(const GrepOptions& options) {
  if (options.names && options.count) return usage_error("grep", "either -l or -c, not both");
  const bool folded = options.ignore_case && !options.files;
  JsonObject arguments{{"pattern", (folded ? "(?i)" : "") + options.pattern}, {"path", options.path.value_or(".")}};
  if (options.files) arguments["target"] = "files";
  if (options.names) arguments["output_mode"] = "files_only";
  if (options.count) arguments["output_mode"] = "count";
  set_if(arguments, "file_glob", options.glob);
  set_if(arguments, "offset", options.offset);
  set_if(arguments, "context", options.context);
  arguments["limit"] = options.limit.value_or(1000);
  JsonObject extras;
  const Result<JsonObject> found = request_tool("search_files", std::move(arguments), options.session, &extras);
  if (options.json && !extras.empty()) print_json(extras);
  if (!found) return options.json && !extras.empty() ? 2 : fail(found.error(), 2);
  if (!options.json) print_found(*found);
  return integer_or(*found, "total_count") > 0 ? 0 : 1;
}

Run declare_grep(CommandLine& line) {
  auto options = std::make_shared<GrepOptions>();
  line.required("PATTERN", options->pattern, "A regular expression; with --files a glob");
  line.optional("PATH", options->path, "Where to search (default .)");
  line.flag("-i,--ignore-case", options->ignore_case, "Treat upper and lower case as the same");
  line.flag("--files", options->files, "Find files by name instead");
  line.option("-g,--glob", options->glob, "GLOB", "Search only files whose path matches");
  line.flag("-l,--names", options->names, "Print only the names of files with a match");
  line.flag("-c,--count", options->count, "Count the matches in each file");
  line.option("-C,--context", options->context, "LINES", "Show this many lines before and after each match");
  line.option("--limit", options->limit, "N", "Show at most N results (default 1000)");
  line.option("--offset", options->offset, "N", "Skip the first N results");
  line.option("--session", options->session, "NAME", "Use another session of this workspace");
  line.flag("--json", options->json, "Print what a program gets");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand grep_command = {"grep", "Search files as an agent does: contents, or names with --files",
                                 R"(  talaria grep 'deprecated_\w+' src
  talaria grep --files '*.yaml'
  talaria grep -c error logs -g '*.log')",
                                 declare_grep};

}  // namespace talaria
