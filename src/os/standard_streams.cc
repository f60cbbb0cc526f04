#include "os/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace talaria {

Result<> reserve_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest free number is this one. Not close-on-exec: a program that we become has the same need.
    const int opened = ::open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY);
    if (opened < 0) return Error::from_errno("open /dev/null");
    if (opened != fd) return Error(ErrorCode::system, "/dev/null was opened as another file than a standard stream");
  }
  return ok;
}

}  // namespace talaria
