#pragma once
#include <sys/types.h>

#include "base/clock.h"
#include "base/result.h"
#include "keeper/frame.h"
#include "os/fd.h"
#include "os/home.h"

namespace talaria {

// A connection to a keeper that speaks our protocol, and what it said first.
struct Greeting {
  UniqueFd socket;
  Frame hello;
};

// Connects (blocking, with a deadline); starts the keeper when none is there. One that is about to leave, or was killed
// a moment ago, takes a connection and closes it; then another is started.
Result<Greeting> greet_keeper(const Home& home, Clock::duration patience = 5s);

// Of one that is there and says nothing.
Error silent_keeper(pid_t pid);

}  // namespace talaria
