// The tools that read and change files.
#include "tools/built_in.h"
#include "tools/schema.h"

namespace talaria {
namespace {

constexpr int64_t longest_file_text = 8 << 20;
constexpr int64_t most_lines = 1'000'000'000;

JsonObject path_parameter(std::string_view description) {
  JsonObject schema = typed("string", description);
  schema["minLength"] = 1;
  schema["maxLength"] = longest_path_parameter;
  return schema;
}

JsonObject text_parameter(std::string_view description) {
  JsonObject schema = typed("string", description);
  schema["maxLength"] = longest_file_text;
  return schema;
}

}  // namespace

ToolSpec read_file_spec() {
  ToolSpec spec;
  spec.name = "read_file";
  spec.toolset = Toolset::file;
  spec.description =
      "Read a text file, shown as LINE|TEXT. Use this instead of cat, head or tail. Long files come in pages: go on at "
      "next_offset. If there is no such file, similar names are shown.";
  spec.parameters = {{"path", path_parameter("The file")},
                     {"offset", whole_number(1, most_lines, "First line to show (default 1)")},
                     {"limit", whole_number(1, most_lines, "Number of lines (default 2000)")}};
  spec.required = {"path"};
  spec.hints = {.read_only = true, .destructive = false, .idempotent = true};
  return spec;
}

ToolSpec write_file_spec() {
  ToolSpec spec;
  spec.name = "write_file";
  spec.toolset = Toolset::file;
  spec.description =
      "Write a whole file, making directories as needed; what was there is replaced. Use this instead of echo or a "
      "here-document, and patch to change a part. Refused if the file changed since you read it.";
  spec.parameters = {{"path", path_parameter("The file")},
                     {"content", text_parameter("The whole text")},
                     {"force", typed("boolean", "Write it also if it changed since it was read")}};
  spec.required = {"path", "content"};
  spec.hints = {.idempotent = true};
  return spec;
}

ToolSpec search_files_spec() {
  ToolSpec spec;
  spec.name = "search_files";
  spec.toolset = Toolset::file;
  spec.description =
      "Search file contents with a regular expression, or find files by name with target=\"files\". Use this instead "
      "of grep, find or ls. Hidden and git-ignored files are left out.";
  spec.parameters = {{"pattern", text_parameter("A regular expression; for files a glob such as *.py or src/**/*.h")},
                     {"target", one_of({"content", "files"}, "What to search (default content)")},
                     {"path", path_parameter("Directory or file to search in (default .)")},
                     {"file_glob", typed("string", "Only in files such as *.py or tests/**")},
                     {"limit", whole_number(1, 100'000, "Most results (default 50)")},
                     {"offset", whole_number(0, 100'000'000, "Results to skip (default 0)")},
                     {"output_mode", one_of({"content", "files_only", "count"},
                                            "Matching lines, file names or counts per file (default content)")},
                     {"context", whole_number(0, 100, "Lines to show around each match, up to 100 (default 0)")}};
  spec.required = {"pattern"};
  spec.hints = {.read_only = true, .destructive = false, .idempotent = true};
  return spec;
}

ToolSpec patch_spec() {
  ToolSpec spec;
  spec.name = "patch";
  spec.toolset = Toolset::file;
  spec.description =
      "Change a part of a file: old_string becomes new_string; small differences in white space are forgiven. Or "
      "mode=\"patch\" for several files at once, all or none: *** Begin Patch / *** Update File: path / @@ / lines "
      "with "
      "' ', '-' or '+' in front / *** End Patch, also Add File, Delete File, Move File. Use this instead of sed.";
  spec.parameters = {{"path", path_parameter("replace: the file")},
                     {"old_string", text_parameter("replace: text to replace, unique unless replace_all")},
                     {"new_string", text_parameter("replace: the new text")},
                     {"replace_all", typed("boolean", "replace: every occurrence (default false)")},
                     {"mode", one_of({"replace", "patch"}, "replace (default) or patch")},
                     {"patch", text_parameter("patch: the patch")},
                     {"diff", typed("boolean", "Show the change as a diff")}};
  return spec;
}

}  // namespace talaria
