#pragma once
// Trusting one skill of $TALARIA_HOME/skills, and taking that back.
#include <optional>
#include <string>

#include "os/home.h"
#include "talaria/skills.h"

namespace talaria {

// A skill of the home, as a person named it.
struct HomeSkill {
  std::string folder;  // absolute; may be a link that leads elsewhere
  std::string name;    // by which it is looked up
};

// The one whose folder a path means, whether it is there or not. Nothing: the path leads elsewhere.
std::optional<HomeSkill> home_skill_at(const Home& home, const std::string& path);

int trust_home_skill(const Home& home, const HomeSkill& skill, const SkillsOptions& options);
int untrust_home_skill(const Home& home, const HomeSkill& skill, const SkillsOptions& options);

}  // namespace talaria
