#include "os/pty.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#include <cstdlib>

namespace talaria {

Result<Pty> open_pty(WindowSize size) {
  Pty pty;
  pty.master = UniqueFd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!pty.master) return Error::from_errno("open a terminal");
  if (::grantpt(pty.master.get()) != 0 || ::unlockpt(pty.master.get()) != 0)
    return Error::from_errno("unlock the terminal");
  // By the master, not by name: the name may mean another terminal in another mount namespace.
  pty.slave = UniqueFd(::ioctl(pty.master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pty.slave) return Error::from_errno("open the terminal's other end");
  TRY(resize_pty(pty.master.get(), size));
  return pty;
}

Result<> resize_pty(int master, WindowSize size) {
  winsize window{};
  window.ws_row = static_cast<unsigned short>(size.rows);
  window.ws_col = static_cast<unsigned short>(size.cols);
  if (::ioctl(master, TIOCSWINSZ, &window) != 0) return Error::from_errno("resize the terminal");
  return ok;
}

}  // namespace talaria
