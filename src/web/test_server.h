#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gate/gate.h"
#include "os/fd.h"
#include "web/http_client.h"

namespace talaria {

// A web server on 127.0.0.1 for tests, that behaves as badly as it is told to.
class TestServer {
 public:
  // One request; the connection is closed when the handler returns.
  class Connection {
   public:
    Connection(int fd, int stop_fd, std::string request) : fd_(fd), stop_fd_(stop_fd), request_(std::move(request)) {}

    const std::string& request() const { return request_; }
    // False when the client is gone.
    bool send(std::string_view bytes);
    void reply(std::string_view status, std::string_view headers, std::string_view body);
    // Until the client closes, or the test is over.
    void wait_until_closed();
    // So that the client gets a reset, not an end.
    void reset_on_close();

   private:
    int fd_;
    int stop_fd_;
    std::string request_;
  };
  using Handler = std::function<void(Connection&)>;

  explicit TestServer(std::string_view address = "127.0.0.1", uint16_t port = 0);
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  // The path is what stands before a "?".
  void on(const std::string& path, Handler handler);
  // 200 with this body.
  void page(const std::string& path, const std::string& type, const std::string& body);
  void redirect(const std::string& path, const std::string& location, const std::string& status = "302 Found");

  uint16_t port() const { return port_; }
  std::string url(std::string_view path) const { return "http://" + place() + std::string(path); }
  // "127.0.0.1:4711".
  std::string place() const { return address_ + ":" + std::to_string(port_); }
  std::vector<std::string> requests() const;
  // For the event that a request has come in; false after ten seconds without.
  bool wait_for_requests(size_t count) const;

 private:
  void accept_all();
  void serve(int fd);

  std::string address_;
  UniqueFd listener_;
  UniqueFd stop_read_;
  UniqueFd stop_write_;
  uint16_t port_ = 0;
  std::map<std::string, Handler> handlers_;
  mutable std::mutex mutex_;
  mutable std::condition_variable requests_changed_;
  std::vector<std::string> requests_;
  std::list<std::thread> connections_;
  std::thread accepting_;
};

// What tests fetch with: everything allowed on this machine, and little patience.
FetchOptions local_options();
WebGate open_gate();
WebGate gate_with(RuleList rules);

// fetch() with an open gate.
Result<WebPage> fetch_locally(const std::string& url, const FetchOptions& options = local_options());
// The error's message; "no error" without one.
std::string error_of(const Result<WebPage>& page);

// `text` as gzip (stored, not compressed).
std::string gzip_stored(std::string_view text);
// About `size` NUL bytes in a thousandth of that.
std::string gzip_bomb(size_t size);

}  // namespace talaria
