#include "api/write_behind.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "store/database_holder.h"

namespace talaria {
namespace {

constexpr Clock::duration write_every = 100ms;
constexpr Clock::duration first_retry = 20ms;
constexpr Clock::duration longest_retry = 1s;
// Our own checkpoints hold the lock for a moment, and so may others: worth a word after about a second.
constexpr int failures_until_said = 6;

std::string counted_changes(size_t count) {
  return count == 1 ? "1 change waits" : std::to_string(count) + " changes wait";
}

// `until` says what it takes: "there is room".
std::string in_memory(size_t count, const std::string& until) {
  return counted_changes(count) + " in memory and " + (count == 1 ? "is" : "are") + " written when " + until +
         ". If the gateway is killed first, new sessions and read positions are lost";
}

}  // namespace

WriteBehind::WriteBehind(Loop& loop, Store& store, std::function<void(const std::string&)> say)
    : loop_(loop), store_(store), say_(std::move(say)) {
  store_.set_write_events({[this] { wake(); }, [this](const Error& error) { say_(error.message()); }});
}

WriteBehind::~WriteBehind() { store_.set_write_events({}); }

void WriteBehind::wake() {
  if (!next_) next_ = loop_.after(store_.trouble() ? first_retry : write_every, [this] { write(); });
}

void WriteBehind::write() {
  next_ = {};
  const Result<> written = store_.write_waiting();
  if (!written) return failed();
  if (failures_ > 0) worked();
  if (store_.waiting() == 0) return;
  next_ = loop_.after(store_.more_is_due() ? Clock::duration{} : write_every, [this] { write(); });
}

void WriteBehind::failed() {
  const Clock::duration pause = std::min(longest_retry, first_retry * (1 << std::min(failures_, 10)));
  ++failures_;
  next_ = loop_.after(pause, [this] { write(); });
  const bool may_pass = means_locked(*store_.trouble()) && failures_ < failures_until_said;
  if (said_ || may_pass) return;
  said_ = true;
  say_(notice());
}

void WriteBehind::worked() {
  failures_ = 0;
  if (!std::exchange(said_, false)) return;
  say_("the database can be written again: what waited in memory is stored");
}

std::string not_kept_note(const Store& store) {
  if (!store.trouble() || !means_full_disk(*store.trouble())) return "";
  return "Talaria's own disk is full. This call did its work; only Talaria's record of it is not saved yet. Tell the "
         "user to free some space";
}

std::string WriteBehind::notice() const { return write_notice(store_, said_ ? Locks::all : Locks::with_holder); }

std::string write_notice(const Store& store, Locks locks) {
  if (!store.place_notice().empty()) return store.place_notice();
  const std::optional<Error>& trouble = store.trouble();
  if (const auto failing = store.failing(); failing && !trouble) {
    const bool one = failing->count == 1;
    return std::to_string(failing->count) + (one ? " change" : " changes") +
           " cannot be stored (others can): " + failing->error.message() + (one ? ". It is" : ". They are") +
           " tried again for a minute, then dropped";
  }
  // To find out who has the lock may take 10 ms, for every process that locks a file has to stand still meanwhile.
  if (!trouble && !store.locked()) return "";
  if (!trouble || means_locked(*trouble)) {
    const std::optional<DatabaseHolder> holder = find_database_holder(store.path());
    if (!holder && (!trouble || locks == Locks::with_holder)) return "";
    std::string text = store.path() + " is locked by " + (holder ? shown(*holder) : "another process");
    if (store.waiting() > 0) text += "; " + in_memory(store.waiting(), "it is free again");
    return text + ". Close what holds it (another program, a sqlite3 shell, a backup)";
  }
  if (means_full_disk(*trouble)) {
    return "the disk is full: " + in_memory(store.waiting(), "there is room") +
           ". Free some space; talaria rm ID removes a finished job";
  }
  return trouble->message() + "; " + in_memory(store.waiting(), "that is possible again");
}

}  // namespace talaria
