#include "web/transfer.h"

#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "base/text.h"
#include "web/curl_library.h"
#include "web/transfer_error.h"

namespace talaria {
namespace {

constexpr int look_at_cancelled_every_ms = 50;

enum class Stop { none, body_full, body_unwanted, headers_full };

// One easy handle in a multi handle of its own: unlike curl_easy_perform, that lets us look at `cancelled` often.
class Transfer {
 public:
  Transfer(const CurlLibrary& curl, const Request& request, const TransferReach& reach)
      : curl_(curl), request_(request), reach_(reach), easy_(curl.easy_init()), multi_(curl.multi_init()) {}
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() {
    if (added_) curl_.multi_remove_handle(multi_, easy_);
    if (easy_ != nullptr) curl_.easy_cleanup(easy_);
    if (multi_ != nullptr) curl_.multi_cleanup(multi_);
    curl_.slist_free_all(headers_);
    curl_.slist_free_all(pinned_);
  }

  Result<Response> run(const std::vector<IpAddress>& addresses) {
    if (easy_ == nullptr || multi_ == nullptr) return Error(ErrorCode::system, "libcurl has no memory for a request");
    set_request();
    set_limits();
    set_callbacks();
    pin(addresses);
    if (curl_.multi_add_handle(multi_, easy_) != CURLM_OK) {
      return Error(ErrorCode::system, "libcurl does not take the request to " + place_of(request_.url));
    }
    added_ = true;
    return wait();
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    // What an older libcurl does not know is refused by it and not needed: each is a second line of defence.
    static_cast<void>(curl_.easy_setopt(easy_, option, value));
  }

  void set_request();
  void set_limits();
  void set_callbacks();
  void pin(const std::vector<IpAddress>& addresses);
  Result<Response> wait();
  Result<Response> finish(CURLcode code);
  TransferFailure describe(CURLcode code);

  static size_t on_header(char* data, size_t size, size_t count, void* self);
  static size_t on_body(char* data, size_t size, size_t count, void* self);
  static curl_socket_t on_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  bool take_header(std::string_view line);
  bool take_body(std::string_view bytes);

  const CurlLibrary& curl_;
  const Request& request_;
  const TransferReach& reach_;
  CURL* easy_;
  CURLM* multi_;
  curl_slist* headers_ = nullptr;
  curl_slist* pinned_ = nullptr;
  bool added_ = false;
  char detail_[CURL_ERROR_SIZE] = "";
  std::string url_;

  Response response_;
  size_t header_bytes_ = 0;
  bool headers_whole_ = false;  // the empty line behind them has come
  Stop stop_ = Stop::none;
  std::optional<IpAddress> blocked_;
};

void Transfer::set_request() {
  url_ = request_.url.text();
  set(CURLOPT_URL, url_.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_USERAGENT, "talaria/" TALARIA_VERSION);
  set(CURLOPT_ACCEPT_ENCODING, "");  // all this libcurl can
  // Both are set, also where they are empty: else libcurl reads them from the environment, and what it would connect to
  // without the proxy nobody has judged.
  set(CURLOPT_PROXY, reach_.limits.proxy.c_str());
  set(CURLOPT_NOPROXY, "");
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  if (!reach_.limits.ca_file.empty()) set(CURLOPT_CAINFO, reach_.limits.ca_file.c_str());
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  for (const std::string& header : request_.headers) headers_ = curl_.slist_append(headers_, header.c_str());
  if (request_.method == Request::Method::post) {
    // No "Expect: 100-continue": it costs a round trip.
    headers_ = curl_.slist_append(headers_, "Expect:");
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(CURLOPT_POSTFIELDS, request_.body.c_str());
  }
  set(CURLOPT_HTTPHEADER, headers_);
}

void Transfer::set_limits() {
  using std::chrono::milliseconds;
  const auto left = std::chrono::duration_cast<milliseconds>(reach_.deadline - Clock::now()).count();
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<int64_t>(left, 1)));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(reach_.limits.connect.count()));
  set(CURLOPT_LOW_SPEED_LIMIT, reach_.limits.stall_bytes);
  set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(reach_.limits.stall.count()));
}

void Transfer::set_callbacks() {
  set(CURLOPT_ERRORBUFFER, detail_);
  set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_socket);
  set(CURLOPT_OPENSOCKETDATA, this);
}

// From here on the name means these addresses, whatever DNS says next.
void Transfer::pin(const std::vector<IpAddress>& addresses) {
  if (addresses.empty()) return;
  std::string entry = request_.url.host + ":" + std::to_string(request_.url.port) + ":";
  for (const IpAddress& address : addresses) {
    if (&address != &addresses.front()) entry += ",";
    entry += address.family == IpAddress::Family::v4 ? to_text(address) : "[" + to_text(address) + "]";
  }
  pinned_ = curl_.slist_append(nullptr, entry.c_str());
  set(CURLOPT_RESOLVE, pinned_);
}

Result<Response> Transfer::wait() {
  for (;;) {
    int running = 0;
    if (curl_.multi_perform(multi_, &running) != CURLM_OK) {
      return Error(ErrorCode::system, "libcurl gave up the request to " + place_of(request_.url));
    }
    int queued = 0;
    if (const CURLMsg* message = curl_.multi_info_read(multi_, &queued)) return finish(message->data.result);
    if (reach_.cancelled)
      return Error(ErrorCode::cancelled, "the request to " + place_of(request_.url) + " was cancelled");
    if (Clock::now() >= reach_.deadline) return finish(CURLE_OPERATION_TIMEDOUT);
    curl_.multi_poll(multi_, nullptr, 0, look_at_cancelled_every_ms, nullptr);
  }
}

TransferFailure Transfer::describe(CURLcode code) {
  TransferFailure failure;
  failure.code = code;
  failure.detail = detail_[0] != '\0' ? detail_ : curl_.easy_strerror(code);
  long number = 0;
  curl_.easy_getinfo(easy_, CURLINFO_OS_ERRNO, &number);
  failure.system_error = static_cast<int>(number);
  curl_off_t ready = 0;
  curl_.easy_getinfo(easy_, CURLINFO_PRETRANSFER_TIME_T, &ready);
  failure.ready = ready > 0;
  curl_off_t connected = 0;
  curl_.easy_getinfo(easy_, CURLINFO_CONNECT_TIME_T, &connected);
  failure.connected = connected > 0;
  failure.received = response_.body.size();
  failure.headers_seen = headers_whole_;
  return failure;
}

Result<Response> Transfer::finish(CURLcode code) {
  if (blocked_ && code == CURLE_COULDNT_CONNECT) return blocked_address(*blocked_);
  if (stop_ == Stop::headers_full) {
    return Error(ErrorCode::unavailable,
                 place_of(request_.url) + " sent more than " + human_bytes(reach_.limits.headers) + " of headers");
  }
  response_.truncated = stop_ == Stop::body_full;
  const bool enough = stop_ == Stop::body_full || stop_ == Stop::body_unwanted;
  // libcurl takes headers that break off for an empty page.
  if (code == CURLE_OK && !headers_whole_) code = CURLE_RECV_ERROR;
  if (code != CURLE_OK && !enough) return explain(describe(code), request_.url, reach_.limits);
  return std::move(response_);
}

size_t Transfer::on_header(char* data, size_t size, size_t count, void* self) {
  return static_cast<Transfer*>(self)->take_header({data, size * count}) ? size * count : 0;
}

bool Transfer::take_header(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > reach_.limits.headers) {
    stop_ = Stop::headers_full;
    return false;
  }
  if (line.starts_with("HTTP/")) {  // Interim answers (100, 103) come first; the last one counts.
    long status = 0;
    curl_.easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    response_.status = static_cast<int>(status);
    response_.headers.clear();
    headers_whole_ = false;
    return true;
  }
  if (trim(line).empty()) headers_whole_ = true;
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  response_.headers.emplace_back(lower(trim(line.substr(0, colon))), trim(line.substr(colon + 1)));
  return true;
}

size_t Transfer::on_body(char* data, size_t size, size_t count, void* self) {
  return static_cast<Transfer*>(self)->take_body({data, size * count}) ? size * count : 0;
}

bool Transfer::take_body(std::string_view bytes) {
  if (is_redirect(response_)) {
    stop_ = Stop::body_unwanted;
    return false;
  }
  const size_t room = reach_.limits.body - response_.body.size();
  response_.body.append(bytes.substr(0, room));
  if (bytes.size() <= room) return true;
  stop_ = Stop::body_full;
  return false;
}

curl_socket_t Transfer::on_socket(void* self, curlsocktype, curl_sockaddr* wanted) {
  auto& transfer = *static_cast<Transfer*>(self);
  const auto address = address_of(wanted->addr);
  // A proxy is the owner's choice, and it is what is connected to.
  const bool free_choice = !transfer.reach_.limits.proxy.empty();
  if (!address || (!free_choice && !transfer.reach_.may_connect(*address))) {
    transfer.blocked_ = address;
    return CURL_SOCKET_BAD;
  }
  return ::socket(wanted->family, wanted->socktype | SOCK_CLOEXEC, wanted->protocol);
}

// The addresses to pin: none for an address, or where a proxy looks the name up.
Result<std::vector<IpAddress>> checked_addresses(const Url& url, const TransferReach& reach) {
  if (const auto address = parse_address(url.host)) {
    if (!reach.may_connect(*address)) return blocked_address(*address);
    return std::vector<IpAddress>{};
  }
  if (!reach.limits.proxy.empty()) {
    const IpAddress own = IpAddress::v4(0x7f000001);
    const bool local = url.host == "localhost" || url.host.ends_with(".localhost");
    if (local && !reach.may_connect(own)) return blocked_address(own);
    return std::vector<IpAddress>{};
  }
  const auto deadline = std::min(reach.deadline, Clock::now() + reach.limits.connect);
  std::vector<IpAddress> addresses = TRY(reach.resolve(url.host, deadline, reach.cancelled));
  for (const IpAddress& address : addresses) {
    if (!reach.may_connect(address)) return blocked_address(address);
  }
  return addresses;
}

}  // namespace

std::string Response::header(std::string_view name) const {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [&](const auto& entry) { return entry.first == name; });
  return found == headers.end() ? std::string() : found->second;
}

bool is_redirect(const Response& response) {
  const int status = response.status;
  const bool moved = status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
  return moved && !response.header("location").empty();
}

Result<Response> transfer(const Request& request, const TransferReach& reach) {
  const CurlLibrary* curl = TRY(curl_library());
  const std::vector<IpAddress> addresses = TRY(checked_addresses(request.url, reach));
  return Transfer(*curl, request, reach).run(addresses);
}

}  // namespace talaria
