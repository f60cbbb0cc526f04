#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "json/json.h"

namespace talaria {

// One call that a script made.
struct CallRecord {
  std::string tool = {};
  std::string arguments = {};   // one line for a reader, see short_arguments
  Clock::duration began{};      // when it came, since the run began
  Clock::duration took{};       // until its answer, waiting for others included; 0 while it is under way
  uint64_t argument_bytes = 0;  // of the request
  uint64_t result_bytes = 0;    // of the answer
  bool failed = false;
  bool cancelled = false;

  bool operator==(const CallRecord&) const = default;
};

// What a run has called so far.
struct RunTally {
  int64_t calls = 0;    // taken up
  int64_t refused = 0;  // answered with an error instead: not allowed, too large or too many
  uint64_t result_bytes = 0;
  std::vector<CallRecord> records = {};  // of the first 10,000

  bool operator==(const RunTally&) const = default;
};

// `path=src/a.c limit=5 content=(1,234 bytes)`, at most 120 characters.
std::string short_arguments(const JsonObject& arguments);

}  // namespace talaria
