#pragma once
#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <ostream>
#include <string_view>

#include "base/check.h"

namespace talaria {

// For tests of what cannot be undone: it is done in a child, and judged by how that child ended.

enum class Who { caller, ordinary_user };

inline std::string_view name_of(Who who) { return who == Who::caller ? "TheCaller" : "AnOrdinaryUser"; }

struct Ended {
  int code = 0;
  int signal = 0;
  bool operator==(const Ended&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Ended& ended) {
  return ended.signal ? out << "signal " << ended.signal : out << "code " << ended.code;
}

// root gives itself up; others are ordinary users already.
inline void become(Who who) {
  constexpr unsigned nobody = 65534;
  if (who == Who::caller || ::geteuid() != 0) return;
  CHECK(::setgroups(0, nullptr) == 0 && ::setresgid(nobody, nobody, nobody) == 0);
  CHECK(::setresuid(nobody, nobody, nobody) == 0);
}

// Runs `body` in a child of its own session; what it returns is the exit code. Ends before ctest would end us.
inline Ended try_in_child(Who who, const std::function<int()>& body) {
  const pid_t child = ::fork();
  CHECK(child >= 0);
  if (child == 0) {
    ::setsid();
    ::alarm(100);
    become(who);
    ::_exit(body());
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) CHECK(errno == EINTR);
  return WIFSIGNALED(status) ? Ended{0, WTERMSIG(status)} : Ended{WEXITSTATUS(status), 0};
}

// False where whoever runs the tests gave that up already.
inline bool may_gain_privileges() { return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0; }
inline bool give_up_privileges() { return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }

// The outcome of a system call as an exit code: 0, or the errno.
inline int outcome(long result) { return result < 0 ? errno : 0; }

}  // namespace talaria
