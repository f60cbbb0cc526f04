#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "code/frame.h"
#include "loop/loop.h"
#include "os/fd.h"

namespace talaria {

// What all channels of one script process hold in memory at the moment, in bytes.
struct ScriptLoad {
  size_t collecting = 0;  // of frames that are not whole yet
  size_t unsent = 0;      // of answers that nobody has read yet
};

// Our end of a channel: hands up whole frames, sends answers without ever waiting. A small request costs one read and
// its answer one write.
class ScriptChannel {
 public:
  // The channel may be destroyed from inside each of them.
  struct Events {
    std::function<void(const ScriptFrame&)> frame = {};
    std::function<void()> drained = {};  // some of what was unsent has gone
    std::function<void()> closed = {};   // nobody is at the other end any more
  };

  ScriptChannel(Loop& loop, ScriptLoad& load, UniqueFd socket, Events events);
  ~ScriptChannel();
  ScriptChannel(const ScriptChannel&) = delete;
  ScriptChannel& operator=(const ScriptChannel&) = delete;

  // Calls nothing back: that nobody is there any more is told a moment later.
  void send(std::string frame);
  size_t unsent() const { return unsent_; }

  enum class Reading { on, off };
  // Frames that came in part before the reading was turned off are handed up when it is on again.
  void set_reading(Reading reading);
  // Neither reads nor sends any more, and forgets what is unsent, but stays open: who waits for an answer goes on
  // waiting.
  void fall_silent();

 private:
  void listen();
  void receive();
  void take_frames();
  void take_frames_soon();
  void count_collecting();
  bool push(const std::string& frame, size_t& sent);
  void flush();
  void fail_soon();
  void close();

  Loop& loop_;
  ScriptLoad& load_;
  UniqueFd socket_;
  std::shared_ptr<const Events> events_;  // also held by who is calling one, for we may be gone before it returns
  ScriptFrames frames_;
  size_t collecting_ = 0;
  std::deque<std::string> outgoing_;
  size_t front_sent_ = 0;  // of the first one
  size_t unsent_ = 0;
  Reading reading_ = Reading::on;
  bool taking_ = false;  // take_frames is on the stack or on its way
  bool failed_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Loop::Watch writable_;
  Loop::Watch readable_;
};

}  // namespace talaria
