#include "skills/skill_trust.h"

#include "os/file.h"

namespace talaria {
namespace {

bool lies_in(const std::string& path, const std::string& folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

bool may_declare_needs(Trust trust) {
  return trust == Trust::local || trust == Trust::builtin || trust == Trust::official || trust == Trust::trusted;
}

SkillTrust::SkillTrust(TrustedTexts& texts, const std::string& home, const std::vector<std::string>& agent_places)
    : texts_(texts),
      home_(home),
      real_home_(real_or_given_path(home)),
      places_(agent_places.begin(), agent_places.end()) {}

Trust SkillTrust::of(const Skill& skill, const FrontMatter& matter) {
  return judge(skill, [&](const std::string& file) { return texts_.has(file, matter); });
}

Trust SkillTrust::of(const Skill& skill) {
  return judge(skill, [&](const std::string& file) { return texts_.has(file, skill.stamp); });
}

Trust SkillTrust::judge(const Skill& skill, const std::function<bool(const std::string& file)>& is_trusted) {
  if (!goes_by_text(skill)) return skill.trust;
  if (is_trusted(real_file(skill))) return may_declare_needs(skill.trust) ? skill.trust : Trust::local;
  return is_open_to_agents(skill) ? Trust::agent_created : skill.trust;
}

bool SkillTrust::goes_by_text(const Skill& skill) {
  if (skill.trust == Trust::builtin) return false;
  if (may_declare_needs(skill.trust)) return is_open_to_agents(skill);
  // What the home's origins say of a skill is taken back where it was said.
  return skill.source != SkillSource::home;
}

bool SkillTrust::is_open_to_agents(const Skill& skill) {
  if (skill.source == SkillSource::project) return true;
  if (places_.empty()) return false;
  // Whoever can exchange a link on the way chooses the skill, too.
  if (is_agent_place(skill.directory) || is_agent_place(real_folder(skill))) return true;
  return skill.by_link && is_agent_place(real_file(skill));
}

bool SkillTrust::is_agent_place(const std::string& path) const {
  if (lies_in(path, home_) || lies_in(path, real_home_)) return false;
  if (places_.contains("/")) return true;
  for (size_t end = path.size(); end != 0 && end != std::string::npos; end = path.rfind('/', end - 1)) {
    if (places_.contains(path.substr(0, end))) return true;
  }
  return false;
}

// Folders that are side by side have one parent to look for.
std::string SkillTrust::real_folder(const Skill& skill) {
  if (skill.by_link) return real_or_given_path(skill.directory);
  const size_t slash = skill.directory.rfind('/');
  const auto [parent, added] = real_parents_.try_emplace(skill.directory.substr(0, slash));
  if (added) parent->second = real_or_given_path(parent->first);
  return parent->second + skill.directory.substr(slash);
}

std::string SkillTrust::real_file(const Skill& skill) {
  if (skill.by_link) return real_or_given_path(skill.file);
  return real_folder(skill) + skill.file.substr(skill.file.rfind('/'));
}

}  // namespace talaria
