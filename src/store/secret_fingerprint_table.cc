#include "store/secret_fingerprint_table.h"

namespace talaria {

Result<> SecretFingerprintTable::add(const std::vector<SecretFingerprint>& fingerprints) {
  if (fingerprints.empty()) return ok;
  for (const SecretFingerprint& one : fingerprints) {
    Statement statement = TRY(database_->prepare(
        "INSERT OR REPLACE INTO secret_fingerprints (name, length, rolling, digest) VALUES (?, ?, ?, ?)",
        "keep the fingerprint of a secret"));
    TRY(statement.bind(one.name, one.length, one.rolling, one.digest).run());
  }
  Statement statement = TRY(
      database_->prepare("DELETE FROM secret_fingerprints WHERE seq <= (SELECT max(seq) FROM secret_fingerprints) - ?",
                         "forget the oldest fingerprints of secrets"));
  TRY(statement.bind(most).run());
  return ok;
}

Result<std::vector<SecretFingerprint>> SecretFingerprintTable::all() {
  Statement statement =
      TRY(database_->prepare("SELECT name, length, rolling, digest FROM secret_fingerprints ORDER BY seq",
                             "read the fingerprints of secrets"));
  std::vector<SecretFingerprint> fingerprints;
  while (TRY(statement.step())) {
    SecretFingerprint& one = fingerprints.emplace_back();
    statement.read(one.name, one.length, one.rolling, one.digest);
  }
  return fingerprints;
}

}  // namespace talaria
