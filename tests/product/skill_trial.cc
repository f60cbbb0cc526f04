#include "product/skill_trial.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "os/file.h"

namespace talaria {

void SkillHouse::put_home(const std::string& path, const std::string& content, mode_t mode) {
  const std::string whole = root() + "/" + path;
  ASSERT_TRUE(make_directories(whole.substr(0, whole.rfind('/'))));
  ASSERT_TRUE(write_file_atomically(whole, content, mode));
}

std::string SkillHouse::put_skill(const std::string& folder, const std::string& front_matter, const std::string& body) {
  put_home("skills/" + folder + "/SKILL.md", "---\n" + front_matter + "---\n" + body, 0644);
  return root() + "/skills/" + folder;
}

JsonObject SkillHouse::list(JsonObject arguments) { return details_of(call("skills_list", std::move(arguments))); }

JsonObject SkillHouse::view(const std::string& name, JsonObject more) {
  more["name"] = name;
  return details_of(call("skill_view", std::move(more)));
}

JsonObject SkillHouse::manage(const std::string& action, const std::string& name, JsonObject more) {
  more["action"] = action;
  more["name"] = name;
  return details_of(call("skill_manage", std::move(more)));
}

std::string SkillHouse::content(const std::string& name) { return text_or(view(name), "content"); }

std::string SkillHouse::shell(const std::string& command) {
  return text_or(details_of(call("terminal", {{"command", command}})), "output");
}

std::string SkillHouse::shell_in(const std::string& session, const std::string& command) {
  return text_or(details_of(call_as(session, "terminal", {{"command", command}})), "output");
}

std::vector<std::string> SkillHouse::names() {
  std::vector<std::string> found;
  const JsonObject listing = list();
  for (const Json& item : listing.at("skills").get_array()) {
    const JsonObject& skill = item.get_object();
    if (text_or(skill, "source") != "bundled") found.push_back(text_or(skill, "name"));
  }
  return found;
}

std::vector<std::string> names_in(const JsonObject& result, const std::string& list, const std::string& field) {
  std::vector<std::string> names;
  const Json* found = result.if_contains(list);
  if (!found || !found->is_array()) return names;
  for (const Json& item : found->get_array()) names.push_back(text_or(item.get_object(), field));
  return names;
}

std::vector<std::string> texts_in(const JsonObject& result, const std::string& list) {
  std::vector<std::string> texts;
  const Json* found = result.if_contains(list);
  if (!found || !found->is_array()) return texts;
  for (const Json& item : found->get_array()) {
    if (item.is_string()) texts.emplace_back(item.get_string());
  }
  return texts;
}

}  // namespace talaria
