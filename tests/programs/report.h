#pragma once
#include <string.h>

#include <cerrno>
#include <cstdio>

// One line for one attempt: "mount over /usr: EPERM", or "ok" when it was let through. Flushed at once, so that it is
// read even if the next attempt kills us.
inline void report(const char* attempt, long result) {
  std::printf("%s: %s\n", attempt, result < 0 ? ::strerrorname_np(errno) : "ok");
  std::fflush(stdout);
}
