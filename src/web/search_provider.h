#pragma once
#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "web/resolver.h"
#include "web/transfer.h"

namespace talaria {

// The search service the owner chose (web.search).
struct SearchProvider {
  std::string name;  // searxng, brave or tavily
  std::string url;   // where it is; the service's own when empty
  std::string key;
};

struct SearchHit {
  std::string title;
  std::string url;
  std::string description;
  bool operator==(const SearchHit&) const = default;
};

inline constexpr int most_search_results = 100;

std::vector<std::string> search_provider_names();
// Whether it has all it needs; the error says what to set.
Result<> check_search_provider(const SearchProvider& provider);

// One question to the provider, on this thread. Its address may be private: the owner wrote it down. The key is in no
// error.
Result<std::vector<SearchHit>> search_hits(const SearchProvider& provider, const std::string& query, int limit,
                                           const FetchLimits& limits, const std::atomic<bool>& cancelled,
                                           const Resolver& resolve = resolve_by_system);

// {"success": false, "data": {"web": []}, "error"}: the keys of every result, so that a program that loops over the
// hits goes on.
JsonObject failed_search(const Error& error);
// The same as a tool's result: {"success": true, "data": {"web": [{title, url, description, position}]}}, or
// failed_search(). `limit` outside 1 to 100 is brought inside.
JsonObject search(const SearchProvider& provider, const std::string& query, int limit, const FetchLimits& limits,
                  const std::atomic<bool>& cancelled, const Resolver& resolve = resolve_by_system);

}  // namespace talaria
