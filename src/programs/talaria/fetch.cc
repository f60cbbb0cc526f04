#include "talaria/commands.h"
#include "talaria/print.h"
#include "talaria/tool_request.h"

namespace talaria {
namespace {

struct FetchOptions {
  std::vector<std::string> urls;
  std::optional<int64_t> limit;
  std::optional<std::string> session;
  bool json = false;
};

// Each page's content to stdout, what went wrong to stderr; false when that is all there is.
bool print_page(const JsonObject& page, bool alone) {
  const std::string url = text_or(page, "url"), error = text_or(page, "error"), content = text_or(page, "content");
  if (!error.empty()) complain(url + ": " + error);
  if (content.empty()) return error.empty();
  if (!alone) print_line(coloured(Colour::bold, "==> " + url + " <=="));
  print_line(for_terminal(content));
  if (!alone) print("\n");
  return error.empty();
}

int run(const FetchOptions& options) {
  JsonObject arguments{{"urls", JsonArray(options.urls.begin(), options.urls.end())}};
  set_if(arguments, "char_limit", options.limit);
  JsonObject extras;
  const Result<JsonObject> pages = request_tool("web_extract", std::move(arguments), options.session, &extras);
  if (options.json && !extras.empty()) print_json(extras);
  if (!pages) return options.json && !extras.empty() ? 1 : fail(pages.error());
  bool fine = true;
  const Json* results = pages->if_contains("results");
  if (!results || !results->is_array()) return 1;
  for (const Json& page : results->get_array()) {
    const bool good =
        options.json ? !page.get_object().contains("error") : print_page(page.get_object(), options.urls.size() == 1);
    fine = fine && good;
  }
  return fine ? 0 : 1;
}

Run declare_fetch(CommandLine& line) {
  auto options = std::make_shared<FetchOptions>();
  line.list("URL", options->urls, CommandLine::AtLeast::one, "Up to five addresses");
  line.option("--limit", options->limit, "CHARACTERS", "Print at most this many characters of each page");
  line.option("--session", options->session, "NAME", "Use another session of this workspace");
  line.flag("--json", options->json, "Print what a program gets");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand fetch_command = {"fetch", "Print web pages as markdown, as an agent reads them",
                                  R"(  talaria fetch https://example.org
  talaria fetch --json https://example.org/a.pdf)",
                                  declare_fetch};

}  // namespace talaria
