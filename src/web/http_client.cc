#include "web/http_client.h"

#include "web/curl_library.h"
#include "web/url.h"

namespace talaria {
namespace {

// Parsed, and its host in ASCII.
Result<Url> parse_for_fetch(const std::string& text) {
  Url url = TRY(parse_url(text));
  const CurlLibrary* curl = TRY(curl_library());
  url.host = TRY(ascii_host(*curl, url.host));
  return url;
}

// Servers write spaces and backslashes into Location; browsers read them so.
std::string as_browsers_read(std::string_view location) {
  std::string text;
  for (const char c : location) {
    if (c == ' ') text += "%20";
    else if (c == '\\') text += "%5C";
    else text += c;
  }
  return text;
}

Result<Response> ask(const Url& url, const WebPermit& permit, const FetchOptions& options, Clock::time_point deadline,
                     const std::atomic<bool>& cancelled) {
  Request request;
  request.url = url;
  request.headers = {"Accept: text/html,application/xhtml+xml,text/plain;q=0.9,application/json;q=0.9,*/*;q=0.5",
                     "Accept-Language: en,*;q=0.5"};
  const auto may_connect = [&](const IpAddress& address) {
    return options.private_hosts.allow(permit.host(), url.port, address);
  };
  return transfer(request, {options.limits, deadline, options.resolve, may_connect, cancelled});
}

Error too_many(const Url& url, int most) {
  return {ErrorCode::unavailable, "gave up after " + std::to_string(most) + " redirects, the last one to " + url.host +
                                      ": the server sends in circles"};
}

}  // namespace

Result<WebPage> fetch(const std::string& url, SharedWebGate& gate, const FetchOptions& options,
                      const std::atomic<bool>& cancelled, std::string* refused_host) {
  const auto deadline = Clock::now() + options.limits.total;
  Url next = TRY(parse_for_fetch(url));
  WebPage page;
  for (;;) {
    const Result<WebPermit> permit = gate.permit(next.host);
    if (!permit) {
      if (refused_host != nullptr) *refused_host = next.host;
      return permit.error();
    }
    Response response = TRY(ask(next, *permit, options, deadline, cancelled));
    if (!is_redirect(response)) {
      page.final_url = next.text();
      page.status = response.status;
      page.content_type = response.header("content-type");
      page.body = std::move(response.body);
      page.truncated = response.truncated;
      return page;
    }
    const std::string location = resolve_reference(next.text(), as_browsers_read(response.header("location")));
    Result<Url> target = parse_for_fetch(location);
    if (!target) return std::move(target).error().within("redirect from " + next.host);
    if (++page.redirects > options.limits.redirects) return too_many(*target, options.limits.redirects);
    if (next.scheme == Url::Scheme::https && target->scheme == Url::Scheme::http) {
      page.notes.push_back("a redirect led from https://" + next.host + " to http://" + target->host +
                           ", which is not encrypted");
    }
    next = *std::move(target);
  }
}

}  // namespace talaria
