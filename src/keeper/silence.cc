#include "keeper/silence.h"

namespace talaria {
namespace {

constexpr Clock::duration silence_beat = 5s;
constexpr int most_unanswered = 2;

}  // namespace

void SilenceWatch::schedule() {
  next_ = loop_.after(silence_beat, [this] { beat(); });
}

void SilenceWatch::beat() {
  if (unanswered_ >= most_unanswered) {
    const auto on_silent = events_.on_silent;  // may destroy us
    return on_silent();
  }
  schedule();
  if (unanswered_ == 0 && !events_.waits()) return;
  if (++unanswered_ == 1) events_.ask();
}

}  // namespace talaria
