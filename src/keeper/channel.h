#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "keeper/frame.h"
#include "loop/loop.h"
#include "os/fd.h"
#include "os/socket.h"

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

  // Where there is no memory for it, throws std::bad_alloc and sends nothing.
  void send(const JsonObject& header, std::string_view payload = {}, std::vector<UniqueFd> fds = {});
  // Ends the connection: the other side sees it, and then we do, and say so as always.
  void give_up();
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
  void listen();
  void receive();
  void flush();
  void wait_until_writable();
  void drop_front(const Error& why);
  void turn_deaf();
  void pass_over();
  std::optional<Result<Received>> take_bytes();
  Result<std::optional<Frame>> next_frame();
  void close(const Error& why);

  Loop& loop_;
  UniqueFd socket_;
  Events events_;
  FrameReader reader_;
  std::vector<UniqueFd> ahead_;  // fds of the frame whose end has not come yet
  std::deque<Outgoing> outgoing_;
  size_t queued_ = 0;
  bool closed_ = false;
  bool deaf_ = false;    // there was no memory for what came
  bool broken_ = false;  // nothing can be sent any more; what was received is still handed up
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // tells a running callback that we were destroyed
  Loop::Timer retry_, retry_flush_;                             // the kernel did not let us watch the socket
  Loop::Watch writable_;
  Loop::Watch readable_;

 public:
  ~Channel() { *alive_ = false; }
};

}  // namespace talaria
