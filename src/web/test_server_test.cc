#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/check.h"
#include "base/text.h"
#include "web/test_server.h"

namespace talaria {
namespace {

constexpr int patience_ms = 20'000;

// Whether `fd` can be read before the test is over.
bool readable(int fd, int stop_fd) {
  pollfd waiting[] = {{fd, POLLIN, 0}, {stop_fd, POLLIN, 0}};
  return ::poll(waiting, 2, patience_ms) > 0 && (waiting[1].revents == 0);
}

std::string read_request(int fd, int stop_fd) {
  std::string request;
  char buffer[4096];
  size_t wanted = std::string::npos;
  while (request.size() < wanted && readable(fd, stop_fd)) {
    const ssize_t count = ::recv(fd, buffer, sizeof buffer, 0);
    if (count <= 0) break;
    request.append(buffer, static_cast<size_t>(count));
    if (request[0] == '\x16') break;  // TLS
    const size_t end = request.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    const size_t length = lower(request).find("content-length: ");
    wanted = end + 4 + (length == std::string::npos ? 0 : std::stoul(request.substr(length + 16)));
  }
  return request;
}

std::string path_of(const std::string& request) {
  const size_t start = request.find(' ');
  if (start == std::string::npos) return "";
  return request.substr(start + 1, request.find_first_of(" ?", start + 1) - start - 1);
}

}  // namespace

bool TestServer::Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    pollfd waiting[] = {{fd_, POLLOUT, 0}, {stop_fd_, POLLIN, 0}};
    if (::poll(waiting, 2, patience_ms) <= 0 || waiting[1].revents != 0) return false;
    const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

void TestServer::Connection::reply(std::string_view status, std::string_view headers, std::string_view body) {
  std::string text = "HTTP/1.1 ";
  text.append(status).append("\r\nContent-Length: ").append(std::to_string(body.size())).append("\r\n").append(headers);
  send(text.append("\r\n").append(body));
}

void TestServer::Connection::wait_until_closed() {
  char buffer[4096];
  while (readable(fd_, stop_fd_)) {
    if (::recv(fd_, buffer, sizeof buffer, 0) <= 0) return;
  }
}

void TestServer::Connection::reset_on_close() {
  const linger now{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

TestServer::TestServer(std::string_view address, uint16_t port) : address_(address) {
  listener_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  CHECK(::inet_pton(AF_INET, address_.c_str(), &place.sin_addr) == 1);
  CHECK(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&place), sizeof place) == 0);
  CHECK(::listen(listener_.get(), 64) == 0);
  socklen_t length = sizeof place;
  CHECK(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&place), &length) == 0);
  port_ = ntohs(place.sin_port);
  int ends[2];
  CHECK(::pipe2(ends, O_CLOEXEC) == 0);
  stop_read_ = UniqueFd(ends[0]);
  stop_write_ = UniqueFd(ends[1]);
  accepting_ = std::thread([this] { accept_all(); });
}

TestServer::~TestServer() {
  stop_write_.reset();
  accepting_.join();
  for (std::thread& connection : connections_) connection.join();
}

void TestServer::accept_all() {
  while (true) {
    pollfd waiting[] = {{listener_.get(), POLLIN, 0}, {stop_read_.get(), POLLIN, 0}};
    ::poll(waiting, 2, -1);
    if (waiting[1].revents != 0) return;
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) connections_.emplace_back([this, fd] { serve(fd); });
  }
}

void TestServer::serve(int fd) {
  const UniqueFd owned(fd);
  Connection connection(fd, stop_read_.get(), read_request(fd, stop_read_.get()));
  Handler handler = [](Connection& unknown) {
    unknown.reply("404 Not Found", "Content-Type: text/plain\r\n", "no such path here");
  };
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(connection.request());
    requests_changed_.notify_all();
    const auto found = handlers_.find(path_of(connection.request()));
    if (found != handlers_.end()) handler = found->second;
  }
  handler(connection);
}

void TestServer::on(const std::string& path, Handler handler) {
  const std::lock_guard lock(mutex_);
  handlers_[path] = std::move(handler);
}

void TestServer::page(const std::string& path, const std::string& type, const std::string& body) {
  on(path, [=](Connection& connection) { connection.reply("200 OK", "Content-Type: " + type + "\r\n", body); });
}

void TestServer::redirect(const std::string& path, const std::string& location, const std::string& status) {
  on(path, [=](Connection& connection) { connection.reply(status, "Location: " + location + "\r\n", "moved"); });
}

std::vector<std::string> TestServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

bool TestServer::wait_for_requests(size_t count) const {
  std::unique_lock lock(mutex_);
  return requests_changed_.wait_for(lock, 10s, [&] { return requests_.size() >= count; });
}

FetchOptions local_options() {
  FetchOptions options;
  options.private_hosts = PrivateHosts({"127.0.0.0/8"});
  options.limits.total = 15s;
  return options;
}

WebGate gate_with(RuleList rules) {
  return Gate([](const GateRequest&, const Verdict&) { return Result<>(ok); }).web(std::move(rules));
}

WebGate open_gate() { return gate_with({}); }

Result<WebPage> fetch_locally(const std::string& url, const FetchOptions& options) {
  WebGate gate = open_gate();
  SharedWebGate shared(gate);
  const std::atomic<bool> cancelled = false;
  return fetch(url, shared, options, cancelled);
}

std::string error_of(const Result<WebPage>& page) { return page ? "no error" : page.error().message(); }

namespace {

void append_number(std::string& out, uint32_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i));
}

uint32_t checksum(std::string_view text) {
  uint32_t sum = 0xffffffff;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~sum;
}

const std::string gzip_start("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);

}  // namespace

std::string gzip_stored(std::string_view text) {
  std::string out = gzip_start + '\x01';
  append_number(out, static_cast<uint32_t>(text.size()), 2);
  append_number(out, ~static_cast<uint32_t>(text.size()), 2);
  out += text;
  append_number(out, checksum(text), 4);
  append_number(out, static_cast<uint32_t>(text.size()), 4);
  return out;
}

std::string gzip_bomb(size_t size) {
  std::string out = gzip_start;
  unsigned held = 0;
  int bits = 0;
  const auto put = [&](unsigned value, int count) {  // the most significant bit first, as Huffman codes are
    for (int i = count - 1; i >= 0; --i) {
      held |= (value >> i & 1) << bits;
      if (++bits == 8) {
        out += static_cast<char>(held);
        held = 0;
        bits = 0;
      }
    }
  };
  put(0b1, 1);   // the last block
  put(0b10, 2);  // fixed codes
  put(0b00110000, 8);
  for (size_t made = 0; made < size; made += 258) put(0b1100010100000, 13);  // 258 times the byte before
  put(0, 7);
  put(0, 7);
  return out;
}

}  // namespace talaria
