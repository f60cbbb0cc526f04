#include "sandbox/identity.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "json/fields.h"
#include "os/file.h"
#include "os/socket.h"
#include "sandbox/mounts.h"

namespace talaria {
namespace {

Result<> write_proc(const std::string& path, const std::string& text) {
  const UniqueFd fd = TRY(open_file(path, O_WRONLY));
  Result<> written = write_all(fd.get(), text);
  if (!written) return std::move(written).error().within("write " + path);
  return ok;
}

std::string one_id(uint32_t inside, uint32_t outside) {
  return std::to_string(inside) + " " + std::to_string(outside) + " 1\n";
}

// A process that does nothing but have a user namespace, until the returned pipe is closed.
struct NamespaceHolder {
  pid_t pid = -1;
  UniqueFd alive;

  NamespaceHolder() = default;
  NamespaceHolder(NamespaceHolder&&) = delete;
  ~NamespaceHolder() {
    alive.reset();
    if (pid > 0) ::waitpid(pid, nullptr, 0);
  }
};

Result<> start(NamespaceHolder& holder) {
  auto [waiting, alive] = TRY(make_pipe());
  clone_args arguments{};
  arguments.flags = CLONE_NEWUSER;
  arguments.exit_signal = SIGCHLD;
  const pid_t pid = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
  if (pid < 0) return Error::from_errno("make a user namespace");
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(alive.get());
    char none;
    (void)!::read(waiting.get(), &none, 1);
    ::_exit(0);
  }
  holder.pid = pid;
  holder.alive = std::move(alive);
  return ok;
}

std::string fixed(const std::string& reason) {
  return "as root a sandbox needs the owners of the workspace mapped to an unprivileged user, and here that is not "
         "possible (" +
         reason +
         "). Run as an ordinary user, move the workspace to a file system that can (ext4, xfs, btrfs), or set "
         "sandbox.root_identity: same, which runs commands as root without capabilities";
}

}  // namespace

Result<RootIdentity> root_identity_named(std::string_view name) {
  if (name == "mapped") return RootIdentity::mapped;
  if (name == "same") return RootIdentity::same;
  return invalid("unknown root identity \"" + std::string(name) + "\". Allowed values: mapped, same.");
}

Result<Identity> plan_identity(const IdentityFacts& facts) {
  Identity identity{.uid = facts.uid, .gid = facts.gid};
  if (facts.uid != 0) return identity;
  if (facts.profile == ProfileKind::full) {
    identity.user_namespace = false;
    identity.keeps_capabilities = true;
    return identity;
  }
  if (facts.root_identity == RootIdentity::same) return identity;
  if (facts.no_mapping) return Error(ErrorCode::denied, fixed(*facts.no_mapping));
  if (facts.ids == 0 || facts.first_id == 0)
    return invalid("the range of sandbox user ids must not be empty or hold 0");
  identity.uid = identity.gid = facts.first_id + facts.slot % facts.ids;
  identity.mapped_owners = true;
  return identity;
}

JsonObject to_json(const Identity& identity) {
  return {{"user_namespace", identity.user_namespace},
          {"uid", identity.uid},
          {"gid", identity.gid},
          {"mapped_owners", identity.mapped_owners},
          {"keeps_capabilities", identity.keeps_capabilities}};
}

Result<Identity> identity_from_json(const JsonObject& object) {
  Fields fields(object, "sandbox identity");
  Identity identity;
  identity.user_namespace = TRY(fields.boolean("user_namespace")).value_or(true);
  const auto uid = TRY(fields.integer("uid", 0, UINT32_MAX - 1));
  const auto gid = TRY(fields.integer("gid", 0, UINT32_MAX - 1));
  if (!uid || !gid) return invalid("sandbox identity \"uid\" and \"gid\" are needed");
  identity.uid = static_cast<uint32_t>(*uid);
  identity.gid = static_cast<uint32_t>(*gid);
  identity.mapped_owners = TRY(fields.boolean("mapped_owners")).value_or(false);
  identity.keeps_capabilities = TRY(fields.boolean("keeps_capabilities")).value_or(false);
  TRY(fields.no_others());
  return identity;
}

Result<UniqueFd> make_owner_mapping(const OwnerMapping& mapping) {
  NamespaceHolder holder;
  TRY(start(holder));
  const std::string process = "/proc/" + std::to_string(holder.pid);
  TRY(write_proc(process + "/uid_map", one_id(mapping.from_uid, mapping.to_uid)));
  TRY(write_proc(process + "/gid_map", one_id(mapping.from_gid, mapping.to_gid)));
  return open_file(process + "/ns/user", O_RDONLY);
}

std::optional<std::string> why_owners_cannot_be_mapped(const std::string& path) {
  const auto attempt = [&]() -> Result<> {
    const UniqueFd place = TRY(open_file(path, O_PATH | O_NOFOLLOW));
    const UniqueFd mount = TRY(clone_mount(place.get(), Reach::whole_tree));
    struct stat owner {};
    if (::fstat(place.get(), &owner) != 0) return Error::from_errno("look at " + path);
    const UniqueFd mapping = TRY(make_owner_mapping({owner.st_uid, owner.st_gid, 64'000, 64'000}));
    return map_owners(mount.get(), mapping.get(), Reach::whole_tree);
  };
  Result<> tried = attempt();
  if (tried) return std::nullopt;
  return path + ": " + tried.error().message();
}

Result<> write_id_maps(const std::string& process, uint32_t uid, uint32_t gid, bool deny_groups) {
  if (deny_groups) TRY(write_proc("/proc/" + process + "/setgroups", "deny"));
  TRY(write_proc("/proc/" + process + "/uid_map", one_id(uid, uid)));
  return write_proc("/proc/" + process + "/gid_map", one_id(gid, gid));
}

}  // namespace talaria
