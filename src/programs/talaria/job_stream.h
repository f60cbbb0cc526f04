#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "os/fd.h"
#include "os/home.h"
#include "rpc/client.h"
#include "talaria/collected_output.h"
#include "talaria/gateway.h"

namespace talaria {

enum class Input { none, pump, terminal };  // terminal: keys as they are typed, and the window's size

struct StreamOptions {
  std::optional<JsonObject> start;  // params of jobs/start, with the id we chose; absent: the job is there already
  std::string job;
  Input input = Input::none;
  std::optional<Clock::duration> yield;  // hand the job back after this long
  std::optional<uint64_t> stop_at;       // end at this offset instead of at the job's end
  int64_t skip_lines = 0;
  bool owns_job = true;  // signals to us are for the job; else they only end the watching
  bool until_gone = false;
  CollectedOutput* collect = nullptr;  // the output goes there and nothing is printed: the caller shows ending()
  // A line for stderr when the job has ended, from its details; empty for none.
  std::function<std::string(const JsonObject& details)> afterword;
};

// Runs or follows one job: its output to our stdout as it comes, our stdin to it, signals to it. When the gateway goes
// away, a new one is found or started and everything continues at the byte it had reached: the keeper has the job.
class JobStream {
 public:
  JobStream(Home home, RpcClient client, StreamOptions options);
  // The exit code.
  int run();
  // After run: {text, details, isError?} of the job's end; empty when we did not see it.
  const JsonObject& ending() const { return ending_result_; }

 private:
  Result<> open();
  Result<> start_job();
  Result<JsonObject> ask(std::string_view method, JsonObject params);
  Result<> wait_for_answer();
  Result<> settle_input(const JsonObject& details);
  Result<> step();
  Result<> recover(Error why);
  bool over() const { return exit_code_ && written_ == output_.size(); }

  Result<> take_messages();
  Result<> take(const RpcResponse& response);
  void write_again(const Error& why);
  void take_output(const JsonObject& params);
  void take_ended(const JsonObject& params);
  void take_watched_end(const JsonObject& details, const std::string& text);
  void note_gap();
  void say_notices();
  void tell_loss();
  std::string leftovers_text(const JsonObject& details) const;

  Result<> hear_signal();
  Result<> pass_on_heard();
  Result<> take_signal();
  Result<> interrupt(const char* signal);
  Result<> end_job();
  Result<> send_size();

  Result<> read_input();
  Result<> send_input();
  Result<> write_output();
  Result<> stop_writing(int number);
  void tell_write_error();
  void finish(int code) { exit_code_ = code; }
  int wait_milliseconds() const;

  Home home_;
  std::optional<RpcClient> client_;
  StreamOptions options_;
  UniqueFd signals_;

  uint64_t offset_ = 0;  // of the next byte of output we want
  std::string output_;   // taken; bytes [written_, end) still have to go to stdout
  size_t written_ = 0;
  size_t output_limit_ = 0;
  char last_byte_ = '\n';
  // What we say between two bytes of output, once all before it is written.
  struct Notice {
    size_t at;  // in output_
    std::string text;
  };
  std::deque<Notice> notices_;
  uint64_t lost_ = 0;        // bytes of output that were no longer there when we asked
  uint64_t gap_ = 0;         // of them, those that nothing came after yet
  std::string gap_because_;  // empty: the log's limit
  bool deaf_ = false;        // nobody reads our stdout any more, or it cannot be written
  int write_error_ = 0;      // why, when the reader is still there: a full disk

  std::string input_;         // read, and not yet acknowledged
  uint64_t input_taken_ = 0;  // bytes the job's stdin has for sure
  bool input_ended_ = false;
  bool input_closed_ = false;  // nothing more is to be sent
  std::optional<int64_t> writing_;
  std::optional<Clock::time_point> write_again_at_;  // the keeper could not be reached with it
  std::optional<Clock::time_point> write_until_;     // since the last write that was taken

  int interrupts_ = 0;
  const char* unsent_ = nullptr;  // a signal that the gateway may not have heard of
  bool ending_ = false;
  int heard_ = 0;  // a signal that came while we waited for an answer
  Clock::time_point heard_at_{};
  std::optional<Clock::time_point> leave_at_{};  // and until when the answer may come
  Reconnects reconnects_;
  std::optional<Clock::time_point> kill_at_;
  std::optional<Clock::time_point> give_up_at_;  // it was told to end, and we hear nothing of it
  std::optional<Clock::time_point> yield_at_;
  std::optional<int> exit_code_;
  std::string last_words_;
  std::vector<std::string> about_sandbox_;
  std::string afterword_;
  JsonObject ending_result_;
};

}  // namespace talaria
