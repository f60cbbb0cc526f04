#include "web/search_provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "web/test_server.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Connection = TestServer::Connection;

constexpr const char* key = "very-secret-key-123";

FetchLimits short_limits() {
  FetchLimits limits;
  limits.total = 10s;
  return limits;
}

JsonObject ask(const SearchProvider& provider, int limit = 5, const std::string& query = "what is c++ & co",
               const FetchLimits& limits = short_limits()) {
  const std::atomic<bool> cancelled = false;
  return search(provider, query, limit, limits, cancelled);
}

std::string error_for(const SearchProvider& provider, const FetchLimits& limits = short_limits()) {
  const JsonObject result = ask(provider, 5, "words", limits);
  EXPECT_FALSE(boolean_or(result, "success", true));
  EXPECT_EQ(result.at("data"), Json(JsonObject{{"web", JsonArray()}}));  // a program that loops over it goes on
  EXPECT_THAT(write_json(result), Not(HasSubstr(key)));
  return text_or(result, "error");
}

std::string hit(const std::string& number, const char* field) {
  return R"({"title":"T<b>)" + number + R"(</b> &amp; co","url":"https://example.org/)" + number + R"(",")" + field +
         R"(":"About <strong>)" + number + R"(</strong>"})";
}

JsonObject found(std::vector<std::string> numbers) {
  JsonArray web;
  for (const std::string& number : numbers) {
    web.push_back(JsonObject{{"title", "T" + number + " & co"},
                             {"url", "https://example.org/" + number},
                             {"description", "About " + number},
                             {"position", web.size() + 1}});
  }
  return {{"success", true}, {"data", JsonObject{{"web", web}}}};
}

TEST(SearchProviderTest, AsksSearxng) {
  TestServer server;
  server.on("/search", [](Connection& connection) {
    const bool first = connection.request().find("pageno=1") != std::string::npos;
    const std::string hits =
        first ? hit("1", "content") + "," + hit("2", "content") : hit("2", "content") + "," + hit("3", "content");
    connection.reply("200 OK", "", "{\"results\":[" + hits + ",{\"title\":\"no url\"},7]}");
  });
  const SearchProvider provider{"searxng", server.url(""), ""};
  EXPECT_EQ(write_json(ask(provider, 2)), write_json(found({"1", "2"})));
  EXPECT_THAT(server.requests().at(0),
              StartsWith("GET /search?q=what%20is%20c%2B%2B%20%26%20co&format=json&pageno=1 "));
  EXPECT_EQ(write_json(ask(provider, 3)), write_json(found({"1", "2", "3"})));
  EXPECT_EQ(write_json(ask({"searxng", server.url("/search/"), ""}, 1)), write_json(found({"1"})));
  EXPECT_EQ(write_json(ask(provider, -7)), write_json(found({"1"})));
}

TEST(SearchProviderTest, ExplainsThatSearxngMustSpeakJson) {
  TestServer server;
  server.on("/search", [](Connection& connection) { connection.reply("403 Forbidden", "", "no"); });
  EXPECT_EQ(error_for({"searxng", server.url("/"), ""}),
            server.place() +
                ": SearXNG refuses to answer in JSON: add `json` to `search.formats` in its settings.yml and "
                "restart it");
}

TEST(SearchProviderTest, AsksBraveAndPagesOn) {
  TestServer server;
  server.on("/res/v1/web/search", [](Connection& connection) {
    const bool first = connection.request().find("offset=") == std::string::npos;
    std::string hits;
    for (int i = first ? 1 : 21; i <= (first ? 20 : 25); ++i)
      hits += (hits.empty() ? "" : ",") + hit(std::to_string(i), "description");
    connection.reply("200 OK", "",
                     "{\"query\":{\"more_results_available\":" + std::string(first ? "true" : "false") +
                         "},\"web\":{\"results\":[" + hits + "]}}");
  });
  const SearchProvider provider{"brave", server.url(""), key};
  std::vector<std::string> numbers;
  for (int i = 1; i <= 25; ++i) numbers.push_back(std::to_string(i));
  EXPECT_EQ(write_json(ask(provider, 30)), write_json(found(numbers)));
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_THAT(server.requests()[0], StartsWith("GET /res/v1/web/search?q=what%20is%20c%2B%2B%20%26%20co&count=20 "));
  EXPECT_THAT(server.requests()[0], HasSubstr("X-Subscription-Token: very-secret-key-123\r\n"));
  EXPECT_THAT(server.requests()[1], HasSubstr("&offset=1 "));
  EXPECT_EQ(write_json(ask(provider, 2)), write_json(found({"1", "2"})));
}

TEST(SearchProviderTest, AsksTavily) {
  TestServer server;
  server.on("/search", [](Connection& connection) {
    connection.reply("200 OK", "", "{\"results\":[" + hit("1", "content") + "]}");
  });
  EXPECT_EQ(write_json(ask({"tavily", server.url(""), key}, 100)), write_json(found({"1"})));
  const std::string request = server.requests().at(0);
  EXPECT_THAT(request, StartsWith("POST /search HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("Authorization: Bearer very-secret-key-123\r\n"));
  EXPECT_THAT(request, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\n\r\n{\"query\":\"what is c++ & co\",\"max_results\":20}"));
}

TEST(SearchProviderTest, SaysWhatIsNotConfigured) {
  EXPECT_EQ(error_for({"", "", ""}),
            "there is no search provider \"\": set web.search.provider to one of searxng, brave, tavily");
  EXPECT_EQ(error_for({"searxng", "", ""}), "the search provider searxng needs web.search.url: where the server is");
  EXPECT_EQ(error_for({"brave", "", ""}),
            "the search provider brave needs a key: put BRAVE_API_KEY into the file .env");
  EXPECT_EQ(error_for({"tavily", "", ""}),
            "the search provider tavily needs a key: put TAVILY_API_KEY into the file .env");
  EXPECT_EQ(error_for({"tavily", "http://127.0.0.1:1", "a\r\nX: y"}),
            "the key of the search provider tavily has a space or an odd character in it");
  EXPECT_EQ(error_for({"searxng", "ftp://x", ""}),
            "web.search.url: the URL ftp://x is neither http:// nor https://, and nothing else is fetched");
}

TEST(SearchProviderTest, RefusesQueriesThatMakeNoSense) {
  const SearchProvider provider{"searxng", "http://127.0.0.1:1", ""};
  EXPECT_EQ(text_or(ask(provider, 5, " \n"), "error"), "the query is empty");
  EXPECT_EQ(text_or(ask(provider, 5, std::string(2001, 'x')), "error"), "the query is longer than 2,000 bytes");
  EXPECT_EQ(text_or(ask(provider, 5, "\xff"), "error"), "the query is not valid UTF-8");
}

TEST(SearchProviderTest, ExplainsWhatTheServiceAnswersAndNeverShowsTheKey) {
  struct Case {
    const char* status;
    const char* body;
    const char* error;
  };
  const Case cases[] = {
      {"401 Unauthorized", "bad very-secret-key-123", "SERVER does not accept the key (HTTP 401): check BRAVE_API_KEY"},
      {"403 Forbidden", "very-secret-key-123", "SERVER does not accept the key (HTTP 403): check BRAVE_API_KEY"},
      {"429 Too Many Requests", "",
       "SERVER wants fewer requests (HTTP 429): try again later, or raise the plan's limit"},
      {"500 Internal Server Error", "", "SERVER failed (HTTP 500): try again later"},
      {"503 Service Unavailable", "", "SERVER failed (HTTP 503): try again later"},
      {"422 Unprocessable", "very-secret-key-123", "SERVER refused the search (HTTP 422)"},
      {"200 OK", "<html>very-secret-key-123",
       "SERVER did not answer in JSON: is web.search.url that of a brave server?"},
      {"200 OK", "[]", "SERVER did not answer in JSON: is web.search.url that of a brave server?"},
  };
  for (const Case& entry : cases) {
    TestServer server;
    server.on("/res/v1/web/search", [&](Connection& connection) { connection.reply(entry.status, "", entry.body); });
    std::string error = error_for({"brave", server.url(""), key});
    if (error.starts_with(server.place())) error.replace(0, server.place().size(), "SERVER");
    EXPECT_EQ(error, entry.error);
  }
}

TEST(SearchProviderTest, DoesNotCarryTheKeyElsewhere) {
  TestServer other("127.0.0.3");
  TestServer server;
  server.redirect("/res/v1/web/search", other.url("/"));
  EXPECT_EQ(error_for({"brave", server.url(""), key}),
            server.place() + " redirects elsewhere, which is not followed: correct web.search.url");
  EXPECT_TRUE(other.requests().empty());
}

TEST(SearchProviderTest, ASlowOrAbsentServiceIsGivenUp) {
  TestServer server;
  server.on("/search", [](Connection& connection) { connection.wait_until_closed(); });
  FetchLimits limits;
  limits.total = 300ms;
  EXPECT_EQ(error_for({"tavily", server.url(""), key}, limits),
            server.place() + " took the request and did not answer it within 300ms");
  EXPECT_EQ(error_for({"tavily", "http://127.0.0.1:1", key}),
            "127.0.0.1:1 refused the connection: no server listens there");
}

}  // namespace
}  // namespace talaria
