#include "web/search_provider.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "process/clean_text.h"
#include "web/curl_library.h"
#include "web/search_service.h"
#include "web/strip_tags.h"
#include "web/transfer_error.h"

namespace talaria {
namespace {

constexpr size_t longest_query = 2000;
constexpr size_t longest_description = 2000;
constexpr size_t longest_hit_title = 300;

const SearchService* const services[] = {&searxng_service, &brave_service, &tavily_service};

Result<const SearchService*> find_service(const std::string& name) {
  for (const SearchService* service : services) {
    if (service->name == name) return service;
  }
  return invalid("there is no search provider \"" + name + "\": set web.search.provider to one of " +
                 join(search_provider_names(), ", "));
}

std::string shown_text(const JsonObject& object, std::string_view field, size_t most) {
  const std::string text = strip_tags(text_or(object, field));
  return clean(first_characters(text, most));
}

Error refused(const SearchService& service, const std::string& place, int status) {
  if (!service.refusal.empty()) return {ErrorCode::denied, place + ": " + std::string(service.refusal)};
  return {ErrorCode::denied, place + " does not accept the key (HTTP " + std::to_string(status) + "): check " +
                                 std::string(service.key_name)};
}

Result<JsonObject> read_answer(const SearchService& service, const Url& url, const Response& response) {
  const std::string place = place_of(url);
  const int status = response.status;
  if (status == 401 || status == 403) return refused(service, place, status);
  if (status == 429) {
    return Error(ErrorCode::conflict,
                 place + " wants fewer requests (HTTP 429): try again later, or raise the plan's limit");
  }
  if (status >= 500) {
    return Error(ErrorCode::unavailable, place + " failed (HTTP " + std::to_string(status) + "): try again later");
  }
  if (status >= 300 && status < 400) {
    return Error(ErrorCode::unavailable, place + " redirects elsewhere, which is not followed: correct web.search.url");
  }
  if (status != 200)
    return Error(ErrorCode::unavailable, place + " refused the search (HTTP " + std::to_string(status) + ")");
  if (response.truncated) return Error(ErrorCode::unavailable, place + " sent an answer that is too large");
  Result<JsonObject> answer = parse_json_object(response.body);
  if (!answer) {
    return Error(ErrorCode::unavailable, place + " did not answer in JSON: is web.search.url that of a " +
                                             std::string(service.name) + " server?");
  }
  return answer;
}

// A key with a line end in it would be two headers.
bool is_header_value(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

Result<Url> service_url(const SearchService& service, const SearchProvider& provider) {
  Result<Url> url = parse_url(provider.url.empty() ? std::string(service.usual_url) : provider.url);
  if (!url) return std::move(url).error().within("web.search.url");
  const CurlLibrary* curl = TRY(curl_library());
  url->host = TRY(ascii_host(*curl, url->host));
  return url;
}

}  // namespace

std::vector<std::string> search_provider_names() {
  std::vector<std::string> names;
  for (const SearchService* service : services) names.emplace_back(service->name);
  return names;
}

Result<> check_search_provider(const SearchProvider& provider) {
  const SearchService* service = TRY(find_service(provider.name));
  if (provider.url.empty() && service->usual_url.empty()) {
    return invalid("the search provider " + provider.name + " needs web.search.url: where the server is");
  }
  if (service->needs_key && provider.key.empty()) {
    return invalid("the search provider " + provider.name + " needs a key: put " + std::string(service->key_name) +
                   " into the file .env");
  }
  if (!is_header_value(provider.key)) {
    return invalid("the key of the search provider " + provider.name + " has a space or an odd character in it");
  }
  return ok;
}

Url extended(const Url& base, std::string_view tail) {
  Url url = base;
  url.target.resize(std::min(url.target.find('?'), url.target.size()));
  while (url.target.ends_with('/')) url.target.pop_back();
  // "https://host/search" and "https://host" mean the same server.
  const std::string_view path = tail.substr(0, tail.find('?'));
  if (url.target.ends_with(path)) url.target.resize(url.target.size() - path.size());
  url.target += tail;
  return url;
}

void add_hits(std::vector<SearchHit>& hits, const JsonObject& object, std::string_view array,
              std::string_view description_field, size_t limit) {
  const Json* found = object.if_contains(array);
  if (found == nullptr || !found->is_array()) return;
  for (const Json& entry : found->get_array()) {
    if (hits.size() >= limit) return;
    if (!entry.is_object()) continue;
    const JsonObject& hit = entry.get_object();
    const std::string url = clean(text_or(hit, "url"));
    const bool known = std::any_of(hits.begin(), hits.end(), [&](const SearchHit& other) { return other.url == url; });
    if (url.empty() || url.size() > longest_url || known) continue;
    hits.push_back(
        {shown_text(hit, "title", longest_hit_title), url, shown_text(hit, description_field, longest_description)});
  }
}

Result<std::vector<SearchHit>> search_hits(const SearchProvider& provider, const std::string& query, int limit,
                                           const FetchLimits& limits, const std::atomic<bool>& cancelled,
                                           const Resolver& resolve) {
  TRY(check_search_provider(provider));
  const SearchService& service = *TRY(find_service(provider.name));
  const std::string_view words = trim(query);
  if (words.empty()) return invalid("the query is empty");
  if (words.size() > longest_query) return invalid("the query is longer than " + with_commas(longest_query) + " bytes");
  if (!is_utf8(words)) return invalid("the query is not valid UTF-8");
  const Url base = TRY(service_url(service, provider));
  const auto deadline = Clock::now() + limits.total;
  const AskService ask = [&](Request request) -> Result<JsonObject> {
    const TransferReach reach{limits, deadline, resolve, [](const IpAddress&) { return true; }, cancelled};
    const Response response = TRY(transfer(request, reach));
    return read_answer(service, request.url, response);
  };
  return service.search(base, provider.key, std::string(words), std::clamp(limit, 1, most_search_results), ask);
}

JsonObject failed_search(const Error& error) {
  return {{"success", false}, {"data", JsonObject{{"web", JsonArray()}}}, {"error", clean(error.message())}};
}

JsonObject search(const SearchProvider& provider, const std::string& query, int limit, const FetchLimits& limits,
                  const std::atomic<bool>& cancelled, const Resolver& resolve) {
  const Result<std::vector<SearchHit>> hits = search_hits(provider, query, limit, limits, cancelled, resolve);
  if (!hits) return failed_search(hits.error());
  JsonArray web;
  for (const SearchHit& hit : *hits) {
    web.push_back(JsonObject{
        {"title", hit.title}, {"url", hit.url}, {"description", hit.description}, {"position", web.size() + 1}});
  }
  return {{"success", true}, {"data", JsonObject{{"web", std::move(web)}}}};
}

}  // namespace talaria
