#include "web/transfer_error.h"

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace talaria {
namespace {

Error timed_out(const TransferFailure& failure, const std::string& place, const FetchLimits& limits) {
  std::string message;
  if (failure.detail.find("too slow") != std::string::npos) {
    message = place + " sent less than " + std::to_string(limits.stall_bytes) + " bytes a second for " +
              std::to_string(limits.stall.count()) + "s and was given up";
  } else if (!failure.connected) {
    message = "cannot connect to " + place + " in time: nothing answers there, or a firewall drops the packets";
  } else if (!failure.ready) {
    message = place + " took the connection but did not finish the TLS handshake in time";
  } else if (!failure.headers_seen) {
    message = place + " took the request and did not answer it within " + human_duration(limits.total.count());
  } else {
    message = place + " did not finish its answer within " + human_duration(limits.total.count()) + " (" +
              human_bytes(failure.received) + " had come)";
  }
  return {ErrorCode::timed_out, message};
}

Error not_connected(const TransferFailure& failure, const std::string& place) {
  switch (failure.system_error) {
    case ECONNREFUSED: return {ErrorCode::unavailable, place + " refused the connection: no server listens there"};
    case ENETUNREACH:
    case EHOSTUNREACH:
    case EADDRNOTAVAIL:
      return {ErrorCode::unavailable, "there is no way to " + place + ": no network, or none that leads there"};
    default: break;
  }
  std::string why = failure.system_error == 0 ? "" : std::string(": ") + std::strerror(failure.system_error);
  return {ErrorCode::unavailable, "cannot connect to " + place + why};
}

Error tls_failed(const TransferFailure& failure, const std::string& place) {
  return {ErrorCode::unavailable, "no secure connection to " + place + ": " + failure.detail +
                                      ". If the host only speaks http, say http://; if no certificate is ever trusted, "
                                      "the package ca-certificates is missing"};
}

}  // namespace

std::string place_of(const Url& url) {
  const bool usual = url.port == (url.scheme == Url::Scheme::http ? 80 : 443);
  const std::string host = url.host.find(':') == std::string::npos ? url.host : "[" + url.host + "]";
  return usual ? host : host + ":" + std::to_string(url.port);
}

Error blocked_address(const IpAddress& address) {
  return {ErrorCode::denied, "Blocked: URL targets a private or internal network address (" + to_text(address) +
                                 "); the owner can allow it with web.allow_private_hosts"};
}

Error explain(const TransferFailure& failure, const Url& url, const FetchLimits& limits) {
  const std::string place = place_of(url);
  switch (failure.code) {
    case CURLE_OPERATION_TIMEDOUT: return timed_out(failure, place, limits);
    case CURLE_COULDNT_CONNECT: return not_connected(failure, place);
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_PROXY: return {ErrorCode::unavailable, "the configured proxy does not work: " + failure.detail};
    case CURLE_GOT_NOTHING: return {ErrorCode::unavailable, place + " closed the connection without an answer"};
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      if (!failure.headers_seen) {
        return {ErrorCode::unavailable, place + " broke off the connection before its answer"};
      }
      return {ErrorCode::unavailable,
              place + " broke off its answer before the end (" + human_bytes(failure.received) + " had come)"};
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return {ErrorCode::unavailable, place + " answers, but not in HTTP (" + failure.detail + ")"};
    case CURLE_BAD_CONTENT_ENCODING:
      return {ErrorCode::unavailable, place + " sent a compressed answer that cannot be decompressed"};
    case CURLE_OUT_OF_MEMORY: return {ErrorCode::unavailable, place + " sent headers that are too large"};
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS: return tls_failed(failure, place);
    default: return {ErrorCode::unavailable, "the request to " + place + " failed: " + failure.detail};
  }
}

}  // namespace talaria
