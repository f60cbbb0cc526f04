#include <algorithm>

#include "web/search_service.h"

namespace talaria {
namespace {

constexpr int most_tavily_hits = 20;

Result<std::vector<SearchHit>> ask_tavily(const Url& base, const std::string& key, const std::string& query, int limit,
                                          const AskService& ask) {
  Request request;
  request.url = extended(base, "/search");
  request.method = Request::Method::post;
  request.headers = {"Content-Type: application/json", "Accept: application/json", "Authorization: Bearer " + key};
  request.body = write_json(JsonObject{{"query", query}, {"max_results", std::min(limit, most_tavily_hits)}});
  const JsonObject answer = TRY(ask(std::move(request)));
  std::vector<SearchHit> hits;
  add_hits(hits, answer, "results", "content", static_cast<size_t>(limit));
  return hits;
}

}  // namespace

const SearchService tavily_service{"tavily", "https://api.tavily.com", true, "TAVILY_API_KEY", ask_tavily, ""};

}  // namespace talaria
