#include "talaria/import_source.h"

#include <sys/stat.h>

#include <cstdlib>

#include "base/text.h"
#include "config/dotenv.h"
#include "config/wipe.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr size_t largest = 1 << 20;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool is_folder(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Result<std::string> read_if_there(const std::string& path) {
  Result<std::string> text = read_file(path, largest);
  if (!text && text.error().number() == ENOENT) return std::string();
  return text;
}

// By their names, as set-up scripts give them: google_token.json, client_secret.json.
std::vector<std::string> find_credential_files(const std::string& root) {
  std::vector<std::string> found;
  const Result<std::vector<std::string>> names = list_directory(root);
  if (!names) return found;
  for (const std::string& name : *names) {
    const std::string word = lower(name);
    const bool told = word.find("token") != std::string::npos || word.find("secret") != std::string::npos ||
                      word.find("credential") != std::string::npos;
    if (told && word.ends_with(".json") && !is_folder(root + "/" + name)) found.push_back(name);
  }
  return found;
}

Result<std::string> find_root(const std::optional<std::string>& from, const std::string& usual) {
  const std::string home = variable("HERMES_HOME");
  const std::string place = from ? *from : !home.empty() ? home : usual;
  if (place.empty()) return Error(ErrorCode::not_found, "HOME is not set; name the folder to import from with --from");
  if (!is_folder(place)) {
    return Error(ErrorCode::not_found,
                 "there is nothing to import: " + place + " is not a folder; name the right one with --from");
  }
  return real_path(place);
}

}  // namespace

Result<ImportSource> read_hermes_home(const std::optional<std::string>& from, const std::string& our_home) {
  const std::string user = variable("HOME");
  const std::string usual = user.empty() ? "" : user + "/.hermes";
  ImportSource source;
  source.root = TRY(find_root(from, usual));
  source.usual_place = !usual.empty() && real_path(usual) == source.root;
  if (source.root == real_path(our_home)) return invalid(source.root + " is Talaria's own home; name another one");
  source.config = TRY(read_if_there(source.root + "/config.yaml"));
  std::string dotenv = TRY(read_if_there(source.root + "/.env"));
  source.variables = parse_dotenv(dotenv);
  source.stray_lines = stray_dotenv_lines(dotenv);
  wipe(dotenv);
  source.has_skills = is_folder(source.root + "/skills");
  source.credential_files = find_credential_files(source.root);
  const bool any = exists(source.root + "/config.yaml") || exists(source.root + "/.env") || source.has_skills;
  if (!any) {
    return Error(ErrorCode::not_found,
                 source.root + " holds no config.yaml, no .env and no skills; name the right " + "folder with --from");
  }
  return source;
}

}  // namespace talaria
