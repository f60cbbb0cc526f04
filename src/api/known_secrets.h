#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/secret_fingerprint.h"
#include "process/mask.h"
#include "store/store.h"

namespace talaria {

// The person's secrets that commands were ever given, so that what they printed stays masked when a value is changed or
// taken away. Their values are in memory only, those given last; of all of them, also of those that an earlier gateway
// gave, the database has fingerprints.
class KnownSecrets {
 public:
  using Trouble = std::function<void(const std::string&)>;
  // `dotenv` is the person's file of variables.
  KnownSecrets(Store& store, std::string dotenv, Trouble on_trouble);

  // A command is about to get these.
  void given(const Environment& secrets);
  // Hides all of them, and `also`, which may be null.
  Mask mask(const std::shared_ptr<const Environment>& also);

 private:
  struct Given {
    std::string name;
    SecretText value;
    std::vector<std::string> digests;  // of its forms
  };
  void load();
  Result<> read_stored();
  Result<> make_key();
  void recognise_current();
  bool knows(const std::string& name, const std::string& value) const;
  std::vector<SecretFingerprint> remember(const std::string& name, const std::string& value);
  Result<> keep(const std::vector<SecretFingerprint>& prints);
  void renew_mask();

  Store& store_;
  std::string dotenv_;
  Trouble on_trouble_;
  bool loaded_ = false;
  std::optional<FingerprintKey> key_;
  std::deque<Given> given_;                          // the oldest first
  std::map<std::string, SecretFingerprint> prints_;  // by digest: all that were ever stored
  bool stale_ = false;
  Mask mask_;
};

}  // namespace talaria
