#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "json/json.h"
#include "skills/catalog_view.h"

namespace talaria {

struct SkillListingRequest {
  std::optional<std::string> category = {};                      // only this one and those below it
  std::function<bool(const Skill&)> setup_needed = {};           // absent: of none
  std::function<Trust(const Skill&)> trust = {};                 // absent: as they were found
  std::function<std::string(const Skill&)> hidden_because = {};  // why one is not shown, or empty; absent: all are
  std::vector<CatalogDiagnostic> diagnostics = {};               // of the roots themselves
  std::function<void(const Skill&, JsonObject&)> add_more = {};  // to a row; absent: nothing
  // An agent that lists skills cannot mend hundreds; `talaria skills check` tells all.
  size_t most_diagnostics = 20;
};

// The answer of skills_list: {success, skills: [{name, description, category, source, trust, setup_needed}],
// categories, count, hint}, where a skill that its name does not find also has view_as; with a message instead of the
// hint when it is empty, and with diagnostics when there are any worth acting on. `skills` are those that are visible
// to whoever asked.
JsonObject skill_listing(const CatalogView& view, const std::vector<const Skill*>& skills,
                         const SkillListingRequest& request = {});

}  // namespace talaria
