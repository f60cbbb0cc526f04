#include "skills/catalog_folder.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/text.h"
#include "os/fd.h"
#include "os/file.h"
#include "skills/skill_body.h"

namespace talaria {
namespace {

const char* or_dot(const std::string& path) { return path.empty() ? "." : path.c_str(); }

// An errno that goes away without any change to the file itself: look again next time.
bool may_pass(int number) { return number != EACCES && number != EPERM; }

// What is seen of an open file, before it is read: a change meanwhile shows in the next stamp.
struct OpenSighting {
  Sighting seen;
  struct stat info {};
};

OpenSighting see_open(int file) {
  OpenSighting sighting;
  const int64_t now = wall_clock_ns();
  if (::fstat(file, &sighting.info) != 0) {
    sighting.seen.failure = errno;
    return sighting;
  }
  sighting.seen.stamp = file_stamp(sighting.info);
  sighting.seen.settled = is_settled(sighting.seen.stamp, now);
  return sighting;
}

// Where an open file or folder really is, below the root; nothing when it is elsewhere.
std::optional<std::string> real_path_below(const OpenRoot& root, int file) {
  char target[4096];
  const std::string proc = "/proc/self/fd/" + std::to_string(file);
  const ssize_t length = ::readlink(proc.c_str(), target, sizeof target);
  if (length < 0) return std::nullopt;
  const std::string_view path(target, static_cast<size_t>(length));
  if (path == root.real_path) return "";
  if (!path.starts_with(root.real_path + "/")) return std::nullopt;
  return std::string(path.substr(root.real_path.size() + 1));
}

std::string blurb_line(std::string_view text) {
  std::string line;
  for (const char c : trim(text)) line += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  return line;
}

// Looks at one folder, part by part.
class FolderLook {
 public:
  FolderLook(const OpenRoot& root, std::string path, Reached reached)
      : root_(root), folder_(std::make_shared<CatalogFolder>()) {
    folder_->path = std::move(path);
    folder_->linked = reached == Reached::by_link;
  }

  std::shared_ptr<CatalogFolder> look() {
    if (!list()) return folder_;
    report_broken_links();
    if (folder_->linked) add_real_path(directory_.get(), "");
    if (!folder_->skill_file.empty()) read_skill();
    if (folder_->described) read_blurb();
    return folder_;
  }

 private:
  bool list() {
    const char* path = or_dot(folder_->path);
    directory_ = UniqueFd(::openat(root_.directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK));
    if (!directory_) {
      const int number = errno;
      folder_->seen = see(root_.directory, path);
      return unreadable(number);
    }
    folder_->seen = see_open(directory_.get()).seen;
    Result<SkillListing> listing = list_skill_folder(directory_.get());
    if (!listing) return unreadable(listing.error().number());
    folder_->folders = std::move(listing->folders);
    folder_->links = std::move(listing->links);
    folder_->skill_file = std::move(listing->skill_file);
    for (PassedOver& one : listing->passed_over) {
      say(Severity::warning, path_below(folder_->path, one.name), std::move(one.why));
    }
    folder_->described = listing->described && folder_->skill_file.empty();
    return true;
  }

  bool unreadable(int number) {
    // Gone since its parent was listed: nothing to tell, and nothing to rely on.
    if (number == ENOENT) {
      folder_->seen.settled = false;
      return false;
    }
    if (may_pass(number)) folder_->seen.settled = false;
    say(Severity::warning, folder_->path,
        Error::from_number(number, "list it").message() + "; its skills are not shown");
    return false;
  }

  std::string absolute(const std::string& path) const {
    return path.empty() ? root_.root.path : root_.root.path + "/" + path;
  }
  void say(Severity severity, const std::string& path, std::string message) {
    folder_->diagnostics.push_back({severity, absolute(path), std::move(message)});
  }

  // Links inside a skill are its own affair.
  void report_broken_links() {
    if (!folder_->skill_file.empty()) return;
    for (const FolderLink& link : folder_->links) {
      if (link.target != FolderLink::Target::nothing) continue;
      const bool skill = link.name == "SKILL.md" || link.name == "skill.md";
      say(skill ? Severity::warning : Severity::note, path_below(folder_->path, link.name), "this link leads nowhere");
    }
  }

  // Of the folder itself, or of its file `name`.
  void add_real_path(int file, const std::string& name) {
    if (root_.root.source != SkillSource::home) return;
    std::optional<std::string> real = real_path_below(root_, file);
    if (real) folder_->real_paths.push_back(name.empty() ? *real : category_of(*real));
  }

  bool is_link(const std::string& name) const {
    return std::any_of(folder_->links.begin(), folder_->links.end(),
                       [&](const FolderLink& link) { return link.name == name; });
  }

  enum class Larger { is_refused, is_cut };

  // The file `name`, of at most so many bytes; nothing, and a diagnostic, when it cannot be read.
  std::optional<std::string> read(const std::string& name, size_t most, Larger larger, Sighting& seen) {
    const bool linked = is_link(name);
    const int follow = linked ? 0 : O_NOFOLLOW;  // one that became a link meanwhile is looked at again
    const UniqueFd file(
        ::openat(directory_.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | follow));
    if (!file) {
      const int number = errno;
      seen = see(directory_.get(), name.c_str());
      return give_up(name, Error::from_number(number, "open it"), seen);
    }
    const OpenSighting sighting = see_open(file.get());
    seen = sighting.seen;
    if (!S_ISREG(sighting.info.st_mode)) return give_up(name, invalid("it is not a regular file"), seen);
    if (linked && !has_own_name(file.get(), name)) {
      return give_up(name, Error(ErrorCode::denied, "it is a link to a file of another name"), seen);
    }
    if (seen.stamp.size > most && larger == Larger::is_refused) {
      return give_up(name, invalid("it is larger than " + human_bytes(most)), seen);
    }
    Result<std::string> text = read_at(file.get(), 0, std::min<uint64_t>(seen.stamp.size, most));
    if (!text) return give_up(name, std::move(text).error(), seen);
    if (linked) add_real_path(file.get(), name);
    return std::move(*text);
  }

  std::nullopt_t give_up(const std::string& name, const Error& why, Sighting& seen) {
    if (may_pass(why.number()) && why.number() != 0) seen.settled = false;
    // Gone since the folder was listed.
    if (why.number() == ENOENT) return std::nullopt;
    const bool skill = name == folder_->skill_file;
    say(skill ? Severity::error : Severity::note, path_below(folder_->path, name),
        why.message() + (skill ? "; this skill is not shown" : "; its category goes without a description"));
    return std::nullopt;
  }

  void read_skill() {
    const std::optional<std::string> text =
        read(folder_->skill_file, most_skill_bytes, Larger::is_refused, folder_->skill_seen);
    if (!text) return;
    auto skill = std::make_shared<Skill>();
    skill->directory = absolute(folder_->path);
    skill->file = skill->directory + "/" + folder_->skill_file;
    const std::string name = skill->directory.substr(skill->directory.rfind('/') + 1);
    skill->card = read_card(read_front_matter(*text), name);
    skill->category = category_of(folder_->path);
    skill->source = root_.root.source;
    skill->trust = trust_of(*folder_, root_.root, root_.origins);
    skill->stamp = folder_->skill_seen.stamp;
    skill->by_link = leads_elsewhere(*folder_);
    folder_->skill = std::move(skill);
  }

  void read_blurb() {
    const std::optional<std::string> text =
        read("DESCRIPTION.md", description_head_bytes, Larger::is_cut, folder_->description_seen);
    if (!text) return;
    const FrontMatter matter = read_front_matter(*text);
    const Json* description = matter.fields.if_contains("description");
    if (description && description->is_string()) folder_->blurb = blurb_line(description->get_string());
  }

  const OpenRoot& root_;
  std::shared_ptr<CatalogFolder> folder_;
  UniqueFd directory_;
};

}  // namespace

std::shared_ptr<CatalogFolder> look_at_folder(const OpenRoot& root, std::string path, Reached reached) {
  return FolderLook(root, std::move(path), reached).look();
}

bool is_unchanged(const CatalogFolder& folder, int root_directory) {
  if (!is_same(folder.seen, root_directory, or_dot(folder.path))) return false;
  if (folder.skill_file.empty() && !folder.described && folder.links.empty()) return true;
  std::string path;
  path.reserve(folder.path.size() + 32);
  path = folder.path;
  if (!path.empty()) path += '/';
  const size_t start = path.size();
  const auto below = [&](std::string_view name) -> const std::string& {
    path.resize(start);
    return path += name;
  };
  if (!folder.skill_file.empty() && !is_same(folder.skill_seen, root_directory, below(folder.skill_file).c_str())) {
    return false;
  }
  if (folder.described && !is_same(folder.description_seen, root_directory, below("DESCRIPTION.md").c_str())) {
    return false;
  }
  return std::all_of(folder.links.begin(), folder.links.end(), [&](const FolderLink& link) {
    return link == see_link(root_directory, below(link.name), link.name);
  });
}

Trust trust_of(const CatalogFolder& folder, const SkillRoot& root, const SkillOrigins& origins) {
  if (root.source != SkillSource::home) return root.trust;
  Trust trust = origins.trust_of(folder.path);
  for (const std::string& real : folder.real_paths) trust = lesser(trust, origins.trust_of(real));
  return trust;
}

bool leads_elsewhere(const CatalogFolder& folder) {
  return folder.linked || folder.path.empty() ||
         std::ranges::any_of(folder.links, [&](const FolderLink& link) { return link.name == folder.skill_file; });
}

std::string path_below(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

std::string category_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

}  // namespace talaria
