#pragma once
#include <string>

namespace talaria {

// What a caller wants of the sandbox beside what is configured; empty: as configured.
struct SandboxWish {
  std::string profile;
  std::string network;  // "off" or "on"
  bool operator==(const SandboxWish&) const = default;
};

}  // namespace talaria
