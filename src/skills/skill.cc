#include "skills/skill.h"

#include <array>

namespace talaria {

std::string_view name_of(Severity severity) {
  constexpr std::array<std::string_view, 3> names = {"note", "warning", "error"};
  return names[static_cast<size_t>(severity)];
}

std::string_view name_of(SkillSource source) {
  constexpr std::array<std::string_view, 5> names = {"project", "home", "agents", "external", "bundled"};
  return names[static_cast<size_t>(source)];
}

std::string_view name_of(Trust trust) {
  constexpr std::array<std::string_view, 6> names = {"builtin",   "official",      "trusted",
                                                     "community", "agent-created", "local"};
  return names[static_cast<size_t>(trust)];
}

}  // namespace talaria
