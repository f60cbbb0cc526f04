#include "sandbox/view_build.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <optional>

#include "os/file.h"
#include "sandbox/mounts.h"
#include "sandbox/owner_mappings.h"

namespace talaria {
namespace {

bool is_missing(const Error& error) {
  const int number = error.number();
  return number == ENOENT || number == ENOTDIR || number == ELOOP || number == EACCES;
}

bool takes_from_host(const MountStep& step) { return step.kind == MountKind::bind || step.kind == MountKind::device; }

Result<UniqueFd> open_source(const MountStep& step, int root, OwnerMappings& mappings) {
  Result<UniqueFd> place = open_inside(root, step.source);
  if (!place && step.optional && is_missing(place.error())) return UniqueFd();
  if (!place) return std::move(place).error();
  UniqueFd mount = TRY(clone_mount(place->get(), Reach::whole_tree));
  const bool device = step.kind == MountKind::device;
  const bool inner_closed = step.inner == InnerMounts::read_only;
  const MountFlags flags{.read_only = !step.writable || inner_closed, .no_setuid = true, .no_devices = !device};
  TRY(restrict_mount(mount.get(), flags, Reach::whole_tree));
  // From here on no mount of the host comes in any more, so that this opens the outermost and nothing else.
  if (step.writable && inner_closed && !TRY(mount_is_read_only(place->get()))) TRY(allow_writing(mount.get()));
  TRY(mappings.apply(mount.get(), place->get(), step.owners, inner_closed ? Reach::itself : Reach::whole_tree));
  return mount;
}

bool is_mirror_of_itself(const MountStep& step) { return step.kind == MountKind::mirror && step.source == step.target; }

class Builder {
 public:
  explicit Builder(UniqueFd root) : root_(std::move(root)) {}

  Result<> take(const MountStep& step, UniqueFd source);
  Result<> hide(const std::string& target);
  Result<> seal();
  int root() const { return root_.get(); }
  std::vector<OwnFolder> folders() && { return std::move(folders_); }

 private:
  Result<> place_source(const MountStep& step, UniqueFd source);
  Result<> place_new(const MountStep& step, Result<UniqueFd> mount);
  Result<> mirror(const MountStep& step);
  Result<> write_file(const MountStep& step);
  Result<> link(const MountStep& step);
  Result<> processes(const MountStep& step);
  Result<> tmpfs(const MountStep& step);

  UniqueFd root_;
  std::vector<OwnFolder> folders_;
  std::vector<size_t> to_seal_;  // of those
};

Result<> Builder::place_source(const MountStep& step, UniqueFd source) {
  if (!source) return ok;
  const PlaceKind kind = is_directory(source.get()) ? PlaceKind::directory : PlaceKind::file;
  const UniqueFd place = TRY(make_place(root_.get(), step.target, kind));
  return attach_mount(source.get(), place.get());
}

Result<> Builder::place_new(const MountStep& step, Result<UniqueFd> mount) {
  if (!mount) return std::move(mount).error();
  const UniqueFd place = TRY(make_place(root_.get(), step.target, PlaceKind::directory));
  return attach_mount(mount->get(), place.get());
}

Result<> Builder::tmpfs(const MountStep& step) {
  UniqueFd mount = TRY(new_tmpfs({step.bytes, step.inodes, step.mode}));
  const UniqueFd place = TRY(make_place(root_.get(), step.target, PlaceKind::directory));
  TRY(attach_mount(mount.get(), place.get()));
  if (step.sealed) to_seal_.push_back(folders_.size());
  folders_.push_back({step.target, std::move(mount)});
  return ok;
}

Result<> Builder::mirror(const MountStep& step) {
  const UniqueFd source = TRY(open_inside(root_.get(), step.source));
  const UniqueFd place = TRY(open_inside(root_.get(), step.target));
  const UniqueFd mount = TRY(clone_mount(source.get(), Reach::whole_tree));
  TRY(restrict_mount(mount.get(), {.read_only = !step.writable}, Reach::whole_tree));
  return attach_mount(mount.get(), place.get());
}

Result<> Builder::hide(const std::string& target) {
  const UniqueFd place = TRY(open_inside(root_.get(), target));
  if (is_directory(place.get())) {
    UniqueFd mount = TRY(new_cover());
    TRY(attach_mount(mount.get(), place.get()));
    to_seal_.push_back(folders_.size());
    folders_.push_back({target, std::move(mount)});
    return ok;
  }
  const UniqueFd null = TRY(open_inside(root_.get(), "/dev/null"));
  const UniqueFd mount = TRY(clone_mount(null.get(), Reach::itself));
  return attach_mount(mount.get(), place.get());
}

Result<> Builder::write_file(const MountStep& step) {
  const size_t slash = step.target.rfind('/');
  const UniqueFd folder = TRY(make_place(root_.get(), step.target.substr(0, slash), PlaceKind::directory));
  const UniqueFd file(::openat(folder.get(), step.target.c_str() + slash + 1,
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file) return Error::from_errno("make the file");
  return write_all(file.get(), step.source);
}

Result<> Builder::link(const MountStep& step) {
  const size_t slash = step.target.rfind('/');
  const UniqueFd folder = TRY(make_place(root_.get(), step.target.substr(0, slash), PlaceKind::directory));
  if (::symlinkat(step.source.c_str(), folder.get(), step.target.c_str() + slash + 1) == 0) return ok;
  return Error::from_errno("make the link");
}

// The host's /proc must not shine through where ours cannot be mounted.
Result<> Builder::processes(const MountStep& step) {
  Result<> mounted = place_new(step, new_proc());
  if (mounted || !step.optional) return mounted;
  return hide(step.target);
}

Result<> Builder::take(const MountStep& step, UniqueFd source) {
  switch (step.kind) {
    case MountKind::bind:
    case MountKind::device: return place_source(step, std::move(source));
    case MountKind::tmpfs: return tmpfs(step);
    case MountKind::mirror: return mirror(step);
    case MountKind::hide: return hide(step.target);
    case MountKind::file: return write_file(step);
    case MountKind::link: return link(step);
    case MountKind::terminals: return place_new(step, new_devpts());
    case MountKind::processes: return processes(step);
  }
  return invalid("unknown mount step");
}

Result<> Builder::seal() {
  for (const size_t index : to_seal_) {
    TRY(restrict_mount(folders_[index].mount.get(), {.read_only = true}, Reach::itself));
  }
  return ok;
}

Error named(Error error, const MountStep& step) {
  return std::move(error).within(std::string(name_of(step.kind)) + " " + step.target);
}

}  // namespace

Result<std::vector<UniqueFd>> open_sources(const MountPlan& plan, const Identity& identity) {
  const UniqueFd root = TRY(open_file("/", O_PATH | O_DIRECTORY));
  OwnerMappings mappings(identity);
  std::vector<UniqueFd> sources(plan.steps.size());
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (!takes_from_host(plan.steps[i])) continue;
    Result<UniqueFd> source = open_source(plan.steps[i], root.get(), mappings);
    if (!source) return named(std::move(source).error(), plan.steps[i]);
    sources[i] = *std::move(source);
  }
  return sources;
}

Result<std::vector<OwnFolder>> build_view(const MountPlan& plan, std::vector<UniqueFd> sources) {
  const UniqueFd old_root = TRY(open_file("/", O_PATH | O_DIRECTORY));
  UniqueFd root = TRY(clone_mount(old_root.get(), Reach::whole_tree));
  const MountFlags flags{.read_only = plan.read_only_root, .no_setuid = plan.read_only_root};
  TRY(restrict_mount(root.get(), flags, Reach::whole_tree));
  TRY(attach_mount(root.get(), old_root.get()));
  Builder builder(std::move(root));
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const MountStep& step = plan.steps[i];
    Result<> taken = builder.take(step, std::move(sources[i]));
    if (!taken && !(step.optional && is_missing(taken.error()))) return named(std::move(taken).error(), step);
  }
  TRY(builder.seal());
  TRY(enter_root(builder.root()));
  return std::move(builder).folders();
}

Result<> renew_mirrors(const MountPlan& plan, const MountIds& fixed) {
  std::optional<Builder> view;
  for (const MountStep& step : plan.steps) {
    if (!is_mirror_of_itself(step)) continue;
    const Result<MountPosition> position = position_of(step.target);
    if (!position || position->at_root || fixed.contains(position->mount)) continue;
    if (!view) view.emplace(TRY(open_file("/", O_PATH | O_DIRECTORY)));
    Result<> taken = view->take(step, UniqueFd());
    if (!taken && !is_missing(taken.error())) return named(std::move(taken).error(), step);
  }
  return ok;
}

MountPlan without_mirrors_on(const MountIds& fixed, MountPlan plan) {
  if (fixed.empty()) return plan;
  std::erase_if(plan.steps, [&](const MountStep& step) {
    if (!is_mirror_of_itself(step)) return false;
    const Result<MountPosition> position = position_of(step.target);
    return position && fixed.contains(position->mount);
  });
  return plan;
}

}  // namespace talaria
