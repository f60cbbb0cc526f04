#include "skills/skill_adopt.h"

#include <algorithm>
#include <vector>

#include "os/file.h"
#include "skills/skill_edit_tree.h"
#include "skills/skill_history_hold.h"
#include "skills/skill_origins.h"
#include "skills/trusted_texts.h"

namespace talaria {
namespace {

bool lies_below(const std::string& path, const std::string& folder) { return path.starts_with(folder + "/"); }

// Without links; empty: there is none.
std::string real_skill_file(const std::string& folder) {
  const std::string file = real_path(folder + "/SKILL.md");
  return file.empty() ? real_path(folder + "/skill.md") : file;
}

// The folders below the root whose origin counts for the skill: as it is named, and where links on the way to its text
// lead.
std::vector<std::string> places_of(const std::string& root, const std::string& folder) {
  std::vector<std::string> places;
  for (const std::string& path : {folder, real_or_given_path(folder), parent_path(real_skill_file(folder))}) {
    for (const std::string& above : {root, real_or_given_path(root)}) {
      if (!lies_below(path, above)) continue;
      std::string place = path.substr(above.size() + 1);
      if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
      break;
    }
  }
  return places;
}

Result<> adopt(const std::string& root, const std::vector<std::string>& places) {
  const HeldSkills skills = TRY(HeldSkills::open(root));
  for (const std::string& place : places) {
    std::optional<JsonObject> origin = TRY(origin_in_effect(skills.state(), place));
    if (!lends_less(origin, std::nullopt)) continue;
    if (!TRY(origin_of(skills.state(), place))) (*origin)["inherited"] = true;
    (*origin)["adopted"] = true;
    TRY(set_origin(skills.state(), place, origin));
  }
  return ok;
}

// How many.
Result<size_t> disown(const std::string& root, const std::string& folder) {
  const HeldSkills skills = TRY(HeldSkills::open(root));
  const std::vector<std::string> places = places_of(root, folder);
  const std::string real = real_path(folder);
  size_t count = 0;
  for (const std::string& place : TRY(folders_of_origins(skills.state()))) {
    std::optional<JsonObject> origin = TRY(origin_of(skills.state(), place));
    if (!origin || !is_adopted(*origin)) continue;
    const bool leads_there = !real.empty() && real_path(root + "/" + place) == real;
    if (!leads_there && std::ranges::find(places, place) == places.end()) continue;
    const bool inherited = boolean_or(*origin, "inherited");
    origin->erase("adopted");
    TRY(set_origin(skills.state(), place, inherited ? std::nullopt : origin));
    ++count;
  }
  return count;
}

}  // namespace

Result<> trust_skill(const std::string& root, const std::string& folder) {
  const std::vector<std::string> places = places_of(root, folder);
  if (places.empty()) return invalid(folder + " is not a skill's folder in " + root);
  TRY(adopt(root, places));
  const std::string home = real_or_given_path(parent_path(root));
  if (lies_below(real_or_given_path(folder), home) && lies_below(real_skill_file(folder), home)) return ok;
  TRY(trust_texts(root, {folder}));
  return ok;
}

Result<bool> untrust_skill(const std::string& root, const std::string& folder) {
  size_t count = TRY(forget_texts(root, real_or_given_path(folder)));
  if (const std::string file = real_skill_file(folder); !file.empty()) count += TRY(forget_texts(root, file));
  count += TRY(disown(root, folder));
  return count > 0;
}

Result<> mark_foreign_skill(const std::string& root, const std::string& folder, const std::string& from) {
  const HeldSkills skills = TRY(HeldSkills::open(root));
  return set_origin(skills.state(), folder, JsonObject{{"trust", "community"}, {"from", from}});
}

}  // namespace talaria
