#include "api/inside_paths.h"

#include <limits.h>
#include <stdlib.h>

#include <algorithm>

namespace talaria {
namespace {

bool is_on_itself(const MountStep& step) { return step.kind == MountKind::mirror && step.source == step.target; }

// The last step that covers it, which is what one sees; null: the machine's root.
const MountStep* covering(const View& view, std::string_view path) {
  const auto& steps = view.mounts.steps;
  const auto found =
      std::find_if(steps.rbegin(), steps.rend(), [&](const MountStep& step) { return is_within(path, step.target); });
  return found == steps.rend() ? nullptr : &*found;
}

// The last step that brought what is there; null: it is of the machine's root.
const MountStep* bringing(const View& view, std::string_view path) {
  const auto& steps = view.mounts.steps;
  const auto found = std::find_if(steps.rbegin(), steps.rend(), [&](const MountStep& step) {
    return is_within(path, step.target) && !is_on_itself(step);
  });
  return found == steps.rend() ? nullptr : &*found;
}

bool is_mounted_writable(const View& view, std::string_view path) {
  const MountStep* step = covering(view, path);
  return step ? step->writable && !step->sealed : !view.mounts.read_only_root;
}

bool is_mount_point(const View& view, std::string_view path) {
  return std::ranges::any_of(view.mounts.steps, [&](const MountStep& step) { return step.target == path; });
}

}  // namespace

bool differs_inside(const View& view, const std::string& path) {
  const MountStep* step = bringing(view, path);
  return step && step->kind != MountKind::bind;
}

bool is_in_writable_place(const View& view, const std::string& path) {
  const MountStep* step = bringing(view, path);
  if (!step) return !view.mounts.read_only_root;
  return step->kind == MountKind::bind && step->writable && step->source == step->target;
}

std::string private_place(const View& view, const std::string& path) {
  const MountStep* step = bringing(view, path);
  if (step && step->kind == MountKind::mirror) step = bringing(view, step->source);  // /var/tmp is /tmp once more
  return step && is_place_in_memory(*step) ? step->target : "";
}

bool can_be_changed_inside(const View& view, const std::string& path) {
  if (is_mounted_writable(view, path)) return true;
  // A folder on the way that lies in a writable one can be moved aside, with all that is mounted in it; a mount point
  // itself cannot.
  for (size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    const std::string_view folder = std::string_view(path).substr(0, end);
    if (is_mounted_writable(view, folder) && !is_mount_point(view, folder)) return true;
  }
  return false;
}

bool is_shown_writable(const View& view, const std::string& path) {
  return !view.mounts.read_only_root || std::ranges::any_of(view.mounts.steps, [&](const MountStep& step) {
    const bool shows = is_within(path, step.source) || is_within(step.source, path);
    return step.kind == MountKind::bind && step.writable && shows;
  });
}

bool is_fixed_inside(const View& view, const std::string& path) {
  char resolved[PATH_MAX];
  if (!::realpath(path.c_str(), resolved) || path != resolved) return false;
  return !differs_inside(view, path) && !can_be_changed_inside(view, path);
}

}  // namespace talaria
