// Types into every terminal within reach, and reaches for others.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

#include "report.h"

namespace {

void type_into(const std::string& name, int fd) {
  char letter = 'X';
  report(("TIOCSTI on " + name).c_str(), ::ioctl(fd, TIOCSTI, &letter));
  // The same request with dirt in the half of the argument that the kernel does not read.
  report(("TIOCSTI with dirt on " + name).c_str(), ::ioctl(fd, (1UL << 32) | TIOCSTI, &letter));
  char paste[2] = {3, 0};
  report(("TIOCLINUX on " + name).c_str(), ::ioctl(fd, TIOCLINUX, paste));
  report(("TIOCSCTTY by force on " + name).c_str(), ::ioctl(fd, TIOCSCTTY, 1));
}

}  // namespace

int main() {
  for (int fd = 0; fd <= 2; ++fd) type_into("descriptor " + std::to_string(fd), fd);
  for (const char* path : {"/dev/tty", "/dev/console", "/dev/tty0", "/dev/tty1", "/dev/ttyS0", "/dev/vcs", "/dev/vcsa",
                           "/dev/pts/0", "/dev/pts/1"}) {
    const int fd = ::open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    report((std::string("open ") + path).c_str(), fd);
    if (fd >= 0) type_into(path, fd);
  }
}
