#pragma once
#include <sys/types.h>

#include <functional>
#include <string>

#include "loop/loop.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/home.h"

namespace talaria {

// Keeps a daemon to be found at its home: its lock, which says that it is there, and its socket, through which it is
// reached. Looks at both twice a second, and makes again what somebody removed or replaced.
class Presence {
 public:
  struct Places {
    std::string lock;
    std::string socket;
  };
  struct Events {
    // The socket was made again: this is the one to accept from now on.
    std::function<void(UniqueFd listener)> on_renewed;
    // The lock file was removed, and another has locked the new one: the home is its. Called once.
    std::function<void()> on_superseded;
    std::function<void(const std::string&)> report;  // a line for the log
  };

  // Takes over the lock that is held. The socket is there and listens.
  Presence(Loop& loop, Home home, Places places, FileLock lock, Events events);
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;

 private:
  struct FileMark {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const FileMark&) const = default;
  };
  static FileMark socket_at(const std::string& path);
  void look();
  bool keep_lock();
  void renew_socket();

  Loop& loop_;
  Home home_;
  Places places_;
  FileLock lock_;
  Events events_;
  int refusals_ = 0;  // of the lock, in a row
  FileMark mark_;
  std::string trouble_;  // said already
  Loop::Timer next_;
};

}  // namespace talaria
