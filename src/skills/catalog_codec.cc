#include "skills/catalog_codec.h"

#include <algorithm>

#include "skills/catalog_bytes.h"

namespace talaria {

// Every value is taken apart by structured binding, so that a new member does not compile until it is stored too.

constexpr unsigned greatest(Severity) { return static_cast<unsigned>(Severity::error); }
constexpr unsigned greatest(Trust) { return static_cast<unsigned>(Trust::local); }
constexpr unsigned greatest(FolderLink::Target) { return static_cast<unsigned>(FolderLink::Target::folder); }

template <class Coder, Either<SkillDiagnostic> Value>
void code_value(Coder& coder, Value& value) {
  auto& [severity, line, message] = value;
  coder(severity, line, message);
}

template <class Coder, Either<CatalogDiagnostic> Value>
void code_value(Coder& coder, Value& value) {
  auto& [severity, path, message] = value;
  coder(severity, path, message);
}

template <class Coder, Either<EnvironmentNeed> Value>
void code_value(Coder& coder, Value& value) {
  auto& [name, prompt, help, required_for] = value;
  coder(name, prompt, help, required_for);
}

template <class Coder, Either<CredentialNeed> Value>
void code_value(Coder& coder, Value& value) {
  auto& [path, description] = value;
  coder(path, description);
}

template <class Coder, Either<SkillSetting> Value>
void code_value(Coder& coder, Value& value) {
  auto& [key, description, prompt, default_value] = value;
  coder(key, description, prompt, default_value);
}

template <class Coder, Either<SkillConditions> Value>
void code_value(Coder& coder, Value& value) {
  auto& [requires_tools, requires_toolsets, fallback_for_tools, fallback_for_toolsets] = value;
  coder(requires_tools, requires_toolsets, fallback_for_tools, fallback_for_toolsets);
}

template <class Coder, Either<SkillCard> Value>
void code_value(Coder& coder, Value& value) {
  auto& [name, slug, description, version, author, license, compatibility, platforms, tags, related_skills,
         allowed_tools, conditions, environment, commands, credentials, settings, model_invocable, user_invocable,
         diagnostics] = value;
  coder(name, slug, description, version, author, license, compatibility, platforms, tags, related_skills,
        allowed_tools, conditions, environment, commands, credentials, settings, model_invocable, user_invocable,
        diagnostics);
}

template <class Coder, Either<FileStamp> Value>
void code_value(Coder& coder, Value& value) {
  auto& [modified_ns, changed_ns, size, inode, device] = value;
  coder(modified_ns, changed_ns, size, inode, device);
}

template <class Coder, Either<Sighting> Value>
void code_value(Coder& coder, Value& value) {
  auto& [stamp, failure, settled] = value;
  coder(stamp, failure, settled);
}

template <class Coder, Either<FolderLink> Value>
void code_value(Coder& coder, Value& value) {
  auto& [name, target, device, inode] = value;
  coder(name, target, device, inode);
}

namespace {

// All but the skill.
template <class Coder, Either<CatalogFolder> Value>
void code_folder(Coder& coder, Value& value) {
  auto& [path, linked, seen, folders, links, real_paths, skill_file, skill_seen, skill, described, description_seen,
         blurb, diagnostics] = value;
  coder(path, linked, seen, folders, links, real_paths, skill_file, described, diagnostics);
  if (!skill_file.empty()) coder(skill_seen);
  if (described) coder(description_seen, blurb);
}

std::shared_ptr<const Skill> skill_of(const CatalogFolder& folder, const SkillRoot& root, Trust trust, SkillCard card) {
  auto skill = std::make_shared<Skill>();
  skill->card = std::move(card);
  skill->directory = folder.path.empty() ? root.path : root.path + "/" + folder.path;
  skill->file = skill->directory + "/" + folder.skill_file;
  skill->category = category_of(folder.path);
  skill->source = root.source;
  skill->trust = trust;  // compared with the origins before it is shown
  skill->stamp = folder.skill_seen.stamp;
  skill->by_link = leads_elsewhere(folder);
  return skill;
}

}  // namespace

std::string encode_folders(const CatalogFolders& folders) {
  ByteWriter writer;
  writer(static_cast<uint64_t>(folders.size()));
  for (const auto& folder : folders) {
    code_folder(writer, *folder);
    writer(folder->skill != nullptr);
    if (folder->skill) writer(folder->skill->trust, folder->skill->card);
  }
  return writer.take();
}

std::optional<CatalogFolders> decode_folders(std::string_view bytes, const SkillRoot& root) {
  ByteReader reader(bytes);
  uint64_t count = 0;
  reader(count);
  CatalogFolders folders;
  for (uint64_t i = 0; i < count && reader.good(); ++i) {
    auto folder = std::make_shared<CatalogFolder>();
    code_folder(reader, *folder);
    bool has_skill = false;
    reader(has_skill);
    if (has_skill) {
      Trust trust{};
      SkillCard card;
      reader(trust, card);
      folder->skill = skill_of(*folder, root, trust, std::move(card));
    }
    folders.push_back(std::move(folder));
  }
  if (!reader.at_end()) return std::nullopt;
  return folders;
}

uint64_t checksum(std::string_view bytes) {
  // Each step can be undone, so two texts that differ in one word never meet again.
  uint64_t sum = 0x9e3779b97f4a7c15 ^ bytes.size();
  while (!bytes.empty()) {
    uint64_t word = 0;
    const size_t count = std::min(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), count);
    bytes.remove_prefix(count);
    sum = (sum ^ word) * 0xff51afd7ed558ccd;
    sum ^= sum >> 32;
  }
  return sum;
}

}  // namespace talaria
