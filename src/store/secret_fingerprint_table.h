#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "store/database.h"

namespace talaria {

// What is kept of a secret: enough to find it in a text, too little to read it back.
struct SecretFingerprint {
  std::string name;      // of the variable
  uint64_t length = 0;   // of the value, in bytes
  uint32_t rolling = 0;  // a short hash of it, which says where to look
  std::string digest;    // a long one, which says whether it is
  bool operator==(const SecretFingerprint&) const = default;
};

// The fingerprints of secrets that commands were given; the oldest go when there are very many.
class SecretFingerprintTable {
 public:
  static constexpr int64_t most = 4096;
  explicit SecretFingerprintTable(Database& database) : database_(&database) {}

  // Those that are there become the newest.
  Result<> add(const std::vector<SecretFingerprint>& fingerprints);
  Result<std::vector<SecretFingerprint>> all();

 private:
  Database* database_;
};

}  // namespace talaria
