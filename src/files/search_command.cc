#include "files/search_command.h"

#include "files/search_pattern.h"

namespace talaria {
namespace {

// From here on rg sorts, on one thread, so that we keep only the page itself in memory.
constexpr uint64_t most_window = 2'000;

SearchFormat format_of(const SearchRequest& request, SearchVariant variant) {
  if (request.target == SearchTarget::files) return SearchFormat::paths;
  if (variant != SearchVariant::as_asked || request.output == SearchOutput::count) return SearchFormat::counted_paths;
  if (request.output != SearchOutput::content) return SearchFormat::paths;
  // Events are four times as long, and rg and we take twice the time for them.
  return spans_lines(request.pattern) ? SearchFormat::rg_events : SearchFormat::rg_lines;
}

SearchCommand rg_command(const SearchRequest& request, const std::string& rg, const NameGlob& glob,
                         SearchVariant variant) {
  SearchCommand command{{rg, "--no-config", "--no-messages", "--no-ignore-messages", "--color=never"}};
  std::vector<std::string>& argv = command.argv;
  command.format = format_of(request, variant);
  if (request.offset + request.limit > most_window && variant == SearchVariant::as_asked) {
    command.order = SearchOrder::by_path;
    argv.emplace_back("--sort=path");
  }
  // A type, not --glob: that would also find files which are ignored. Hidden ones are found, and left out by us.
  for (const std::string& name : glob.name_patterns()) argv.push_back("--type-add=wanted:" + name);
  if (!glob.name_patterns().empty()) argv.emplace_back("--type=wanted");
  if (glob.names_hidden() || NameGlob(request.file_glob).names_hidden()) argv.emplace_back("--hidden");
  if (variant == SearchVariant::all_files) argv.emplace_back("-uu");
  else if (request.ignore_files == IgnoreFiles::unread) argv.emplace_back("--no-ignore");
  if (variant == SearchVariant::case_ignored && request.target == SearchTarget::content)
    argv.emplace_back("--ignore-case");
  if (variant == SearchVariant::literal) argv.emplace_back("--fixed-strings");
  switch (command.format) {
    case SearchFormat::rg_events:
      argv.emplace_back("--json");
      if (request.context > 0) argv.push_back("--context=" + std::to_string(request.context));
      break;
    case SearchFormat::rg_lines:
      argv.insert(argv.end(), {"--null", "--with-filename", "--no-heading", "--line-number", "--column"});
      if (request.context > 0) argv.push_back("--context=" + std::to_string(request.context));
      break;
    case SearchFormat::counted_paths: argv.insert(argv.end(), {"--count", "--null", "--with-filename"}); break;
    default:
      argv.emplace_back("--null");
      argv.emplace_back(request.target == SearchTarget::files ? "--files" : "--files-with-matches");
  }
  if (request.target == SearchTarget::content) {
    if (spans_lines(request.pattern)) argv.emplace_back("--multiline");
    argv.insert(argv.end(), {"-e", request.pattern});
  }
  argv.insert(argv.end(), {"--", request.path});
  return command;
}

SearchCommand grep_command(const SearchRequest& request, const std::string& grep, const NameGlob& glob,
                           SearchVariant variant) {
  SearchCommand command{{grep, "-r", "-s", "-H", "--null", "--color=never", "-D", "skip"}};
  std::vector<std::string>& argv = command.argv;
  for (const std::string& name : glob.name_patterns()) argv.push_back("--include=" + name);
  if (request.target == SearchTarget::files) {
    // Lists every file, even an empty one, and reads no more than a line of it.
    command.format = SearchFormat::listed_paths;
    argv.insert(argv.end(), {"-c", "-a", "-m", "1", "-e", "", "--", request.path});
    return command;
  }
  argv.insert(argv.end(), {"-I", variant == SearchVariant::literal ? "-F" : "-E"});
  const GrepPattern pattern = for_grep(request.pattern);
  if (variant == SearchVariant::case_ignored || pattern.letters == LetterCase::ignored) argv.emplace_back("-i");
  command.format = format_of(request, variant);
  switch (command.format) {
    case SearchFormat::rg_events:
    case SearchFormat::rg_lines:
      command.format = SearchFormat::grep_lines;
      argv.emplace_back("-n");
      if (request.context > 0) argv.push_back("-C" + std::to_string(request.context));
      break;
    case SearchFormat::counted_paths: argv.emplace_back("-c"); break;
    default: argv.emplace_back("-l");
  }
  argv.insert(argv.end(),
              {"-e", variant == SearchVariant::literal ? request.pattern : pattern.text, "--", request.path});
  return command;
}

}  // namespace

bool spans_lines(std::string_view pattern) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\n') return true;
    if (pattern[i] != '\\' || i + 1 == pattern.size()) continue;
    if (pattern[++i] == 'n') return true;
  }
  return false;
}

SearchCommand search_command(const SearchRequest& request, const SearchPrograms& programs, const NameGlob& glob,
                             SearchVariant variant) {
  if (!programs.rg.empty()) return rg_command(request, programs.rg, glob, variant);
  return grep_command(request, programs.grep, glob, variant);
}

SearchCommand path_check(const SearchRequest& request, const SearchPrograms& programs) {
  if (!programs.rg.empty())
    return {{programs.rg, "--no-config", "--no-messages", "--quiet", "--max-depth=0", "-e", "", "--", request.path}};
  return {{programs.grep, "-s", "-q", "-d", "skip", "-D", "skip", "-e", "", "--", request.path}};
}

}  // namespace talaria
