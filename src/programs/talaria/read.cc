#include "base/text.h"
#include "base/unseen.h"
#include "talaria/commands.h"
#include "talaria/print.h"
#include "talaria/tool_request.h"

namespace talaria {
namespace {

struct ReadOptions {
  std::string path;
  std::optional<int64_t> offset;
  std::optional<int64_t> limit;
  std::optional<std::string> session;
  bool numbers = false;
  bool json = false;
};

std::string numbered(const std::string& content, int64_t first) {
  std::string text;
  std::vector<std::string> lines = split(content, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (const std::string& line : lines) text += std::to_string(first++) + "|" + line + "\n";
  return text;
}

int refuse(const Error& error, const JsonObject& extras) {
  std::string message = error.message();
  std::vector<std::string> similar;
  if (const Json* list = extras.if_contains("similar_files"); list && list->is_array()) {
    for (const Json& name : list->get_array()) similar.push_back(shown_line(name.get_string()));
  }
  if (!similar.empty()) message += "\nSimilar: " + join(similar, ", ");
  complain(message);
  return 1;
}

int run(const ReadOptions& options) {
  JsonObject arguments{{"path", options.path}};
  set_if(arguments, "offset", options.offset);
  set_if(arguments, "limit", options.limit);
  JsonObject extras;
  const Result<JsonObject> page = request_tool("read_file", std::move(arguments), options.session, &extras);
  if (options.json && !extras.empty()) {
    print_json(extras);
    return page ? 0 : 1;
  }
  if (!page) return refuse(page.error(), extras);
  const std::string content = text_or(*page, "content");
  const int64_t first = integer_or(*page, "offset", 1), shown = integer_or(*page, "lines_returned");
  print(for_terminal(options.numbers ? numbered(content, first) : content));
  if (const std::string hint = text_or(*page, "hint"); !hint.empty()) remark(hint);
  // A line that is too long may be the last one: then the hint says all.
  if (page->contains("next_offset")) {
    remark("lines " + std::to_string(first) + " to " + std::to_string(first + shown - 1) + " of " +
           with_commas(static_cast<uint64_t>(integer_or(*page, "total_lines"))) + "; go on with --offset " +
           std::to_string(integer_or(*page, "next_offset")));
  }
  return 0;
}

Run declare_read(CommandLine& line) {
  auto options = std::make_shared<ReadOptions>();
  line.required("FILE", options->path, "The file");
  line.option("-o,--offset", options->offset, "LINE", "Begin at this line (default 1)");
  line.option("-l,--limit", options->limit, "LINES", "Show at most this many lines (default 2000)");
  line.flag("-n,--numbers", options->numbers, "Put its number before each line, as an agent sees it");
  line.option("--session", options->session, "NAME", "Use another session of this workspace");
  line.flag("--json", options->json, "Print what a program gets");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand read_command = {"read", "Print a file as an agent sees it: decoded, in pages",
                                 R"(  talaria read src/main.cc
  talaria read -n --offset 100 --limit 20 big.log)",
                                 declare_read};

}  // namespace talaria
