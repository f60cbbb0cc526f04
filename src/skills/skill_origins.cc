#include "skills/skill_origins.h"

#include "base/clock.h"
#include "skills/skill.h"
#include "skills/skill_edit_tree.h"

namespace talaria {
namespace {

constexpr const char* file_name = "origins.json";

Result<JsonObject> load(int state) {
  Result<std::string> text = read_file_below(state, file_name, most_origins_bytes);
  if (!text && text.error().code() == ErrorCode::not_found) return JsonObject();
  Result<JsonObject> origins = text ? parse_json_object(*text) : Result<JsonObject>(text.error());
  if (origins) return origins;
  return std::move(origins).error().within(
      "skills/.talaria/origins.json says where skills came from and cannot be read; repair it first");
}

std::optional<JsonObject> entry_in(const JsonObject& origins, const std::string& directory) {
  const Json* entry = origins.if_contains(directory);
  if (!entry) return std::nullopt;
  // Not ours to judge here: an entry that makes no sense still says that a person did not put it there.
  return entry->is_object() ? entry->as_object() : JsonObject{{"trust", name_of(Trust::community)}};
}

std::optional<JsonObject> entry_in_effect(const JsonObject& origins, const std::string& directory) {
  for (std::string folder = directory; folder != "."; folder = parent_path(folder)) {
    if (std::optional<JsonObject> entry = entry_in(origins, folder)) return entry;
  }
  return entry_in(origins, "");
}

int rank(const std::optional<JsonObject>& origin) {
  if (origin && is_adopted(*origin)) return 2;
  const std::string trust = origin ? text_or(*origin, "trust") : "";
  if (trust == name_of(Trust::community)) return 0;
  return trust == name_of(Trust::agent_created) ? 1 : 2;
}

}  // namespace

bool is_adopted(const JsonObject& origin) { return boolean_or(origin, "adopted"); }

bool lends_less(const std::optional<JsonObject>& one, const std::optional<JsonObject>& other) {
  return rank(one) < rank(other);
}

Result<std::optional<JsonObject>> origin_of(int state, const std::string& directory) {
  return entry_in(TRY(load(state)), directory);
}

Result<std::optional<JsonObject>> origin_in_effect(int state, const std::string& directory) {
  return entry_in_effect(TRY(load(state)), directory);
}

Result<std::vector<std::string>> folders_of_origins(int state) {
  std::vector<std::string> folders;
  for (const auto& entry : TRY(load(state))) folders.emplace_back(entry.key());
  return folders;
}

Result<> set_origin(int state, const std::string& directory, const std::optional<JsonObject>& origin) {
  JsonObject origins = TRY(load(state));
  if (entry_in(origins, directory) == origin) return ok;
  if (origin) origins[directory] = *origin;
  else origins.erase(directory);
  return write_file_below(state, file_name, write_json_pretty(origins), 0600);
}

Result<JsonObject> origin_after_change(int state, const std::string& directory, const std::string& who) {
  const JsonObject origins = TRY(load(state));
  JsonObject origin{{"trust", name_of(Trust::agent_created)}};
  const std::optional<JsonObject> entry = entry_in_effect(origins, directory);
  if (entry && text_or(*entry, "trust") == name_of(Trust::community)) origin = *entry;
  // What a person answered for was the text before.
  for (const char* mark : {"adopted", "inherited"}) origin.erase(mark);
  origin["changed_by"] = who;
  origin["changed_at_ms"] = epoch_ms();
  return origin;
}

}  // namespace talaria
