#pragma once
#include <sys/stat.h>

#include <set>
#include <string>
#include <vector>

#include "sandbox/session_memory.h"
#include "sandbox/view.h"

namespace talaria {

// The top level of the places in memory where people look for files: a session's private home and its /tmp. Who writes
// there may take them for the real ones.
class PrivatePlaces {
 public:
  PrivatePlaces() = default;
  // Of a sandbox that was made by this plan; `home` is the private one.
  PrivatePlaces(const MountPlan& plan, const std::string& home);

  // What is there now is no news any more. One system call for each place while nothing changes, and so with news().
  void catch_up(const SessionMemory& memory) { (void)look(memory); }
  // The files that came since, by their paths inside, such as a person would look for: no hidden ones, no directories,
  // nothing named as programs name temporary files. Of /tmp only the first time: commands hand things to each other
  // there.
  std::vector<std::string> news(const SessionMemory& memory);

 private:
  struct Place {
    size_t folder = 0;  // its number in SessionMemory
    std::string path;
    timespec changed{};
    off_t size = 0;
    std::set<std::string> known;
    bool over = false;  // it is looked at no more
  };
  std::vector<std::string> look(const SessionMemory& memory);
  static void look_at(Place& place, int folder, std::vector<std::string>& news);

  std::vector<Place> places_;
};

}  // namespace talaria
