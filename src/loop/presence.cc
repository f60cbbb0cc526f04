#include "loop/presence.h"

#include <sys/stat.h>

#include <utility>

#include "os/socket.h"

namespace talaria {
namespace {
// Often enough for clients that wait, and nothing to speak of. An inotify watch would be quicker, but goes with the
// directory, and a user may have few of them.
constexpr auto presence_look_every = 500ms;
constexpr int refusals_believed = 3;
}  // namespace

Presence::Presence(Loop& loop, Home home, Places places, FileLock lock, Events events)
    : loop_(loop),
      home_(std::move(home)),
      places_(std::move(places)),
      lock_(std::move(lock)),
      events_(std::move(events)),
      mark_(socket_at(places_.socket)) {
  lock_.sign();
  next_ = loop_.after(presence_look_every, [this] { look(); });
}

// Nothing but a socket has a mark, and no link to one.
Presence::FileMark Presence::socket_at(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode)) return {};
  return {info.st_dev, info.st_ino};
}

void Presence::look() {
  next_ = loop_.after(presence_look_every, [this] { look(); });  // first: the rest may fail for want of memory
  if (!keep_lock()) {
    // Somebody may only look who holds it, which takes a lock for a moment.
    if (++refusals_ < refusals_believed) return;
    next_ = {};  // no further look: what is at the socket's path is the other's
    events_.report("another process now holds " + places_.lock + ": the file was removed and made again");
    return events_.on_superseded();
  }
  refusals_ = 0;
  if (mark_ == FileMark() || socket_at(places_.socket) != mark_) renew_socket();
}

// False when the home has another holder.
bool Presence::keep_lock() {
  if (lock_.is_at(places_.lock) || !exists(home_.root)) return true;
  Result<FileLock> again = FileLock::try_take(places_.lock);
  if (!again) return true;  // no room for the file; the next look tries again
  if (!again->held()) return false;
  events_.report(places_.lock + " was removed; made it again");
  lock_ = *std::move(again);
  lock_.sign();
  return true;
}

void Presence::renew_socket() {
  Result<> prepared = home_.prepare_runtime();
  Result<UniqueFd> listener = prepared ? listen_unix(places_.socket) : Result<UniqueFd>(prepared.error());
  if (!listener) {
    const std::string why = listener.error().message();
    if (why != trouble_) events_.report(places_.socket + " is gone and cannot be made again: " + why);
    trouble_ = why;
    return;
  }
  trouble_.clear();
  mark_ = socket_at(places_.socket);
  events_.report(places_.socket + " was removed or replaced; listening on a new one");
  events_.on_renewed(*std::move(listener));
}

}  // namespace talaria
