#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "os/socket.h"

namespace talaria {

// With fewer descriptors a gateway could not work beside its connections.
constexpr uint64_t fewest_gateway_files = 40;

// How many clients may be connected, when the process may open so many files: the rest is for files, the database and
// the keeper. `configured` may make it less; 0 leaves it.
size_t most_connections(uint64_t open_files, int64_t configured);

// Says who may connect beside those that are connected. A few places more are kept for the program of a person, which
// must get in when agents have taken all the others.
class Admission {
 public:
  // `configured` is asked each time; `persons` is the path of the program.
  Admission(uint64_t open_files, std::function<int64_t()> configured, std::string persons)
      : open_files_(open_files), configured_(std::move(configured)), persons_(std::move(persons)) {}

  Result<> check(const Peer& peer, size_t connected) const;

 private:
  uint64_t open_files_;
  std::function<int64_t()> configured_;
  std::string persons_;
};

}  // namespace talaria
