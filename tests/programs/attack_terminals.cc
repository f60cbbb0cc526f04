// Typing into terminals, and reaching those of others.
#include <fcntl.h>
#include <linux/kd.h>
#include <linux/vt.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "attack.h"

namespace attack {
namespace {

// A terminal of our own, which every sandbox has: its filter, not the lack of a terminal, must refuse.
int own_terminal() {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0 || ::unlockpt(master) != 0) return -1;
  return ::ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

void type_into(Attempt& attempt, const std::string& name, int fd) {
  char letter = 'X';
  for (const unsigned long dirt : {0UL, 1UL << 32, 0xffffffffUL << 32}) {
    attempt.must_be_filtered("TIOCSTI on " + name, ::ioctl(fd, dirt | TIOCSTI, &letter));
    char paste[2] = {3, 0};
    attempt.must_be_filtered("TIOCLINUX on " + name, ::ioctl(fd, dirt | TIOCLINUX, paste));
  }
}

void type(Attempt& attempt) {
  for (int fd = 0; fd < 3; ++fd) type_into(attempt, "descriptor " + std::to_string(fd), fd);
  const int own = own_terminal();
  if (own < 0) attempt.note("no terminal of its own: " + with_errno(-1));
  ::setsid();
  ::ioctl(own, TIOCSCTTY, 0);
  type_into(attempt, "its own terminal", own);
}

void host_terminal(Attempt& attempt) {
  const std::string& path = attempt.bait["terminal"];
  for (const std::string& way :
       {path, "/proc/self/root" + path, "/proc/1/root" + path, "/proc/" + attempt.bait["victim"] + "/root" + path,
        "/proc/" + attempt.bait["victim"] + "/fd/0"}) {
    const int fd = ::open(way.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (attempt.must_fail("open " + way, fd)) continue;
    (void)!::write(fd, "attack", 6);
    ::close(fd);
  }
}

void consoles(Attempt& attempt) {
  for (const char* path : {"/dev/console", "/dev/tty0", "/dev/tty1", "/dev/ttyS0", "/dev/vcs", "/dev/vcsa", "/dev/hvc0",
                           "/dev/ttyprintk", "/dev/tty", "/dev/vcsu1"}) {
    const int fd = ::open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    attempt.must_fail(std::string("open ") + path, fd);
    if (fd >= 0) ::close(fd);
  }
}

// New terminals belong to the sandbox: their numbers are not those of the host.
void new_terminal(Attempt& attempt) {
  const int own = own_terminal();
  const char* name = own < 0 ? nullptr : ::ttyname(own);
  attempt.note(std::string("its own is ") + (name ? name : "none"));
  for (const char* path : {"/dev/pts/ptmx", "/dev/ptmx", "/proc/1/root/dev/ptmx"}) {
    const int master = ::open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0) continue;
    int number = -1;
    ::ioctl(master, TIOCGPTN, &number);
    if ("/dev/pts/" + std::to_string(number) == attempt.bait["terminal"]) attempt.note("same number, another terminal");
    ::close(master);
  }
}

void take_over(Attempt& attempt) {
  const int own = own_terminal();
  for (const int fd : {0, 1, 2, own}) {
    attempt.must_fail("steal a terminal", ::ioctl(fd, TIOCSCTTY, 1));
    attempt.must_fail("take the console", ::ioctl(fd, TIOCCONS, 0));
    attempt.must_fail("hang up", ::ioctl(fd, TIOCVHANGUP, 0));
    attempt.must_fail("switch the console", ::ioctl(fd, VT_ACTIVATE, 1));
    kbentry entry{};
    attempt.must_fail("change the keyboard", ::ioctl(fd, KDSKBENT, &entry));
  }
}

constexpr NamedAttempt all[] = {
    {"type", type, Harm::none}, {"host_terminal", host_terminal, Harm::none},
    {"consoles", consoles},     {"new_terminal", new_terminal},
    {"take_over", take_over},
};

}  // namespace

Attempts terminals() { return all; }

}  // namespace attack
