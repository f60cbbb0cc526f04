#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "skills/skill_card.h"

namespace talaria {

// Which kind of place a skill was found in, highest precedence first.
enum class SkillSource { project, home, agents, external, bundled };
std::string_view name_of(SkillSource source);

// Who wrote it, as far as that decides what it may do.
enum class Trust { builtin, official, trusted, community, agent_created, local };
std::string_view name_of(Trust trust);

// Tells one version of a file from another.
struct FileStamp {
  int64_t modified_ns = 0;
  int64_t changed_ns = 0;
  uint64_t size = 0;
  uint64_t inode = 0;
  uint64_t device = 0;
  bool operator==(const FileStamp&) const = default;
};

// A skill, found.
struct Skill {
  SkillCard card;
  std::string directory;  // absolute; may lead through links
  std::string file;       // its SKILL.md
  std::string category;   // the path between its root and its own folder; empty at the top
  SkillSource source = SkillSource::home;
  Trust trust = Trust::local;
  FileStamp stamp;
  bool by_link = false;  // its folder or file may really be elsewhere than below its root
};

}  // namespace talaria
