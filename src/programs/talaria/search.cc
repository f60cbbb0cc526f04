#include "base/text.h"
#include "talaria/commands.h"
#include "talaria/print.h"
#include "talaria/tool_request.h"

namespace talaria {
namespace {

struct SearchOptions {
  std::vector<std::string> words;
  std::optional<int64_t> limit;
  std::optional<std::string> session;
  bool json = false;
};

void print_results(const JsonObject& found) {
  const JsonObject* data = object_or_null(found, "data");
  const Json* web = data ? data->if_contains("web") : nullptr;
  if (!web || !web->is_array()) return;
  if (web->get_array().empty()) print_line("No results.");
  for (const Json& item : web->get_array()) {
    const JsonObject& one = item.get_object();
    print_line(coloured(Colour::bold, text_or(one, "title")));
    print_line("  " + coloured(Colour::green, text_or(one, "url")));
    if (const std::string text = text_or(one, "description"); !text.empty()) print_line("  " + text);
  }
}

int run(const SearchOptions& options) {
  JsonObject arguments{{"query", join(options.words, " ")}};
  set_if(arguments, "limit", options.limit);
  JsonObject extras;
  const Result<JsonObject> found = request_tool("web_search", std::move(arguments), options.session, &extras);
  if (options.json && !extras.empty()) print_json(extras);
  if (!found) return options.json && !extras.empty() ? 1 : fail(found.error());
  if (!options.json) print_results(*found);
  return 0;
}

Run declare_search(CommandLine& line) {
  auto options = std::make_shared<SearchOptions>();
  line.list("WORD", options->words, CommandLine::AtLeast::one, "What to search for");
  line.option("--limit", options->limit, "N", "Show at most N results (default 5)");
  line.option("--session", options->session, "NAME", "Use another session of this workspace");
  line.flag("--json", options->json, "Print what a program gets");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand search_command = {"search", "Search the web, as an agent does (web.search.provider)",
                                   R"(  talaria search rust async runtimes
  talaria search --limit 10 --json 'sqlite wal')",
                                   declare_search};

}  // namespace talaria
