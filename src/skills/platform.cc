#include "skills/platform.h"

#include <algorithm>

#include "base/text.h"

namespace talaria {
namespace {

std::string_view plain_platform(std::string_view platform) {
  if (platform == "darwin" || platform == "osx" || platform == "mac") return "macos";
  if (platform == "win32" || platform == "win") return "windows";
  return platform;
}

}  // namespace

bool runs_on(const SkillCard& card, std::string_view platform) {
  return card.platforms.empty() || std::any_of(card.platforms.begin(), card.platforms.end(), [&](const auto& named) {
           return plain_platform(named) == plain_platform(platform);
         });
}

std::string other_platform_because(const SkillCard& card, std::string_view platform) {
  if (runs_on(card, platform)) return {};
  return "platforms names " + join(card.platforms, ", ") + ", and this is " + std::string(platform);
}

}  // namespace talaria
