#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "web/search_provider.h"

namespace talaria {

// Sends a request to the provider and gives the JSON of its answer; errors are for the person already.
using AskService = std::function<Result<JsonObject>(Request request)>;

// What is special about one provider.
struct SearchService {
  std::string_view name;
  std::string_view usual_url;  // empty: the owner must give one
  bool needs_key;
  std::string_view key_name;  // the setting, for messages
  // Asks as often as it needs to for `limit` results. `base` has no slash at its end.
  Result<std::vector<SearchHit>> (*search)(const Url& base, const std::string& key, const std::string& query, int limit,
                                           const AskService& ask);
  // What a refusal (401, 403) means there; empty for the usual words.
  std::string_view refusal;
};

extern const SearchService searxng_service;
extern const SearchService brave_service;
extern const SearchService tavily_service;

// `base` with `tail` ("/search?q=x") behind its path.
Url extended(const Url& base, std::string_view tail);

// Reads results from an array of objects, as far as they have a URL; tags and entities are taken out of the texts.
void add_hits(std::vector<SearchHit>& hits, const JsonObject& object, std::string_view array,
              std::string_view description_field, size_t limit);

}  // namespace talaria
