#include "api/database_watch.h"

namespace talaria {
namespace {

constexpr Clock::duration place_look_every = 500ms;
// Others are served between two pieces of the copy.
constexpr Clock::duration between_pieces = 1ms;

}  // namespace

DatabaseWatch::DatabaseWatch(Loop& loop, Store& store, std::function<void(const std::string&)> say)
    : loop_(loop), store_(store), say_(std::move(say)) {
  look_after(place_look_every);
}

void DatabaseWatch::look_after(Clock::duration pause) {
  next_ = loop_.after(pause, [this] { look(); });
}

void DatabaseWatch::look() {
  look_after(place_look_every);
  switch (store_.place()) {
    case DatabasePlace::State::in_place: return store_.set_place_notice("");
    case DatabasePlace::State::removed: return write_again();
    case DatabasePlace::State::replaced:
      store_.leave_place();
      return tell(
          store_.path() +
          " was replaced by another file while the gateway was running. It is not touched, and what the gateway "
          "stores from now on is gone when it stops. To use the new file, restart: talaria serve --replace. To "
          "keep what the gateway has, move the new file away, and the gateway writes its own database there "
          "again");
  }
}

void DatabaseWatch::write_again() {
  const Result<bool> whole = store_.write_again();
  if (!whole) {
    return tell(store_.path() + " was removed while the gateway was running and cannot be written again (" +
                whole.error().message() + "). What it held is lost if the gateway stops first");
  }
  if (!*whole) return next_ = loop_.after(between_pieces, [this] { write_again(); }), void();
  store_.set_place_notice("");
  if (store_.place() != DatabasePlace::State::in_place) return;  // the next look says what it is now
  const std::string told =
      store_.path() + " was removed while the gateway was running. It was written again, with all that was in it";
  store_.add_notice(told);
  say_(told);
}

void DatabaseWatch::tell(const std::string& text) {
  if (store_.place_notice() == text) return;
  say_(text);
  store_.set_place_notice(text);
}

}  // namespace talaria
