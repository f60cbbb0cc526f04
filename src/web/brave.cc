#include <algorithm>

#include "web/search_service.h"

namespace talaria {
namespace {

constexpr int most_brave_hits = 20;
constexpr int last_offset = 9;  // counted in pages

Result<std::vector<SearchHit>> ask_brave(const Url& base, const std::string& key, const std::string& query, int limit,
                                         const AskService& ask) {
  std::vector<SearchHit> hits;
  const int count = std::min(limit, most_brave_hits);
  for (int offset = 0; offset <= last_offset && hits.size() < static_cast<size_t>(limit); ++offset) {
    Request request;
    std::string tail = "/res/v1/web/search?q=" + percent_encode(query) + "&count=" + std::to_string(count);
    if (offset > 0) tail += "&offset=" + std::to_string(offset);
    request.url = extended(base, tail);
    request.headers = {"Accept: application/json", "X-Subscription-Token: " + key};
    const JsonObject answer = TRY(ask(std::move(request)));
    const size_t before = hits.size();
    if (const JsonObject* web = object_or_null(answer, "web")) {
      add_hits(hits, *web, "results", "description", static_cast<size_t>(limit));
    }
    const JsonObject* asked = object_or_null(answer, "query");
    const bool more = asked == nullptr || boolean_or(*asked, "more_results_available", true);
    if (hits.size() == before || !more) break;
  }
  return hits;
}

}  // namespace

const SearchService brave_service{"brave", "https://api.search.brave.com", true, "BRAVE_API_KEY", ask_brave, ""};

}  // namespace talaria
