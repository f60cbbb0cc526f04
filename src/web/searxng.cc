#include <algorithm>

#include "web/search_service.h"

namespace talaria {
namespace {

constexpr int most_pages = 5;

Result<std::vector<SearchHit>> ask_searxng(const Url& base, const std::string&, const std::string& query, int limit,
                                           const AskService& ask) {
  std::vector<SearchHit> hits;
  for (int page = 1; page <= most_pages && hits.size() < static_cast<size_t>(limit); ++page) {
    Request request;
    request.url = extended(base, "/search?q=" + percent_encode(query) + "&format=json&pageno=" + std::to_string(page));
    const JsonObject answer = TRY(ask(std::move(request)));
    const size_t before = hits.size();
    add_hits(hits, answer, "results", "content", static_cast<size_t>(limit));
    if (hits.size() == before) break;
  }
  return hits;
}

}  // namespace

const SearchService searxng_service{
    "searxng",
    "",
    false,
    "",
    ask_searxng,
    "SearXNG refuses to answer in JSON: add `json` to `search.formats` in its settings.yml and restart it"};

}  // namespace talaria
