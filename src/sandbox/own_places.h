#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace talaria {

struct MountStep;

// How a sandbox is kept from changing something of ours that lies where it may write.
enum class OwnGuard {
  pinned,     // a directory on the way to it: it stays in its place, and what else is in it can be changed
  read_only,  // what the person may well want to read inside: the configuration, skills, our programs
  hidden,     // our state and secrets
  refused,    // nothing guards it: a link, or what is not there, which whoever may write beside it can replace or make
};

// Something that leads to our home, to what is in it, or to our programs, or is that.
struct OwnPlace {
  std::string path;  // absolute; its directories are free of links, it may be one
  OwnGuard guard = OwnGuard::pinned;
  std::string what;  // that it leads to, as we call it
  bool operator==(const OwnPlace&) const = default;
};

// Our home and its sockets, as they are called, our programs and their library. What of it is not there counts as well:
// who could make it would be believed.
struct OwnThings {
  std::string home;
  std::string runtime;
  std::string programs;  // the directory they are in
  std::string library;
};

// Looks at every step of the way to each of them, through all links.
std::vector<OwnPlace> find_own_places(const OwnThings& things);

// Tells one state of them from another, as far as they lie in what is opened for writing: a sandbox that stands was
// made for one.
std::string identity_of_own_places(const std::vector<OwnPlace>& places, const std::vector<std::string>& opened);

// The steps that guard what lies in one of the places that are opened for writing, and hide what is to be hidden
// wherever it is; or why nothing can.
Result<std::vector<MountStep>> guard_own_places(const std::vector<OwnPlace>& places,
                                                const std::vector<std::string>& opened);

}  // namespace talaria
