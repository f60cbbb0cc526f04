#include "skills/catalog_origins.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/unseen.h"
#include "json/json.h"
#include "os/fd.h"
#include "os/file.h"
#include "skills/skill_origins.h"

namespace talaria {
namespace {

std::optional<Trust> trust_in(const Json& entry) {
  const JsonObject* fields = entry.if_object();
  if (!fields) return std::nullopt;
  if (is_adopted(*fields)) return Trust::local;
  const std::string name = text_or(*fields, "trust");
  for (const Trust trust : {Trust::official, Trust::trusted, Trust::community, Trust::agent_created}) {
    if (name == name_of(trust)) return trust;
  }
  return std::nullopt;
}

std::string plain_folder(std::string_view folder) {
  while (folder.starts_with("./")) folder.remove_prefix(2);
  while (folder.ends_with('/')) folder.remove_suffix(1);
  return std::string(folder);
}

SkillOrigins unreadable(std::string problem, const std::string& path) {
  SkillOrigins origins;
  origins.problem = std::move(problem);
  origins.diagnostics.push_back(
      {Severity::error, path,
       "it does not say where skills came from, so all beside it count as community: " + origins.problem});
  return origins;
}

Result<std::string> read_text(const UniqueFd& file) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return Error::from_errno("look at it");
  if (!S_ISREG(info.st_mode)) return invalid("it is not a regular file");
  if (static_cast<uint64_t>(info.st_size) > most_origins_bytes) return invalid("it is larger than 16 MiB");
  return read_at(file.get(), 0, static_cast<size_t>(info.st_size));
}

}  // namespace

Trust lesser(Trust one, Trust other) {
  constexpr std::array order = {Trust::community, Trust::agent_created, Trust::local,
                                Trust::trusted,   Trust::official,      Trust::builtin};
  return *std::find_if(order.begin(), order.end(), [&](Trust trust) { return trust == one || trust == other; });
}

Trust SkillOrigins::trust_of(std::string_view folder) const {
  if (!problem.empty()) return Trust::community;
  while (true) {
    const auto found = by_folder.find(folder);
    if (found != by_folder.end()) return found->second;
    if (folder.empty()) return Trust::local;
    const size_t slash = folder.rfind('/');
    folder = slash == std::string_view::npos ? std::string_view() : folder.substr(0, slash);
  }
}

SkillOrigins parse_origins(std::string_view text, const std::string& path) {
  Result<JsonObject> entries = parse_json_object(text);
  if (!entries) return unreadable(entries.error().message(), path);
  SkillOrigins origins;
  for (const auto& entry : *entries) {
    const std::string folder = plain_folder(entry.key());
    std::optional<Trust> trust = trust_in(entry.value());
    if (!trust) {
      origins.diagnostics.push_back({Severity::warning, path,
                                     "the trust of " + shown_line(folder) +
                                         " is none of official, trusted, community, agent-created; it counts as "
                                         "community"});
      trust = Trust::community;
    }
    const auto [known, added] = origins.by_folder.emplace(folder, *trust);
    if (!added) known->second = lesser(known->second, *trust);
  }
  return origins;
}

SkillOrigins read_origins(int directory, const std::string& root) {
  const std::string path = root + "/" + origins_file;
  const Sighting seen = see(directory, origins_file);
  SkillOrigins origins;
  if (seen.failure == 0) {
    const UniqueFd file(::openat(directory, origins_file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    Result<std::string> text = file ? read_text(file) : Error::from_errno("open it");
    origins = text ? parse_origins(*text, path) : unreadable(text.error().message(), path);
  } else if (seen.failure != ENOENT) {
    origins = unreadable(Error::from_number(seen.failure, "look at it").message(), path);
  }
  origins.seen = seen;
  return origins;
}

}  // namespace talaria
