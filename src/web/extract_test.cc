#include "web/extract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "web/test_server.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

ExtractOptions options_for_tests() {
  ExtractOptions options;
  options.fetch = local_options();
  return options;
}

std::vector<ExtractedPage> extract_all(const std::vector<std::string>& urls,
                                       const ExtractOptions& options = options_for_tests()) {
  WebGate gate = open_gate();
  const std::atomic<bool> cancelled = false;
  Result<std::vector<ExtractedPage>> pages = extract(urls, options, gate, cancelled);
  EXPECT_TRUE(pages);
  return pages ? *std::move(pages) : std::vector<ExtractedPage>();
}

ExtractedPage extract_one(const std::string& url, const ExtractOptions& options = options_for_tests()) {
  return extract_all({url}, options).at(0);
}

TEST(ExtractTest, GivesOneItemForEachUrlInOrder) {
  TestServer server;
  server.page("/a", "text/html; charset=utf-8", "<title>A</title><p>first <b>page</b></p>");
  server.page("/b", "text/plain", "second\r\npage");
  const auto pages = extract_all({server.url("/a"), "not a url", server.url("/b"), server.url("/none")});
  const JsonObject expected{
      {"results",
       JsonArray{
           JsonObject{{"url", server.url("/a")}, {"title", "A"}, {"content", "first **page**"}},
           JsonObject{{"url", "not a url"},
                      {"title", ""},
                      {"content", ""},
                      {"error", "the URL has a space or a control character in it: write it as %20 or such"}},
           JsonObject{{"url", server.url("/b")}, {"title", ""}, {"content", "second\npage"}},
           JsonObject{{"url", server.url("/none")},
                      {"title", ""},
                      {"content", "no such path here"},
                      {"error", "HTTP 404: there is no such page"},
                      {"status", 404}},
       }}};
  EXPECT_EQ(write_json_pretty(extract_result(pages)), write_json_pretty(expected));
}

TEST(ExtractTest, RefusesCallsThatMakeNoSense) {
  WebGate gate = open_gate();
  const std::atomic<bool> cancelled = false;
  const auto none = extract({}, options_for_tests(), gate, cancelled);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message(), "urls is empty: give one to five URLs");
  const auto many = extract(std::vector<std::string>(6, "http://127.0.0.1/"), options_for_tests(), gate, cancelled);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().message(), "urls has 6 entries; at most 5 are fetched in one call");
}

TEST(ExtractTest, FetchesAllAtTheSameTime) {
  TestServer server;
  // Each answers only when all five have come.
  for (int i = 0; i < 5; ++i) {
    server.on("/" + std::to_string(i), [&](TestServer::Connection& connection) {
      if (server.wait_for_requests(5)) connection.reply("200 OK", "Content-Type: text/plain\r\n", "together");
    });
  }
  std::vector<std::string> urls;
  for (int i = 0; i < 5; ++i) urls.push_back(server.url("/" + std::to_string(i)));
  for (const ExtractedPage& page : extract_all(urls)) EXPECT_EQ(page.content, "together") << page.error;
}

TEST(ExtractTest, CutsTheMiddleOutOfLongPages) {
  TestServer server;
  std::string body;
  for (int i = 0; i < 1000; ++i) body += "ä";
  server.page("/", "text/plain; charset=utf-8", body);
  ExtractOptions options = options_for_tests();
  options.characters = 100;
  const ExtractedPage page = extract_one(server.url("/"), options);
  EXPECT_TRUE(page.truncated);
  EXPECT_EQ(page.total_characters, 1000u);
  EXPECT_EQ(page.content, body.substr(0, 150) + "\n\n[… 900 characters left out …]\n\n" + body.substr(0, 50));
  const JsonObject item = page.to_json();
  EXPECT_EQ(item.at("truncated"), true);
  EXPECT_EQ(item.at("total_characters"), 1000);
  options.characters = 1000;
  EXPECT_FALSE(extract_one(server.url("/"), options).truncated);
}

TEST(ExtractTest, ReadsTextOfManyTypesAsItIs) {
  TestServer server;
  const std::string json = "{\"a\": [1, 2]}";
  for (const char* type : {"application/json", "application/rss+xml", "application/ld+json; charset=utf-8", "text/csv",
                           "application/xml", "text/markdown", "application/javascript", "image/svg+xml"}) {
    server.page("/" + std::string(type).substr(0, 16), type, json);
    EXPECT_EQ(extract_one(server.url("/" + std::string(type).substr(0, 16))).content, json) << type;
  }
}

TEST(ExtractTest, GuessesATypeThatIsMissingOrVague) {
  TestServer server;
  server.on("/html", [](TestServer::Connection& c) { c.reply("200 OK", "", "<!doctype html><p>x <i>y</i>"); });
  server.page("/text", "application/octet-stream", "just text");
  server.page("/binary", "application/octet-stream",
              std::string("\x7f"
                          "ELF\2\1\1\0",
                          8));
  server.page("/lying", "text/plain", std::string("GIF89a\0\1\2", 9));
  EXPECT_EQ(extract_one(server.url("/html")).content, "x *y*");
  EXPECT_EQ(extract_one(server.url("/text")).content, "just text");
  EXPECT_EQ(extract_one(server.url("/binary")).error,
            "the page is no text (application/octet-stream, 8 bytes): fetch it to a file with the terminal instead");
  EXPECT_THAT(extract_one(server.url("/lying")).error, StartsWith("the page is no text (text/plain, 9 bytes)"));
}

TEST(ExtractTest, HandsBackThePdf) {
  TestServer server;
  const std::string bytes("%PDF-1.7\n\0\xff", 11);
  server.page("/pdf", "application/pdf", bytes);
  ExtractedPage page = extract_one(server.url("/pdf"));
  EXPECT_EQ(page.pdf, bytes);
  EXPECT_EQ(page.error, "");
  set_text(page, "text of it", options_for_tests());
  EXPECT_EQ(write_json(page.to_json()),
            write_json(JsonObject{{"url", server.url("/pdf")}, {"title", ""}, {"content", "text of it"}}));
  ExtractOptions options = options_for_tests();
  options.fetch.limits.body = 4;
  EXPECT_EQ(extract_one(server.url("/pdf"), options).error, "the PDF is too large to be read");
}

TEST(ExtractTest, OtherTypesAreAnErrorThatNamesTheType) {
  TestServer server;
  server.page("/", "image/png", std::string("\x89PNG", 4));
  EXPECT_EQ(extract_one(server.url("/")).error,
            "the page is no text (image/png, 4 bytes): fetch it to a file with the terminal instead");
}

TEST(ExtractTest, AnErrorOfTheServerComesWithItsPage) {
  TestServer server;
  for (const char* status : {"401 Unauthorized", "500 Internal Server Error", "418 Teapot"}) {
    server.on("/" + std::string(status, 3), [=](TestServer::Connection& connection) {
      connection.reply(status, "Content-Type: text/html\r\n", "<title>Oh</title><h1>Sorry</h1>");
    });
  }
  const auto pages = extract_all({server.url("/401"), server.url("/500"), server.url("/418")});
  EXPECT_EQ(pages[0].error, "HTTP 401: the page needs a login");
  EXPECT_EQ(pages[1].error, "HTTP 500: the server failed");
  EXPECT_EQ(pages[2].error, "HTTP 418");
  for (const ExtractedPage& page : pages) EXPECT_EQ(page.title + page.content, "Oh# Sorry");
}

TEST(ExtractTest, SaysWhereARedirectLed) {
  TestServer server;
  server.redirect("/old", "/new");
  server.page("/new", "text/plain", "here");
  EXPECT_EQ(extract_one(server.url("/old")).to_json().at("final_url"), Json(server.url("/new")));
  EXPECT_FALSE(extract_one(server.url("/new#part")).to_json().contains("final_url"));
}

TEST(ExtractTest, SaysWhenThereIsNothing) {
  TestServer server;
  server.page("/empty", "text/html", "");
  server.page("/scripts", "text/html", "<title>App</title><div id=root></div><script>render()</script>");
  server.on("/204", [](TestServer::Connection& connection) { connection.send("HTTP/1.1 204 No Content\r\n\r\n"); });
  EXPECT_EQ(extract_one(server.url("/empty")).error, "the server sent an empty page");
  EXPECT_EQ(extract_one(server.url("/scripts")).error,
            "the page has no text (it may be made by scripts, which are not run)");
  EXPECT_EQ(extract_one(server.url("/204")).error, "HTTP 204: the server has no content for this URL");
}

TEST(ExtractTest, ReadsOtherCharactersSetsAndSaysWhenItGuessed) {
  TestServer server;
  server.page("/jp", "text/html; charset=Shift_JIS", "<p>\x83\x65\x83\x58\x83\x67");
  server.page("/odd", "text/html; charset=klingon", "<p>gr\xfc\xdf");
  EXPECT_EQ(extract_one(server.url("/jp")).content, "テスト");
  const ExtractedPage odd = extract_one(server.url("/odd"));
  EXPECT_EQ(odd.content, "grüß");
  EXPECT_EQ(odd.to_json().at("note"), "the page's character set \"klingon\" is unknown; it was read as windows-1252");
}

TEST(ExtractTest, APageThatIsTooLargeIsReadFromItsStart) {
  TestServer server;
  server.page("/", "text/plain", std::string(5000, 'x'));
  ExtractOptions options = options_for_tests();
  options.fetch.limits.body = 1024;
  const ExtractedPage page = extract_one(server.url("/"), options);
  EXPECT_EQ(page.content, std::string(1024, 'x'));
  EXPECT_EQ(page.to_json().at("note"), "the page is larger than 1 KiB; this is its start");
}

TEST(ExtractTest, SaysWhichHostTheOwnerRefuses) {
  RuleList rules;
  rules.deny = {"*.example.org"};
  WebGate gate = gate_with(rules);
  const std::atomic<bool> cancelled = false;
  const auto pages = extract({"http://www.example.org/"}, options_for_tests(), gate, cancelled);
  ASSERT_TRUE(pages);
  EXPECT_THAT(pages->at(0).error, HasSubstr("www.example.org"));
  EXPECT_EQ(pages->at(0).to_json().at("blocked_by_policy"), Json(JsonObject{{"host", "www.example.org"}}));
  EXPECT_EQ(gate.verdicts().size(), 1u);
}

TEST(ExtractTest, APrivateAddressIsAnErrorOfItsItemOnly) {
  TestServer server;
  server.page("/", "text/plain", "fine");
  ExtractOptions options = options_for_tests();
  options.fetch.private_hosts = PrivateHosts({server.place()});
  const auto pages = extract_all({"http://10.0.0.1/", server.url("/")}, options);
  EXPECT_THAT(pages[0].error, StartsWith("Blocked: URL targets a private or internal network address (10.0.0.1)"));
  EXPECT_EQ(pages[1].content, "fine");
}

}  // namespace
}  // namespace talaria
