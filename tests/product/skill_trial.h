#pragma once
#include <string>
#include <vector>

#include "product/code_trial.h"

namespace talaria {

// A house with skills in it, which only has those that a test puts there.
class SkillHouse : public CodeHouse {
 public:
  // A file below the home, with its folders.
  void put_home(const std::string& path, const std::string& content, mode_t mode = 0600);
  // skills/<folder>/SKILL.md in the home; gives the skill's folder.
  std::string put_skill(const std::string& folder, const std::string& front_matter, const std::string& body);

  // Details of the tools' answers, in the workspace's session.
  JsonObject list(JsonObject arguments = {});
  JsonObject view(const std::string& name, JsonObject more = {});
  JsonObject manage(const std::string& action, const std::string& name, JsonObject more = {});
  std::string content(const std::string& name);
  // What a command prints: in the workspace's session, or in another one of it.
  std::string shell(const std::string& command);
  std::string shell_in(const std::string& session, const std::string& command);

  std::vector<std::string> names();  // that skills_list shows, without those that are bundled
};

// The names in a list of a result.
std::vector<std::string> names_in(const JsonObject& result, const std::string& list, const std::string& field = "name");
std::vector<std::string> texts_in(const JsonObject& result, const std::string& list);

}  // namespace talaria
