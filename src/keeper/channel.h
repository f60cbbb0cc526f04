#pragma once
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "keeper/frame.h"
#include "loop/loop.h"
#include "os/fd.h"

namespace talaria {

// A framed connection on the loop: sends what it is given in order, hands up whole frames, says once when it closed.
class Channel {
 public:
  struct Events {
    std::function<void(Frame)> on_frame;
    std::function<void(const Error&)> on_closed;  // the channel may be destroyed from inside it
    // One frame with descriptors was not sent, because the kernel passes none now; its number is its `seq` or `re`.
    // The channel goes on. Called from the loop.
    std::function<void(int64_t number, const Error&)> on_unsent;
  };

  Channel(Loop& loop, UniqueFd socket, Events events);

  void send(const JsonObject& header, std::string_view payload = {}, std::vector<UniqueFd> fds = {});
  // Bytes not yet taken by the kernel: who sends much, looks here first.
  size_t queued() const { return queued_; }
  int fd() const { return socket_.get(); }

 private:
  struct Outgoing {
    std::string bytes;
    size_t sent = 0;
    std::vector<UniqueFd> fds;
    int64_t number = 0;
  };
  void receive();
  void flush();
  void drop_front(const Error& why);
  void give_up();
  void close(const Error& why);

  Loop& loop_;
  UniqueFd socket_;
  Events events_;
  FrameReader reader_;
  std::vector<UniqueFd> passed_;  // fds that came ahead of the end of their frame
  std::deque<Outgoing> outgoing_;
  size_t queued_ = 0;
  bool closed_ = false;
  bool broken_ = false;  // nothing can be sent any more; what was received is still handed up
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // tells a running callback that we were destroyed
  Loop::Watch writable_;
  Loop::Watch readable_;

 public:
  ~Channel() { *alive_ = false; }
};

}  // namespace talaria
