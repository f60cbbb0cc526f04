#pragma once
#include <array>
#include <string_view>

namespace talaria {

// The keys at the top of a SKILL.md that this program, the open format or the programs around it give a meaning.
inline constexpr std::array<std::string_view, 26> skill_keys = {"name",           "description",
                                                                "license",        "compatibility",
                                                                "metadata",       "allowed-tools",
                                                                "version",        "author",
                                                                "platforms",      "tags",
                                                                "prerequisites",  "required_environment_variables",
                                                                "setup",          "required_credential_files",
                                                                "related_skills", "disable-model-invocation",
                                                                "user-invocable", "argument-hint",
                                                                "homepage",       "model",
                                                                "context",        "agent",
                                                                "hooks",          "when_to_use",
                                                                "triggers",       "environments"};

// Those of them that hold one text.
inline constexpr std::array<std::string_view, 9> skill_text_keys = {
    "name", "description", "license", "compatibility", "version", "author", "homepage", "argument-hint", "when_to_use"};

}  // namespace talaria
