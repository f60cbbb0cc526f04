#pragma once
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "skills/skill.h"
#include "skills/trusted_texts.h"

namespace talaria {

// Whether a skill of this trust gets variables, credential files and configured places by declaring them.
bool may_declare_needs(Trust trust);

// The one rule for what a found skill may do, for whoever shows or loads it. What lies where agents can write, or ever
// could, counts as theirs, whatever root or link leads to it, unless it is the very text that the person trusted.
// Lives for one answer; blocks for looks at the disk.
class SkillTrust {
 public:
  // `home` is Talaria's own, in which no sandbox lets anybody write; `agent_places` are the folders where one did.
  SkillTrust(TrustedTexts& texts, const std::string& home, const std::vector<std::string>& agent_places);

  // Of a skill that has this text.
  Trust of(const Skill& skill, const FrontMatter& matter);
  // With the text it has now, which is read only where it decides.
  Trust of(const Skill& skill);
  // Whether the text decides: then what is trusted is only what was read.
  bool goes_by_text(const Skill& skill);

 private:
  Trust judge(const Skill& skill, const std::function<bool(const std::string& file)>& is_trusted);
  bool is_open_to_agents(const Skill& skill);
  bool is_agent_place(const std::string& path) const;
  std::string real_folder(const Skill& skill);
  std::string real_file(const Skill& skill);

  TrustedTexts& texts_;
  std::string home_;
  std::string real_home_;  // without links
  std::unordered_set<std::string> places_;
  std::unordered_map<std::string, std::string> real_parents_;
};

}  // namespace talaria
