#include "api/script_stream.h"

#include <algorithm>

namespace talaria {
namespace {

constexpr auto pause = 20ms;

}  // namespace

ScriptStream::ScriptStream(Loop& loop, Outputs& outputs, std::string job, uint64_t from, Take take)
    : loop_(loop), outputs_(outputs), job_(std::move(job)), offset_(from), take_(std::move(take)) {
  again_ = loop_.after(pause, [this] { read(); });  // the keeper does not know the job yet
}

void ScriptStream::read() {
  const size_t most =
      end_ ? static_cast<size_t>(std::min<uint64_t>(output_read_size, *end_ - offset_)) : output_read_size;
  reading_ = outputs_.read(job_, offset_, most, {end_ ? Clock::duration{} : output_read_wait},
                           [this](Result<OutputPart> part) { take(std::move(part)); });
}

void ScriptStream::take(Result<OutputPart> part) {
  const auto done = [this] {
    if (const auto call = std::exchange(done_, nullptr)) call();  // may destroy us
  };
  if (!part) return done();
  if (!part->data.empty() && !take_(part->data)) {
    again_ = loop_.after(pause, [this] { read(); });
    return;
  }
  offset_ = part->offset + part->data.size();
  if (end_ && (offset_ >= *end_ || part->data.empty())) return done();
  if (end_ || !part->data.empty()) return read();
  // Nothing came: it has ended, and finish() is on its way, or we just waited long.
  again_ = loop_.after(pause, [this] { read(); });
}

void ScriptStream::finish(uint64_t end, std::function<void()> done) {
  end_ = std::max(end, offset_);
  done_ = std::move(done);
  again_ = {};
  reading_ = {};
  again_ = loop_.after(0s, [this] {
    if (offset_ < *end_) return read();
    if (const auto call = std::exchange(done_, nullptr)) call();
  });
}

}  // namespace talaria
