#include "sandbox/landlock.h"

#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace talaria {
namespace {

// Newer than Debian 12's headers.
constexpr uint64_t access_fs_truncate = 1ULL << 14;
constexpr uint64_t access_fs_ioctl_dev = 1ULL << 15;
constexpr uint64_t scope_abstract_unix_socket = 1ULL << 0;
constexpr uint64_t scope_signal = 1ULL << 1;

// The kernel's struct landlock_ruleset_attr as of version 6; older ones know only its first fields.
struct RulesetAttributes {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scoped = 0;
};

constexpr uint64_t reading_access =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t writing_access =
    reading_access | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER | access_fs_truncate;
constexpr uint64_t using_devices =
    reading_access | LANDLOCK_ACCESS_FS_WRITE_FILE | access_fs_truncate | access_fs_ioctl_dev;
// All that a rule for a single file may name; more is an error.
constexpr uint64_t of_a_file = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
                               LANDLOCK_ACCESS_FS_WRITE_FILE | access_fs_truncate | access_fs_ioctl_dev;

// All kinds of access to files that a version can refuse.
uint64_t known_to(int abi) {
  uint64_t known = 2 * LANDLOCK_ACCESS_FS_MAKE_SYM - 1;
  if (abi >= 2) known |= LANDLOCK_ACCESS_FS_REFER;  // version 1 refuses to move files between directories, always
  if (abi >= 3) known |= access_fs_truncate;
  if (abi >= 5) known |= access_fs_ioctl_dev;
  return known;
}

uint64_t bits_of(PathAccess access) {
  switch (access) {
    case PathAccess::read: return reading_access;
    case PathAccess::write: return writing_access;
    case PathAccess::devices: return using_devices;
  }
  return 0;
}

RulesetAttributes attributes_of(const LandlockRules& rules, int abi) {
  RulesetAttributes attributes{.files = known_to(abi)};
  if (abi >= 6 && rules.scope_signals) attributes.scoped |= scope_signal;
  if (abi >= 6 && rules.scope_abstract_sockets) attributes.scoped |= scope_abstract_unix_socket;
  return attributes;
}

// How much of RulesetAttributes a version reads.
size_t size_for(int abi) {
  if (abi >= 6) return sizeof(RulesetAttributes);
  return abi >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
}

Result<> add_rule(int ruleset, const LandlockRule& rule, uint64_t known) {
  const std::string name = rule.path.empty() ? "descriptor " + std::to_string(rule.at) : rule.path;
  UniqueFd opened;
  if (!rule.path.empty()) {
    opened = UniqueFd(::openat(rule.at, rule.path.c_str(), O_PATH | O_CLOEXEC));
    if (!opened) return Error::from_errno("open " + name + " for a Landlock rule");
  }
  landlock_path_beneath_attr beneath{};
  beneath.parent_fd = opened ? opened.get() : rule.at;
  struct stat status {};
  if (::fstat(beneath.parent_fd, &status) != 0) return Error::from_errno("look at " + name + " for a Landlock rule");
  beneath.allowed_access = bits_of(rule.access) & known;
  if (!S_ISDIR(status.st_mode)) beneath.allowed_access &= of_a_file;
  if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) != 0)
    return Error::from_errno("add a Landlock rule for " + name);
  return ok;
}

}  // namespace

int landlock_abi() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

Result<UniqueFd> make_ruleset(const LandlockRules& rules) {
  const int abi = std::min(landlock_abi(), rules.abi);
  if (abi < 1) {
    return Error(ErrorCode::unavailable,
                 "this kernel has no Landlock; it needs Linux 5.13 or later with landlock in its boot parameter lsm=");
  }
  const RulesetAttributes attributes = attributes_of(rules, abi);
  UniqueFd ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size_for(abi), 0)));
  if (!ruleset) return Error::from_errno("make a Landlock ruleset");
  for (const LandlockRule& rule : rules.paths) TRY(add_rule(ruleset.get(), rule, attributes.files));
  return ruleset;
}

int restrict_self(int ruleset) { return ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0 ? 0 : errno; }

}  // namespace talaria
