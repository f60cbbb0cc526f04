#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "keeper/stdin_position.h"
#include "loop/loop.h"
#include "os/fd.h"

namespace talaria {

// Feeds a job's stdin without ever blocking: what the pipe or terminal does not take waits here.
class StdinPump {
 public:
  using Done = std::function<void(Result<>)>;

  // A pipe's write end (owned), or a terminal's master (the job owns it).
  StdinPump(Loop& loop, UniqueFd pipe);
  StdinPump(Loop& loop, int terminal);

  // `done` is called when all of `data` was taken, or why it never will be. With eof the stdin ends behind it: a pipe
  // is closed, a terminal gets its end-of-file character.
  void write(std::string data, bool eof, const std::optional<StdinPosition>& position, Done done);
  bool open() const { return open_; }
  // The job is gone: whoever waits is told.
  void close();

 private:
  struct Piece {
    std::string data;
    bool eof = false;
    Done done;
  };
  void flush();
  void wait_until_writable();
  void finish_front();

  Loop& loop_;
  UniqueFd pipe_;
  int fd_;
  bool terminal_;
  bool open_ = true;
  bool ended_ = false;                     // an eof was taken
  std::map<std::string, uint64_t> taken_;  // by writer
  size_t sent_ = 0;                        // of the front piece
  std::deque<Piece> pieces_;
  Loop::Timer retry_;  // the kernel did not let us watch the fd
  Loop::Watch writable_;
};

}  // namespace talaria
