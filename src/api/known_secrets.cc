#include "api/known_secrets.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "config/dotenv.h"

namespace talaria {
namespace {

constexpr size_t most_values = 256;
constexpr const char* key_name = "secret_fingerprint_key";

}  // namespace

KnownSecrets::KnownSecrets(Store& store, std::string dotenv, Trouble on_trouble)
    : store_(store), dotenv_(std::move(dotenv)), on_trouble_(std::move(on_trouble)) {}

// Not before it is wanted: most gateways start for one command.
void KnownSecrets::load() {
  if (std::exchange(loaded_, true)) return;
  if (Result<> read = read_stored(); !read) on_trouble_(read.error().message());
  if (!prints_.empty()) recognise_current();
}

Result<> KnownSecrets::read_stored() {
  const std::optional<std::string> key = TRY(store_.meta().get(key_name));
  if (!key) return ok;
  key_.emplace(*key);
  for (SecretFingerprint& print : TRY(store_.secret_fingerprints().all())) {
    prints_.insert_or_assign(print.digest, std::move(print));
  }
  return ok;
}

// Values that are still in the file need not be searched for by their fingerprints.
void KnownSecrets::recognise_current() {
  Result<Environment> stored = read_dotenv(dotenv_);
  if (!stored) return;
  for (const auto& [name, value] : *stored) {
    if (prints_.contains(key_->digest(trim(value)))) remember(name, value);
  }
  stale_ = true;
}

Result<> KnownSecrets::make_key() {
  if (key_) return ok;
  const std::string key = FingerprintKey::random_text();
  PendingWrite change;
  change.key = key_name;
  change.write = [&store = store_, key] { return store.meta().set(key_name, key); };
  TRY(store_.write_now(std::move(change)));
  key_.emplace(key);
  return ok;
}

bool KnownSecrets::knows(const std::string& name, const std::string& value) const {
  return std::ranges::any_of(given_, [&](const Given& one) { return one.name == name && one.value.text() == value; });
}

std::vector<SecretFingerprint> KnownSecrets::remember(const std::string& name, const std::string& value) {
  Given one{name, SecretText(value), {}};
  std::vector<SecretFingerprint> prints;
  if (key_) {
    for (const SecretText& form : secret_forms(value)) prints.push_back(key_->fingerprint(name, form.text()));
  }
  for (const SecretFingerprint& print : prints) {
    one.digests.push_back(print.digest);
    prints_.insert_or_assign(print.digest, print);
  }
  given_.push_back(std::move(one));
  if (given_.size() > most_values) given_.pop_front();
  stale_ = true;
  return prints;
}

void KnownSecrets::given(const Environment& secrets) {
  load();
  for (const auto& [name, value] : secrets) {
    if (trim(value).size() < shortest_secret || knows(name, value)) continue;
    const Result<> ready = make_key();
    const std::vector<SecretFingerprint> prints = remember(name, value);
    const Result<> kept = ready ? keep(prints) : ready;
    if (kept) continue;
    on_trouble_("could not store a fingerprint of " + name +
                "'s value: if the value changes and the gateway restarts, the old one is no longer masked: " +
                kept.error().message());
  }
}

Result<> KnownSecrets::keep(const std::vector<SecretFingerprint>& prints) {
  if (prints.empty()) return ok;
  PendingWrite change;
  const std::string key = "secret:" + prints.front().digest;
  change.key = key;
  change.write = [&store = store_, prints] { return store.secret_fingerprints().add(prints); };
  TRY(store_.write_now(std::move(change)));
  // It waits. A lock passes soon.
  if (store_.trouble()) return means_locked(*store_.trouble()) ? Result<>(ok) : *store_.trouble();
  if (const auto failing = store_.failing(); failing && store_.waits(key)) return failing->error;
  if (prints_.size() <= 2 * static_cast<size_t>(SecretFingerprintTable::most)) return ok;
  prints_.clear();
  return read_stored();
}

void KnownSecrets::renew_mask() {
  mask_ = Mask();
  std::set<std::string> known;
  for (const Given& one : given_) {
    mask_.add(one.name, one.value.text());
    known.insert(one.digests.begin(), one.digests.end());
  }
  std::vector<SecretFingerprint> retired;
  for (const auto& [digest, print] : prints_) {
    if (!known.contains(digest)) retired.push_back(print);
  }
  if (!retired.empty()) {
    const auto search = std::make_shared<const FingerprintSearch>(*key_, std::move(retired));
    mask_.add_finder([search](std::string_view text) { return search->find(text); });
  }
  stale_ = false;
}

Mask KnownSecrets::mask(const std::shared_ptr<const Environment>& also) {
  load();
  if (stale_) renew_mask();
  Mask mask = mask_;
  if (also) mask.add(*also);
  return mask;
}

}  // namespace talaria
