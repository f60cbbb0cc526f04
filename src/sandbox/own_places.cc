#include "sandbox/own_places.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <deque>
#include <unordered_map>

#include "base/text.h"
#include "os/home.h"
#include "sandbox/view.h"

namespace talaria {
namespace {

constexpr int most_own_links = 40;  // as the kernel

constexpr std::array own_programs = {"talaria", "talaria-gateway", "talaria-keeper", "hermes"};

struct Step {
  std::string path;
  bool link = false;
  bool last = false;  // what the whole way leads to
};

void put_parts_first(std::deque<std::string>& parts, const std::string& path) {
  const std::vector<std::string> more = split(path, '/');
  parts.insert(parts.begin(), more.begin(), more.end());
}

std::string link_text(const std::string& path) {
  char text[PATH_MAX];
  const ssize_t length = ::readlink(path.c_str(), text, sizeof text);
  return length > 0 ? std::string(text, static_cast<size_t>(length)) : "";
}

// What is at each path, looked at once for all ways that share it: before every command somebody waits for this.
class Looks {
 public:
  struct Look {
    bool missing = false;
    std::string target;  // of a link
  };

  const Look& at(const std::string& path) {
    const auto [found, is_new] = looks_.try_emplace(path);
    if (!is_new) return found->second;
    struct stat status {};
    found->second.missing = ::lstat(path.c_str(), &status) != 0;
    if (!found->second.missing && S_ISLNK(status.st_mode)) found->second.target = link_text(path);
    return found->second;
  }

 private:
  std::unordered_map<std::string, Look> looks_;
};

// Each file, directory and link on the way, as the kernel goes it; what is not there is its end.
std::vector<Step> steps_to(Looks& looks, const std::string& path) {
  std::vector<Step> steps;
  std::deque<std::string> parts;
  put_parts_first(parts, path);
  std::string here;
  for (int links = 0; !parts.empty();) {
    const std::string part = std::move(parts.front());
    parts.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      const size_t slash = here.rfind('/');
      here.resize(slash == std::string::npos ? 0 : slash);
      continue;
    }
    const std::string next = here + "/" + part;
    const std::string& target = looks.at(next).target;
    steps.push_back({next, !target.empty(), false});
    if (target.empty()) {
      here = next;
      continue;
    }
    if (++links > most_own_links) break;
    if (target.front() == '/') here.clear();
    put_parts_first(parts, target);
  }
  if (!steps.empty()) steps.back().last = !steps.back().link;
  return steps;
}

void add_way(std::vector<OwnPlace>& places, Looks& looks, const std::string& path, OwnGuard guard,
             const std::string& what) {
  if (path.empty()) return;
  for (Step& step : steps_to(looks, path)) {
    const bool missing = looks.at(step.path).missing;  // and could be made
    const OwnGuard of_end = step.last ? guard : OwnGuard::pinned;
    places.push_back({std::move(step.path), step.link || missing ? OwnGuard::refused : of_end, what});
  }
}

OwnGuard guard_of_entry(std::string_view name) {
  return name == "config.yaml" || name == "skills" ? OwnGuard::read_only : OwnGuard::hidden;
}

// What is in the home itself goes with it.
void add_entry(std::vector<OwnPlace>& places, Looks& looks, const std::string& home, std::string_view name) {
  const std::string path = home + "/" + std::string(name);
  if (looks.at(path).target.empty()) return;
  // SQLite writes beside the file that a link leads to, and believes what it finds there.
  const bool is_database = name == "talaria.db";
  add_way(places, looks, path, is_database ? OwnGuard::refused : guard_of_entry(name), path);
}

// What is opened itself is a mount already, and nothing moves it.
bool is_inside_one(const std::string& path, const std::vector<std::string>& folders) {
  return std::ranges::any_of(folders,
                             [&](const std::string& folder) { return path != folder && is_within(path, folder); });
}

Error refusal_of(const OwnPlace& place) {
  const bool link = !link_text(place.path).empty();
  return {ErrorCode::denied,
          place.path + (link ? " is a symbolic link" : " lies") + " where commands in the sandbox may write, and " +
              place.what +
              (link ? " leads through it: a command could replace it. Name the real place instead of "
                      "the link, or start the session in another directory"
                    : " leads to it: a command could change it. Move it out of there, or start the "
                      "session in another directory")};
}

}  // namespace

std::vector<OwnPlace> find_own_places(const OwnThings& things) {
  std::vector<OwnPlace> places;
  Looks looks;
  add_way(places, looks, things.home, OwnGuard::hidden, things.home);
  for (const std::string_view name : home_entries) {
    if (!things.home.empty()) add_entry(places, looks, things.home, name);
  }
  add_way(places, looks, things.runtime, OwnGuard::hidden, things.runtime);
  for (const char* program : own_programs) {
    const std::string path = things.programs + "/" + program;
    const bool plain = !things.programs.empty() && !looks.at(path).missing && looks.at(path).target.empty();
    if (plain) add_way(places, looks, path, OwnGuard::read_only, path);
  }
  add_way(places, looks, things.library, OwnGuard::read_only, things.library);
  std::ranges::stable_sort(places, [](const OwnPlace& a, const OwnPlace& b) {
    return a.path != b.path ? a.path < b.path : a.guard > b.guard;
  });
  // One guard each, the tightest.
  const auto is_same = [](const OwnPlace& a, const OwnPlace& b) { return a.path == b.path; };
  places.erase(std::unique(places.begin(), places.end(), is_same), places.end());
  return places;
}

std::string identity_of_own_places(const std::vector<OwnPlace>& places, const std::vector<std::string>& opened) {
  std::string text;
  for (const OwnPlace& place : places) {
    if (!is_inside_one(place.path, opened)) continue;
    text += "\n" + place.path + " " + std::to_string(static_cast<int>(place.guard));
    // A file that is replaced is guarded again with the next command, by its name.
    if (place.guard == OwnGuard::read_only) continue;
    struct statx info {};
    if (::statx(AT_FDCWD, place.path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &info) != 0) continue;
    text += " " + std::to_string(info.stx_dev_major) + ":" + std::to_string(info.stx_dev_minor) + ":" +
            std::to_string(info.stx_ino) + ":" + std::to_string(info.stx_btime.tv_sec) + "." +
            std::to_string(info.stx_btime.tv_nsec);
  }
  return text;
}

Result<std::vector<MountStep>> guard_own_places(const std::vector<OwnPlace>& places,
                                                const std::vector<std::string>& opened) {
  std::vector<MountStep> steps;
  std::vector<std::string> hidden;
  for (const OwnPlace& place : places) {
    const bool is_covered =
        std::ranges::any_of(hidden, [&](const std::string& outer) { return is_within(place.path, outer); });
    if (is_covered) continue;
    if (place.guard != OwnGuard::hidden && !is_inside_one(place.path, opened)) continue;
    if (place.guard == OwnGuard::refused) return refusal_of(place);
    MountStep step;
    step.target = place.path;
    step.optional = true;
    if (place.guard == OwnGuard::hidden) {
      step.kind = MountKind::hide;
      hidden.push_back(place.path);
    } else {
      step.kind = MountKind::mirror;
      step.source = place.path;
      step.writable = place.guard == OwnGuard::pinned;
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace talaria
