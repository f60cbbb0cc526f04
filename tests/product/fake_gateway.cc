#include "product/fake_gateway.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/file.h"
#include "os/socket.h"
#include "rpc/line_reader.h"

namespace talaria {
namespace {

constexpr int patience_ms = 30'000;

bool readable(int fd) {
  pollfd watched{fd, POLLIN, 0};
  return ::poll(&watched, 1, patience_ms) > 0;
}

}  // namespace

FakeGateway::FakeGateway(const Home& home, int connections, Take take)
    : path_(home.gateway_socket()), take_(std::move(take)) {
  EXPECT_TRUE(home.prepare());
  listener_ = *listen_unix(path_);
  thread_ = std::thread([this, connections] { serve(connections); });
}

FakeGateway::~FakeGateway() {
  if (thread_.joinable()) thread_.join();
}

std::vector<std::string> FakeGateway::finish() {
  thread_.join();
  return methods_;
}

void FakeGateway::serve(int connections) {
  // A client may leave before it reads our answer, which is not to end the test.
  sigset_t broken;
  ::sigemptyset(&broken);
  ::sigaddset(&broken, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken, nullptr);
  for (int number = 0; number < connections; ++number) {
    EXPECT_TRUE(readable(listener_.get())) << "nobody came for connection " << number;
    Result<UniqueFd> connection = accept_unix(listener_.get());
    if (!connection || !*connection) break;
    const bool last = number + 1 == connections;
    if (last) {
      ::unlink(path_.c_str());
      listener_.reset();
    }
    serve_one(number, *connection);
  }
  if (listener_) ::unlink(path_.c_str());
  listener_.reset();
}

void FakeGateway::serve_one(int number, const UniqueFd& connection) {
  LineReader lines;
  char buffer[64 << 10];
  while (readable(connection.get())) {
    const ssize_t count = ::read(connection.get(), buffer, sizeof buffer);
    if (count <= 0) return;
    lines.append({buffer, static_cast<size_t>(count)});
    while (const auto line = lines.next()) {
      Result<JsonObject> request = parse_json_object(line->text);
      if (!request) continue;
      methods_.push_back(text_or(*request, "method"));
      const FakeAnswer answer = take_(number, *request);
      (void)write_all(connection.get(), answer.bytes);
      if (answer.closes) return;
    }
  }
}

std::string answer_line(const JsonObject& request, JsonObject result) {
  return write_json(JsonObject{{"jsonrpc", "2.0"}, {"id", request.at("id")}, {"result", std::move(result)}}) + "\n";
}

std::string notice_line(const std::string& method, JsonObject params) {
  return write_json(JsonObject{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}) + "\n";
}

}  // namespace talaria
