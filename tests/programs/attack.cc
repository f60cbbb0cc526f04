// attack BAIT SUBJECT…: makes all attempts of each subject, or one, as in files/absolute.
// attack list: all there are. attack victim, attack who: see attack_victim.cc. attack leave HOW MARK: see
// attack_leftovers.cc.
#include "attack.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace attack {
namespace {

const std::map<std::string, Attempts>& subjects() {
  static const std::map<std::string, Attempts> all = {
      {"devices", devices()},
      {"files", files()},
      {"floods", floods()},
      {"hygiene", hygiene()},
      {"ipc", ipc()},
      {"kernel", kernel()},
      {"mounts", mounts()},
      {"namespaces", namespaces()},
      {"ourselves", ourselves()},
      {"privileges", privileges()},
      {"processes", processes()},
      {"protected", protected_names()},
      {"secrets", secrets()},
      {"services", services()},
      {"sockets", sockets()},
      {"system_calls", system_calls()},
      {"terminals", terminals()},
  };
  return all;
}

// A filter, no way to more privileges, and a user namespace that is not the machine's.
bool is_sandbox() {
  const std::string status = text_of("/proc/self/status");
  const std::string ids = text_of("/proc/self/uid_map");
  return status.find("\nSeccomp:\t2") != std::string::npos && status.find("\nNoNewPrivs:\t1") != std::string::npos &&
         !ids.empty() && ids.find("4294967295") == std::string::npos;
}

// Each in a child, so that one that ends badly does not end the others.
void make_attempt(const std::string& name, const NamedAttempt& attempt, const Bait& bait) {
  if (attempt.harm == Harm::possible && !is_sandbox()) {
    std::printf("BROKE: %s: this is no sandbox, so it was not tried\n", name.c_str());
    return;
  }
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(30);
    Attempt under_way(bait);
    attempt.run(under_way);
    std::puts(under_way.verdict(name).c_str());
    std::fflush(stdout);
    ::_exit(0);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) std::printf("odd: %s: cannot be started\n", name.c_str());
  if (WIFSIGNALED(status)) std::printf("odd: %s: ended by %s\n", name.c_str(), ::strsignal(WTERMSIG(status)));
}

bool make_attempts(const std::string& wanted, const Bait& bait) {
  const size_t slash = wanted.find('/');
  const auto subject = subjects().find(wanted.substr(0, slash));
  if (subject == subjects().end()) return false;
  bool found = false;
  for (const NamedAttempt& attempt : subject->second) {
    const std::string name = subject->first + "/" + attempt.name;
    if (slash != std::string::npos && name != wanted) continue;
    make_attempt(name, attempt, bait);
    found = true;
  }
  return found;
}

int list_all() {
  for (const auto& [subject, attempts] : subjects()) {
    for (const NamedAttempt& attempt : attempts) std::printf("%s/%s\n", subject.c_str(), attempt.name);
  }
  return 0;
}

}  // namespace
}  // namespace attack

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "list") return attack::list_all();
  if (what == "victim") return attack::be_victim();
  if (what == "who") return attack::say_who();
  if (what == "leave" && argc == 4) return attack::leave_behind(argv[2], argv[3]);
  if (argc < 3) {
    std::fprintf(stderr, "usage: attack BAIT SUBJECT[/NAME]… | list | victim | who | leave HOW MARK\n");
    return 2;
  }
  const attack::Bait bait = attack::Bait::read(argv[1]);
  for (int at = 2; at < argc; ++at) {
    if (!attack::make_attempts(argv[at], bait)) std::printf("odd: %s: there is no such attempt\n", argv[at]);
  }
}
