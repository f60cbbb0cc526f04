#include "sandbox/seccomp.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "os/fd.h"
#include "os/file.h"
#include "sandbox/syscalls.h"

namespace talaria {
namespace {

using Program = std::vector<sock_filter>;

// A filter in the making, in libseccomp's hands.
class Draft {
 public:
  static Result<Draft> begin(uint32_t otherwise) {
    Draft draft(::seccomp_init(otherwise));
    if (!draft.context_) return Error(ErrorCode::system, "start a seccomp filter: out of memory");
    TRY(draft.set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
    // A tree instead of a list: the kernel walks it once for each system call while it loads, which halves that time.
    TRY(draft.set(SCMP_FLTATR_CTL_OPTIMIZE, 2));
    return draft;
  }

  Result<> add(uint32_t action, int number, const std::vector<scmp_arg_cmp>& conditions = {}) {
    const int status = ::seccomp_rule_add_array(context_.get(), action, number,
                                                static_cast<unsigned>(conditions.size()), conditions.data());
    return outcome(status, "add a rule for system call " + std::to_string(number) + " to the seccomp filter");
  }

  Result<Program> finish() {
    UniqueFd file(::memfd_create("filter", MFD_CLOEXEC));
    if (!file) return Error::from_errno("make a file in memory for the seccomp filter");
    TRY(outcome(::seccomp_export_bpf(context_.get(), file.get()), "compile the seccomp filter"));
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return Error::from_errno("look at the compiled seccomp filter");
    const std::string bytes = TRY(read_at(file.get(), 0, static_cast<size_t>(status.st_size)));
    Program program(bytes.size() / sizeof(sock_filter));
    std::memcpy(program.data(), bytes.data(), program.size() * sizeof(sock_filter));
    return program;
  }

 private:
  explicit Draft(scmp_filter_ctx context) : context_(context, &::seccomp_release) {}

  Result<> set(scmp_filter_attr attribute, uint32_t value) {
    return outcome(::seccomp_attr_set(context_.get(), attribute, value), "set up the seccomp filter");
  }
  static Result<> outcome(int status, const std::string& what) {
    if (status < 0) return Error::from_number(-status, what);
    return ok;
  }

  std::unique_ptr<void, void (*)(scmp_filter_ctx)> context_;
};

scmp_arg_cmp equals(unsigned argument, uint32_t mask, uint32_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

// All that is refused by a condition that says so; anything else passes.
Result<Program> compile_refusals(const FilterOptions& options) {
  Draft draft = TRY(Draft::begin(SCMP_ACT_ALLOW));
  for (const RefusedSyscall& refused : refused_syscalls()) {
    if (options.openat2 && refused.name == "openat2") continue;
    TRY(draft.add(SCMP_ACT_ERRNO(static_cast<uint16_t>(refused.error)), refused.number));
  }
  for (const RefusedArgument& refused : refused_arguments()) {
    if (options.set_group_id && refused.meaning == "S_ISGID") continue;
    std::vector<scmp_arg_cmp> conditions{equals(refused.argument, refused.mask, refused.value)};
    if (refused.with != 0) conditions.push_back(equals(refused.argument - 1, refused.with, refused.with));
    TRY(draft.add(SCMP_ACT_ERRNO(static_cast<uint16_t>(refused.error)), refused.number, conditions));
  }
  return draft.finish();
}

// Judges calls of one system call only: what is not allowed fails.
Result<Program> compile_restriction(const RestrictedSyscall& restricted) {
  Draft draft = TRY(Draft::begin(SCMP_ACT_ERRNO(static_cast<uint16_t>(restricted.error))));
  for (const AllowedCall& call : restricted.allowed) {
    std::vector<scmp_arg_cmp> conditions{equals(0, ~0U, call.first)};
    if (call.third) conditions.push_back(equals(2, ~0U, *call.third));
    TRY(draft.add(SCMP_ACT_ALLOW, restricted.number, conditions));
  }
  return draft.finish();
}

// libseccomp has neither "not one of these values" in 32 bits nor "a number above this one". So a few instructions
// of our own come first: they answer numbers we do not know, and send each restricted system call to its own program.
// Jumps are relative and every program ends by itself, so programs can simply stand one behind the other.
Program join(const Program& refusals, const std::vector<std::pair<int, Program>>& restrictions) {
  // Each restriction costs two instructions here; the rest is five.
  const size_t front = 5 + 2 * restrictions.size();
  Program joined = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      // A foreign architecture skips all this; `refusals` knows what to do with it.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ::seccomp_arch_native(), 0, static_cast<uint8_t>(front - 2)),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, newest_syscall, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };
  size_t start = front + refusals.size();
  for (const auto& [number, program] : restrictions) {
    joined.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 1));
    const size_t next = joined.size() + 1;
    joined.push_back(BPF_STMT(BPF_JMP | BPF_JA | BPF_K, static_cast<uint32_t>(start - next)));
    start += program.size();
  }
  joined.insert(joined.end(), refusals.begin(), refusals.end());
  for (const auto& [number, program] : restrictions) joined.insert(joined.end(), program.begin(), program.end());
  return joined;
}

Result<std::vector<uint8_t>> compile(const FilterOptions& options) {
  std::vector<std::pair<int, Program>> restrictions;
  for (const RestrictedSyscall& restricted : restricted_syscalls(options.families))
    restrictions.emplace_back(restricted.number, TRY(compile_restriction(restricted)));
  const Program program = join(TRY(compile_refusals(options)), restrictions);
  const auto* bytes = reinterpret_cast<const uint8_t*>(program.data());
  return std::vector<uint8_t>(bytes, bytes + program.size() * sizeof(sock_filter));
}

}  // namespace

Result<std::vector<uint8_t>> compile_filter(const FilterOptions& options) {
  // There are a handful of them, and each takes a quarter of a millisecond.
  static std::mutex guard;
  static std::vector<std::pair<FilterOptions, std::vector<uint8_t>>> known;
  const std::lock_guard lock(guard);
  for (const auto& [asked, filter] : known) {
    if (asked == options) return filter;
  }
  std::vector<uint8_t> filter = TRY(compile(options));
  known.emplace_back(options, filter);
  return filter;
}

}  // namespace talaria
