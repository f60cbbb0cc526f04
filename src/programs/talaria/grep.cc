#include "base/text.h"
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
  bool files = false;
  bool names = false;
  bool count = false;
  bool json = false;
};

std::string place(const JsonObject& match, char mark, int64_t line) {
  return coloured(Colour::green, text_or(match, "path")) + mark + std::to_string(line) + mark;
}

std::vector<std::string> texts_in(const JsonObject& object, std::string_view name) {
  std::vector<std::string> texts;
  if (const Json* list = object.if_contains(name); list && list->is_array()) {
    for (const Json& text : list->get_array()) texts.emplace_back(text.get_string());
  }
  return texts;
}

void print_match(const JsonObject& match) {
  const int64_t line = integer_or(match, "line");
  const std::vector<std::string> before = texts_in(match, "before");
  int64_t number = line - static_cast<int64_t>(before.size());
  for (const std::string& text : before) print_line(place(match, '-', number++) + for_terminal(text));
  print_line(place(match, ':', line) + for_terminal(text_or(match, "content")));
  for (const std::string& text : texts_in(match, "after")) print_line(place(match, '-', ++number) + for_terminal(text));
}

void print_found(const JsonObject& found) {
  if (const Json* matches = found.if_contains("matches"); matches && matches->is_array()) {
    for (const Json& match : matches->get_array()) print_match(match.get_object());
  }
  for (const std::string& file : texts_in(found, "files")) print_line(file);
  if (const Json* counts = found.if_contains("counts"); counts && counts->is_array()) {
    for (const Json& item : counts->get_array()) {
      const JsonObject& one = item.get_object();
      print_line(text_or(one, "path") + ":" + std::to_string(integer_or(one, "count")));
    }
  }
  for (const std::string& hint : texts_in(found, "hints")) remark(hint);
  if (!boolean_or(found, "truncated")) return;
  remark(with_commas(static_cast<uint64_t>(integer_or(found, "total_count"))) + " in all; go on with --offset " +
         std::to_string(integer_or(found, "next_offset")));
}

int run(const GrepOptions& options) {
  if (options.names && options.count) return usage_error("grep", "either -l or -c, not both");
  JsonObject arguments{{"pattern", options.pattern}, {"path", options.path.value_or(".")}};
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

Run declare(CommandLine& line) {
  auto options = std::make_shared<GrepOptions>();
  line.required("PATTERN", options->pattern, "A regular expression; with --files a glob");
  line.optional("PATH", options->path, "Where to search (default .)");
  line.flag("--files", options->files, "Find files by name instead");
  line.option("-g,--glob", options->glob, "GLOB", "Only files whose path matches");
  line.flag("-l,--names", options->names, "Only the names of files with a match");
  line.flag("-c,--count", options->count, "How many matches each file has");
  line.option("-C,--context", options->context, "LINES", "Lines before and after each match");
  line.option("--limit", options->limit, "N", "At most so many results (default 1000)");
  line.option("--offset", options->offset, "N", "Skip so many");
  line.option("--session", options->session, "NAME", "Use another session of this workspace");
  line.flag("--json", options->json, "Print what a program gets");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand grep_command = {"grep", "Search files as an agent does: contents, or names with --files",
                                 R"(  talaria grep 'deprecated_\w+' src
  talaria grep --files '*.yaml'
  talaria grep -c error logs -g '*.log')",
                                 declare};

}  // namespace talaria
