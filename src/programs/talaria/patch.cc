#include "base/unseen.h"
#include "os/file.h"
#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/print.h"
#include "talaria/tool_request.h"

namespace talaria {
namespace {

struct PatchOptions {
  std::optional<std::string> path;
  std::optional<std::string> old_text;
  std::optional<std::string> new_text;
  std::optional<std::string> patch;
  std::optional<std::string> session;
  bool all = false;
  bool json = false;
};

Result<JsonObject> arguments_of(const PatchOptions& options) {
  if (options.path) {
    if (!options.old_text || !options.new_text) return invalid("FILE needs --old and --new");
    return JsonObject{{"path", *options.path},
                      {"old_string", *options.old_text},
                      {"new_string", *options.new_text},
                      {"replace_all", options.all},
                      {"diff", true}};
  }
  if (options.old_text || options.new_text || options.all) return invalid("--old, --new and --all need a FILE");
  const std::string text = options.patch ? TRY(read_file(*options.patch)) : TRY(read_stdin());
  return JsonObject{{"mode", "patch"}, {"patch", text}, {"diff", true}};
}

void print_diff(const std::string& diff) {
  size_t begin = 0;
  while (begin < diff.size()) {
    const size_t end = std::min(diff.find('\n', begin), diff.size());
    const std::string line = diff.substr(begin, end - begin);
    const Colour colour = line.starts_with('+')   ? Colour::green
                          : line.starts_with('-') ? Colour::red
                          : line.starts_with('@') ? Colour::dim
                                                  : Colour::none;
    print_line(coloured(colour, for_terminal(line)));
    begin = end + 1;
  }
}

int run(const PatchOptions& options) {
  Result<JsonObject> arguments = arguments_of(options);
  if (!arguments && arguments.error().code() != ErrorCode::invalid_argument) return fail(arguments.error());
  if (!arguments) return usage_error("patch", arguments.error().message());
  JsonObject extras;
  const Result<JsonObject> done = request_tool("patch", *std::move(arguments), options.session, &extras);
  if (options.json && !extras.empty()) {
    print_json(extras);
    return done ? 0 : 1;
  }
  if (!done) return fail(done.error());
  const std::string diff = text_or(*done, "diff");
  print_diff(diff);
  if (const Json* files = done->if_contains("files_modified"); diff.empty() && files && files->is_array()) {
    for (const Json& file : files->get_array()) print_line("changed " + shown_line(file.get_string()));
  }
  if (boolean_or(*done, "no_change")) remark(text_or(*done, "note", "nothing to change"));
  if (const std::string how = text_or(*done, "strategy"); how != "exact" && !how.empty()) remark("matched by " + how);
  return 0;
}

Run declare_patch(CommandLine& line) {
  auto options = std::make_shared<PatchOptions>();
  line.optional("FILE", options->path, "The file to change; without it a whole patch is read from stdin");
  line.option("--old", options->old_text, "TEXT", "The passage to replace");
  line.option("--new", options->new_text, "TEXT", "The text that replaces it");
  line.flag("--all", options->all, "Replace every occurrence");
  line.option("-i,--input", options->patch, "PATCH", "Read the whole patch from this file");
  line.option("--session", options->session, "NAME", "Use another session of this workspace");
  line.flag("--json", options->json, "Print what a program gets");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand patch_command = {"patch", "Change files as an agent does: a passage, or a whole patch",
                                  R"(  talaria patch src/main.cc --old 'old_call(' --new 'new_call(' --all
  talaria patch < change.patch           *** Begin Patch … *** End Patch)",
                                  declare_patch};

}  // namespace talaria
