#include "skills/platform.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace talaria {
namespace {

constexpr auto operating_systems =
    std::to_array<std::string_view>({"linux", "macos", "windows", "freebsd", "openbsd", "netbsd", "dragonfly",
                                     "solaris", "illumos", "aix", "haiku", "plan9", "android", "ios", "ipados"});

bool names_system(const std::string& platform) { return is_operating_system(platform_name(platform)); }

}  // namespace

std::string platform_name(std::string_view written) {
  std::string name = lower(written);
  if (name == "darwin" || name == "osx" || name == "mac" || name == "mac os" || name == "os x") return "macos";
  if (name == "win32" || name == "win" || name == "win64") return "windows";
  return name;
}

bool is_operating_system(std::string_view name) {
  return std::ranges::find(operating_systems, name) != operating_systems.end();
}

bool runs_on(const SkillCard& card, std::string_view platform) {
  const auto is_this = [&](const std::string& named) { return platform_name(named) == platform_name(platform); };
  return std::ranges::none_of(card.platforms, names_system) || std::ranges::any_of(card.platforms, is_this);
}

std::string other_platform_because(const SkillCard& card, std::string_view platform) {
  if (runs_on(card, platform)) return {};
  return "platforms names " + join(card.platforms, ", ") + ", and this is " + std::string(platform);
}

}  // namespace talaria
