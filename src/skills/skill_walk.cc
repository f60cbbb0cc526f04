#include "skills/skill_walk.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "base/text.h"

namespace talaria {
namespace {

constexpr int64_t second_ns = 1'000'000'000;

int64_t in_ns(const timespec& time) { return static_cast<int64_t>(time.tv_sec) * second_ns + time.tv_nsec; }

enum class EntryKind { folder, link, other };

EntryKind entry_kind(int directory, const dirent64& entry) {
  switch (entry.d_type) {
    case DT_DIR: return EntryKind::folder;
    case DT_LNK: return EntryKind::link;
    case DT_UNKNOWN: break;
    default: return EntryKind::other;
  }
  struct stat info {};
  if (::fstatat(directory, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) return EntryKind::other;
  if (S_ISDIR(info.st_mode)) return EntryKind::folder;
  return S_ISLNK(info.st_mode) ? EntryKind::link : EntryKind::other;
}

// Which of the two names a folder has, as anything but a folder: what cannot be read is to be reported. And what else
// is called so, if large and small letters are one.
struct SkillFiles {
  bool upper = false;
  bool lower = false;
  std::vector<std::string> folders;
  std::vector<std::string> misspelled;

  void note(std::string_view name) {
    upper = upper || name == "SKILL.md";
    lower = lower || name == "skill.md";
    const bool same = name.size() == 8 && talaria::lower(name) == "skill.md";
    if (same && name != "SKILL.md" && name != "skill.md") misspelled.emplace_back(name);
  }
  void note_folder(std::string_view name) {
    if (name == "SKILL.md" || name == "skill.md") folders.emplace_back(name);
  }
  std::string chosen() const { return upper ? "SKILL.md" : lower ? "skill.md" : ""; }

  std::vector<PassedOver> passed_over() const {
    std::vector<PassedOver> passed;
    const std::string beside = "is not read: " + chosen() + " beside it is";
    for (const std::string& name : folders) passed.push_back({name, "is a folder, so it is not read as a skill"});
    for (const std::string& name : misspelled) {
      passed.push_back({name, chosen().empty() ? "is not read: a skill's file is called SKILL.md" : beside});
    }
    if (upper && lower) passed.push_back({"skill.md", beside});
    return passed;
  }
};

void take_entry(int directory, const dirent64& entry, SkillListing& listing, SkillFiles& files) {
  const std::string_view name = entry.d_name;
  if (name == "." || name == "..") return;
  const EntryKind kind = entry_kind(directory, entry);
  if (kind != EntryKind::other && holds_no_skills(name)) return;
  if (kind == EntryKind::folder) {
    files.note_folder(name);
    listing.folders.emplace_back(name);
    return;
  }
  if (kind == EntryKind::link) {
    listing.links.push_back(see_link(directory, entry.d_name, name));
    if (listing.links.back().target == FolderLink::Target::folder) files.note_folder(name);
    if (listing.links.back().target != FolderLink::Target::file) return;
  }
  files.note(name);
  listing.described = listing.described || name == "DESCRIPTION.md";
}

void finish(SkillListing& listing, const SkillFiles& files) {
  listing.skill_file = files.chosen();
  listing.passed_over = files.passed_over();
  if (!listing.skill_file.empty()) {
    std::erase_if(listing.folders, [](const std::string& name) { return belongs_to_a_skill(name); });
    std::erase_if(listing.links, [](const FolderLink& link) { return belongs_to_a_skill(link.name); });
  }
  std::sort(listing.folders.begin(), listing.folders.end());
  std::sort(listing.links.begin(), listing.links.end(),
            [](const FolderLink& a, const FolderLink& b) { return a.name < b.name; });
}

}  // namespace

FileStamp file_stamp(const struct stat& info) {
  return {.modified_ns = in_ns(info.st_mtim),
          .changed_ns = in_ns(info.st_ctim),
          .size = static_cast<uint64_t>(info.st_size),
          .inode = info.st_ino,
          .device = info.st_dev};
}

int64_t wall_clock_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return in_ns(now);
}

bool is_settled(const FileStamp& stamp, int64_t looked_at_ns) {
  const bool whole_seconds = stamp.changed_ns % second_ns == 0;
  const int64_t margin = whole_seconds ? 2 * second_ns + second_ns / 10 : second_ns / 20;
  return stamp.changed_ns + margin < looked_at_ns;
}

Sighting see(int directory, const char* path) {
  Sighting sighting;
  const int64_t now = wall_clock_ns();
  struct stat info {};
  if (::fstatat(directory, path, &info, 0) != 0) {
    sighting.failure = errno;
    sighting.settled = true;
    return sighting;
  }
  sighting.stamp = file_stamp(info);
  sighting.settled = is_settled(sighting.stamp, now);
  return sighting;
}

bool is_same(const Sighting& before, int directory, const char* path) {
  if (!before.settled) return false;
  struct stat info {};
  if (::fstatat(directory, path, &info, 0) != 0) return before.failure == errno;
  return before.failure == 0 && before.stamp == file_stamp(info);
}

FolderLink see_link(int directory, const std::string& path, std::string_view name) {
  FolderLink link{.name = std::string(name)};
  struct stat info {};
  if (::fstatat(directory, path.c_str(), &info, 0) != 0) return link;
  link.target = S_ISDIR(info.st_mode) ? FolderLink::Target::folder : FolderLink::Target::file;
  link.device = info.st_dev;
  link.inode = info.st_ino;
  return link;
}

Result<SkillListing> list_skill_folder(int directory) {
  SkillListing listing;
  SkillFiles files;
  alignas(dirent64) std::array<char, 32 << 10> buffer;
  while (true) {
    const ssize_t count = ::getdents64(directory, buffer.data(), buffer.size());
    if (count < 0) return Error::from_errno("list");
    if (count == 0) break;
    for (ssize_t at = 0; at < count;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
      take_entry(directory, *entry, listing, files);
      at += entry->d_reclen;
    }
  }
  finish(listing, files);
  return listing;
}

bool holds_no_skills(std::string_view folder) {
  static constexpr auto names = std::to_array<std::string_view>(
      {".git", ".github", ".hub", ".archive", ".talaria", ".venv", "venv", "node_modules", "site-packages",
       "__pycache__", ".tox", ".nox", ".pytest_cache", ".mypy_cache", ".ruff_cache"});
  return std::find(names.begin(), names.end(), folder) != names.end();
}

bool belongs_to_a_skill(std::string_view folder) {
  return folder == "references" || folder == "templates" || folder == "assets" || folder == "scripts";
}

bool comes_before(std::string_view path, std::string_view other) {
  const auto [a, b] = std::mismatch(path.begin(), path.end(), other.begin(), other.end());
  if (a == path.end() || b == other.end()) return a == path.end() && b != other.end();
  if (*a == '/' || *b == '/') return *a == '/';
  return static_cast<unsigned char>(*a) < static_cast<unsigned char>(*b);
}

}  // namespace talaria
