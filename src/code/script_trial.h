#pragma once
// A server on a loop of its own and script processes played by threads, for the tests of this module.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "code/script_server.h"
#include "os/file.h"
#include "os/socket.h"

namespace talaria {

// A script's end of one channel: blocking, as threads of a script use it.
class TrialChannel {
 public:
  explicit TrialChannel(int lobby) : TrialChannel(offer(lobby)) {}
  explicit TrialChannel(UniqueFd socket) : socket_(std::move(socket)) {
    const timeval patience{20, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  }

  int fd() const { return socket_.get(); }
  void close() { socket_.reset(); }

  // False when the server has closed it.
  bool send_bytes(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }
  bool send_text(std::string_view json) { return send_bytes(encode_script_frame(json)); }
  int64_t ask(const std::string& tool, const JsonObject& arguments = {}) {
    const int64_t id = ++last_id_;
    send_text(write_json(JsonObject{{"id", id}, {"tool", tool}, {"args", arguments}}));
    return id;
  }

  // The next answer; nullopt when the server has closed the channel.
  std::optional<JsonObject> answer() {
    char header[4];
    if (!receive(header, sizeof header)) return std::nullopt;
    uint32_t length = 0;
    for (int i = 3; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(header[i]);
    std::string text(length, '\0');
    if (!receive(text.data(), length)) return std::nullopt;
    return *parse_json_object(text);
  }
  JsonObject call(const std::string& tool, const JsonObject& arguments = {}) {
    ask(tool, arguments);
    return answer().value_or(JsonObject{{"closed", true}});
  }

 private:
  static UniqueFd offer(int lobby) {
    auto [mine, yours] = *socket_pair(SOCK_STREAM);
    EXPECT_TRUE(send_some(lobby, R"({"channel": true})", {yours.get()}));
    return std::move(mine);
  }
  bool receive(char* buffer, size_t length) {
    while (length > 0) {
      const ssize_t count = ::recv(socket_.get(), buffer, length, 0);
      if (count <= 0) return false;
      buffer += count;
      length -= static_cast<size_t>(count);
    }
    return true;
  }

  UniqueFd socket_;
  int64_t last_id_ = 0;
};

// Tools of the trial: `echo` answers from the loop, `sync` before its call returns, `hold` when the test says so.
class ScriptTrial : public testing::Test {
 protected:
  struct Held {
    ScriptCall call;
    Done<ToolResult> done;
  };
  // Tells when it is dropped.
  class TrialOperation : public Operation {
   public:
    TrialOperation(ScriptTrial& trial, int number) : trial_(trial), number_(number) { ++trial_.alive_operations_; }
    ~TrialOperation() override {
      --trial_.alive_operations_;
      trial_.waiting_.erase(number_);
      if (trial_.held_.erase(number_) > 0) ++trial_.cancelled_;
    }

   private:
    ScriptTrial& trial_;
    int number_;
  };

  void SetUp() override {
    LobbyEnds ends = *make_lobby();
    inode_ = ends.inode;
    theirs_ = std::move(ends.theirs);
    ours_ = std::move(ends.ours);
  }
  void TearDown() override {
    for (std::thread& script : scripts_) script.join();
    server_.reset();
    EXPECT_EQ(alive_operations_, 0);
  }

  ScriptServer::Events events() {
    return {
        .call = [this](ScriptCall call, Done<ToolResult> done) { return start(std::move(call), std::move(done)); },
        .progress = [this](const ScriptProgress& progress) { progress_.push_back(progress); },
        .ended = [this](const ScriptRunEnd& end) { ends_.push_back(end); },
        .hello = [this](int64_t number) { hellos_.push_back(number); },
        .broken = [this](const Error& why) { broken_.push_back(why.message()); },
        .closed = [this] { ++closed_; },
    };
  }
  void serve() { serve(events()); }
  void serve(ScriptServer::Events wanted) { server_.emplace(loop_, std::move(ours_), std::move(wanted)); }
  void begin(int64_t max_calls = 1'000'000, int64_t max_parallel = 8) {
    server_->begin({{"echo", "hold", "sync", "fail", "gone", "big"}, max_calls, max_parallel});
  }

  OperationPtr start(ScriptCall call, Done<ToolResult> done) {
    const int number = ++last_operation_;
    auto operation = std::make_unique<TrialOperation>(*this, number);
    const std::string tool = call.tool;
    if (tool == "hold") {
      held_.emplace(number, Held{std::move(call), std::move(done)});
      most_held_ = std::max(most_held_, held_.size());
    } else if (tool == "sync") {
      done(result_of(call));
    } else {
      waiting_.emplace(number, std::move(done));
      loop_.post([this, call = std::move(call), number] {
        const auto node = waiting_.extract(number);
        if (node.empty()) return;
        const int alive = alive_operations_;
        node.mapped()(result_of(call));
        EXPECT_EQ(alive_operations_, alive) << "an operation was destroyed inside its own callback";
      });
    }
    return operation;
  }
  Result<ToolResult> result_of(const ScriptCall& call) {
    if (call.tool == "fail") return ToolResult{"it failed", {{"path", "x"}}, true};
    if (call.tool == "gone") return Error(ErrorCode::unavailable, "the tool is gone");
    if (call.tool == "big") {
      return ToolResult{"", {{"data", std::string(static_cast<size_t>(integer_or(call.arguments, "bytes")), 'x')}}};
    }
    return ToolResult{"ok", {{"got", call.arguments}}};
  }
  // Answers the one that has waited longest, or the given one.
  void release(std::optional<int> number = {}) {
    const auto at = number ? held_.find(*number) : held_.begin();
    Held held = std::move(at->second);
    held_.erase(at);
    held.done(result_of(held.call));
  }

  // Plays a script process, or one of its threads.
  void script(std::function<void()> body) {
    ++active_scripts_;
    scripts_.emplace_back([this, body = std::move(body)] {
      body();
      if (--active_scripts_ == 0) {
        loop_.post([this] { scripts_done_ = true; });
      }
    });
  }
  // Turns the loop until `enough`, which is looked at after every turn.
  void run_until(const std::function<bool()>& enough) {
    const Clock::time_point deadline = Clock::now() + 30s;
    const std::function<void()> look = [&] {
      if (enough()) return loop_.stop();
      if (Clock::now() > deadline) {
        ADD_FAILURE() << "waited too long";
        return loop_.stop();
      }
      look_ = loop_.after(1ms, [&] { look(); });
    };
    loop_.post([&] { look(); });
    loop_.run();
    look_ = {};
  }
  void run_scripts() {
    run_until([this] { return scripts_done_; });
  }
  Loop loop_;
  UniqueFd ours_, theirs_;
  uint64_t inode_ = 0;
  int last_operation_ = 0;
  int alive_operations_ = 0;
  int cancelled_ = 0;
  std::map<int, Held> held_;
  std::map<int, Done<ToolResult>> waiting_;
  size_t most_held_ = 0;
  std::vector<ScriptProgress> progress_;
  std::vector<ScriptRunEnd> ends_;
  std::vector<int64_t> hellos_;
  std::vector<std::string> broken_;
  int closed_ = 0;
  std::atomic<int> active_scripts_ = 0;
  bool scripts_done_ = false;
  std::vector<std::thread> scripts_;
  Loop::Timer look_;
  std::optional<ScriptServer> server_;
};

}  // namespace talaria
