#include "sandbox/private_places.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/utf8.h"
#include "os/fd.h"

namespace talaria {
namespace {

// What has more at its top level is no place that anybody looks through.
constexpr size_t most_entries = 1000;

constexpr std::string_view shared_place = "/tmp";

// Programs keep files of their own in /tmp under names that nobody chose; those that a person would look for say what
// they are.
bool is_like_temporary(std::string_view folder, std::string_view name) {
  if (name.starts_with("tmp") || name.ends_with(".tmp")) return true;
  return folder == shared_place && name.find('.') == std::string_view::npos;
}

}  // namespace

PrivatePlaces::PrivatePlaces(const MountPlan& plan, const std::string& home) {
  size_t folder = 0;
  for (const MountStep& step : plan.steps) {
    if (!is_place_in_memory(step)) continue;
    if (step.target == home || step.target == shared_place) {
      Place place;
      place.folder = folder;
      place.path = step.target;
      places_.push_back(std::move(place));
    }
    ++folder;
  }
}

std::vector<std::string> PrivatePlaces::news(const SessionMemory& memory) {
  std::vector<std::string> news = look(memory);
  const bool of_shared = std::ranges::any_of(news, [](const std::string& path) {
    return path.rfind('/') == shared_place.size() && path.starts_with(shared_place);
  });
  for (Place& place : places_) place.over = place.over || (of_shared && place.path == shared_place);
  return news;
}

std::vector<std::string> PrivatePlaces::look(const SessionMemory& memory) {
  std::vector<std::string> news;
  for (Place& place : places_) {
    struct stat info {};
    const int folder = memory.folder(place.folder);
    if (place.over || folder < 0 || ::fstat(folder, &info) != 0) continue;
    const bool same = info.st_mtim.tv_sec == place.changed.tv_sec && info.st_mtim.tv_nsec == place.changed.tv_nsec;
    if (same && info.st_size == place.size) continue;
    place.changed = info.st_mtim;
    place.size = info.st_size;
    look_at(place, folder, news);
  }
  std::ranges::sort(news);
  return news;
}

void PrivatePlaces::look_at(Place& place, int folder, std::vector<std::string>& news) {
  const int opened = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(opened), ::closedir);
  if (!listing) return (void)UniqueFd(opened);
  size_t count = 0;
  while (const dirent* entry = ::readdir(listing.get())) {
    place.over = place.over || ++count > most_entries;
    if (place.over) break;
    const std::string name = entry->d_name;
    if (entry->d_type != DT_REG || name.front() == '.' || is_like_temporary(place.path, name) || !is_utf8(name))
      continue;
    if (place.known.insert(name).second) news.push_back(place.path + "/" + name);
  }
}

}  // namespace talaria
