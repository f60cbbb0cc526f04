#include "files/search_request.h"

#include <filesystem>
#include <utility>

#include "files/name_glob.h"

namespace talaria {
namespace {

Error wrong_parameter(const std::string& name, const std::string& reason) {
  return invalid("search_files parameter \"" + name + "\" must " + reason);
}

}  // namespace

Result<> check_search(const SearchRequest& request) {
  if (request.pattern.empty() && request.target == SearchTarget::content)
    return wrong_parameter("pattern", "not be empty");
  if (request.path.empty()) return wrong_parameter("path", "not be empty");
  const std::pair<const char*, const std::string*> texts[] = {
      {"pattern", &request.pattern}, {"path", &request.path}, {"file_glob", &request.file_glob}};
  for (const auto& [name, text] : texts)
    if (text->find('\0') != std::string::npos) return wrong_parameter(name, "not hold a zero byte");
  if (request.limit < 1 || request.limit > most_search_limit)
    return wrong_parameter("limit", "be from 1 to " + std::to_string(most_search_limit));
  if (request.offset > most_search_offset)
    return wrong_parameter("offset", "be at most " + std::to_string(most_search_offset));
  if (request.context > most_search_context)
    return wrong_parameter("context", "be at most " + std::to_string(most_search_context));
  if (request.target != SearchTarget::files) return ok;
  if (request.output == SearchOutput::count)
    return wrong_parameter("output_mode", "not be \"count\" with target=\"files\"");
  if (request.context > 0) return wrong_parameter("context", "be 0 with target=\"files\"");
  return ok;
}

void begin_globs_in_path(SearchRequest& request) {
  const std::string asked = (std::filesystem::path(request.cwd) / request.path).lexically_normal();
  for (const std::string& folder : {asked, request.real_path}) {
    if (request.target == SearchTarget::files) request.pattern = glob_within(request.pattern, folder);
    request.file_glob = glob_within(request.file_glob, folder);
  }
}

}  // namespace talaria
