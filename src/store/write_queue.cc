#include "store/write_queue.h"

#include <algorithm>
#include <utility>

namespace talaria {
namespace {

// So many that a commit is worth it, so few that the loop does not notice.
constexpr size_t most_together = 64;

// Each is a transaction of its own, so fewer of them.
constexpr size_t most_alone = 16;
constexpr Clock::duration try_again_after = 1s;
constexpr Clock::duration given_up_after = 1min;

// The tables will not take it, today or later.
bool is_refusal(const Error& error) {
  switch (error.code()) {
    case ErrorCode::invalid_argument:
    case ErrorCode::not_found: return true;
    case ErrorCode::conflict: return !means_locked(error);
    default: return false;
  }
}

// Neither the disk nor a lock nor the file as a whole: the next change may well be written.
bool is_of_its_own(const Error& error) { return error.code() == ErrorCode::system && error.number() == 0; }

}  // namespace

void WriteQueue::add(PendingWrite change, Clock::time_point now) {
  const Clock::time_point due = now + change.delay;
  const auto known = by_key_.find(change.key);
  if (known != by_key_.end()) {
    known->second->due = std::min(known->second->due, due);
    known->second->change = std::move(change);
    return;
  }
  const Place place = waiting_.insert(waiting_.end(), Entry{std::move(change), due});
  by_key_.emplace(place->change.key, place);
}

void WriteQueue::drop(const std::string& key) {
  const auto known = by_key_.find(key);
  if (known == by_key_.end()) return;
  waiting_.erase(known->second);
  by_key_.erase(known);
}

bool WriteQueue::due(Clock::time_point now) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const Entry& entry) { return entry.due <= now && !builds_on_failing(entry); });
}

std::optional<WriteQueue::Failing> WriteQueue::failing() const {
  std::optional<Failing> found;
  for (const Entry& entry : waiting_) {
    if (entry.trial) found = Failing{found ? found->count + 1 : 1, entry.trial->error};
  }
  return found;
}

bool WriteQueue::builds_on_failing(const Entry& entry) const {
  if (entry.change.after.empty()) return false;
  const auto base = by_key_.find(entry.change.after);
  return base != by_key_.end() && base->second->trial;
}

WriteQueue::Places WriteQueue::ready(Clock::time_point now, OnTrial on_trial, size_t most) {
  Places places;
  for (Place place = waiting_.begin(); place != waiting_.end() && places.size() < most; ++place) {
    const bool wanted = place->due <= now && place->trial.has_value() == (on_trial == OnTrial::yes);
    if (wanted && !builds_on_failing(*place)) places.push_back(place);
  }
  return places;
}

Result<std::vector<WriteQueue::Refusal>> WriteQueue::write_due(Clock::time_point now) {
  std::vector<Refusal> refused;
  if (std::optional<Error> error = write_ready(now, refused)) return *std::move(error);
  try_alone(now, refused);
  return refused;
}

void WriteQueue::hurry(Clock::time_point now) {
  for (Entry& entry : waiting_) entry.due = std::min(entry.due, now);
}

std::optional<Error> WriteQueue::write_ready(Clock::time_point now, std::vector<Refusal>& refused) {
  for (size_t failed = 0; failed < most_together; ++failed) {
    const Places places = ready(now, OnTrial::no, most_together);
    if (places.empty()) return {};
    Outcome outcome = write_together(places);
    if (!outcome.error) {
      refused.insert(refused.end(), outcome.refused.begin(), outcome.refused.end());
      take_out(places, outcome.refused);
      return {};
    }
    if (!outcome.culprit) return std::move(outcome.error);
    note_failure(**outcome.culprit, *std::move(outcome.error), now);
  }
  return {};
}

void WriteQueue::try_alone(Clock::time_point now, std::vector<Refusal>& refused) {
  for (size_t tried = 0; tried < most_alone; ++tried) {
    const Places one = ready(now, OnTrial::yes, 1);  // anew each time, for who hears that it is stored may change them
    if (one.empty()) return;
    Outcome outcome = write_together(one);
    if (outcome.error && !outcome.culprit) return;  // for a reason of all: the next call tells
    Entry& entry = *one.front();
    if (outcome.error && now - entry.trial->begun < given_up_after) {
      note_failure(entry, *std::move(outcome.error), now);
      continue;
    }
    if (outcome.error) outcome.refused.push_back({entry.change.key, *std::move(outcome.error)});
    refused.insert(refused.end(), outcome.refused.begin(), outcome.refused.end());
    take_out(one, outcome.refused);
  }
}

void WriteQueue::note_failure(Entry& entry, Error error, Clock::time_point now) {
  if (entry.trial) entry.trial->error = std::move(error);
  else entry.trial = Trial{std::move(error), now};
  entry.due = now + try_again_after;
}

// They are done with: written, or refused.
void WriteQueue::take_out(const Places& places, const std::vector<Refusal>& refused) {
  std::vector<std::function<void()>> stored;
  for (const Place& place : places) {
    const auto is_this = [&](const Refusal& refusal) { return refusal.key == place->change.key; };
    if (std::none_of(refused.begin(), refused.end(), is_this)) stored.push_back(std::move(place->change.stored));
    by_key_.erase(place->change.key);
    waiting_.erase(place);
  }
  // Only now, for they may ask for the next changes.
  for (const std::function<void()>& tell : stored) {
    if (tell) tell();
  }
}

WriteQueue::Outcome WriteQueue::write_together(const Places& places) {
  Outcome outcome;
  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) {
    outcome.error = std::move(transaction).error();
    return outcome;
  }
  for (const Place& place : places) {
    Result<> written = place->change.write();
    if (written) continue;
    if (is_refusal(written.error())) {
      outcome.refused.push_back({place->change.key, std::move(written).error()});
      continue;
    }
    if (is_of_its_own(written.error())) outcome.culprit = place;
    outcome.error = std::move(written).error();
    return outcome;
  }
  if (Result<> committed = transaction->commit(); !committed) outcome.error = std::move(committed).error();
  return outcome;
}

}  // namespace talaria
