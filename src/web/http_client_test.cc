#include "web/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "web/test_server.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(HttpClientTest, FetchesAPage) {
  TestServer server;
  server.page("/a", "text/plain; charset=utf-8", "hello");
  const Result<WebPage> page = fetch_locally(server.url("/a?b=c#d"));
  ASSERT_TRUE(page) << error_of(page);
  EXPECT_EQ(page->final_url, server.url("/a?b=c"));
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->content_type, "text/plain; charset=utf-8");
  EXPECT_EQ(page->body, "hello");
  EXPECT_FALSE(page->truncated);
  EXPECT_EQ(page->redirects, 0);
}

TEST(HttpClientTest, SendsNoMoreThanItShould) {
  TestServer server;
  server.page("/", "text/plain", "x");
  ASSERT_TRUE(fetch_locally(server.url("/")));
  const std::string request = server.requests().at(0);
  EXPECT_THAT(request, StartsWith("GET / HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("User-Agent: talaria/" TALARIA_VERSION "\r\n"));
  EXPECT_THAT(request, HasSubstr("gzip"));
  for (const char* header : {"Cookie", "Authorization", "Referer", "Proxy"})
    EXPECT_THAT(request, Not(HasSubstr(header)));
}

TEST(HttpClientTest, AProxyOfTheEnvironmentIsNotAsked) {
  TestServer proxy;
  TestServer server;
  server.page("/", "text/plain", "direct");
  ::setenv("http_proxy", proxy.url("/").c_str(), 1);
  const Result<WebPage> page = fetch_locally(server.url("/"));
  ::unsetenv("http_proxy");
  ASSERT_TRUE(page) << error_of(page);
  EXPECT_EQ(page->body, "direct");
  EXPECT_TRUE(proxy.requests().empty());
}

TEST(HttpClientTest, TheEnvironmentTakesNoHostAwayFromAConfiguredProxy) {
  TestServer proxy;
  TestServer server;
  server.page("/", "text/plain", "direct");
  const std::string url = "http://secret.example.org:" + std::to_string(server.port()) + "/";
  proxy.page(url, "text/plain", "by proxy");
  FetchOptions options = local_options();
  options.limits.proxy = proxy.url("");
  for (const char* name : {"no_proxy", "NO_PROXY"}) {
    for (const char* value : {"*", "secret.example.org", ".example.org", "127.0.0.0/8"}) {
      ::setenv(name, value, 1);
      const Result<WebPage> page = fetch_locally(url, options);
      const Result<WebPage> address = fetch_locally(server.url("/"), options);
      ::unsetenv(name);
      ASSERT_TRUE(page) << name << "=" << value << ": " << error_of(page);
      EXPECT_EQ(page->body, "by proxy") << name << "=" << value;
      ASSERT_TRUE(address);
      EXPECT_EQ(address->status, 404) << name << "=" << value;
    }
  }
  EXPECT_TRUE(server.requests().empty());
}

TEST(HttpClientTest, NoVariableOfTheEnvironmentChoosesAProxy) {
  TestServer proxy;
  TestServer server;
  server.page("/", "text/plain", "direct");
  for (const char* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
    ::setenv(name, proxy.url("").c_str(), 1);
    const Result<WebPage> page = fetch_locally(server.url("/"));
    ::unsetenv(name);
    ASSERT_TRUE(page) << name << ": " << error_of(page);
    EXPECT_EQ(page->body, "direct") << name;
  }
  EXPECT_TRUE(proxy.requests().empty());
}

TEST(HttpClientTest, AConfiguredProxyIsAskedButNotForPrivateAddresses) {
  TestServer proxy;
  proxy.page("http://example.org/", "text/plain", "by proxy");
  FetchOptions options = local_options();
  options.limits.proxy = proxy.url("");
  const Result<WebPage> page = fetch_locally("http://example.org/", options);
  ASSERT_TRUE(page) << error_of(page);
  EXPECT_EQ(page->body, "by proxy");
  EXPECT_THAT(error_of(fetch_locally("http://10.0.0.1/", options)), StartsWith("Blocked: "));
  options.private_hosts = PrivateHosts();
  EXPECT_THAT(error_of(fetch_locally("http://localhost/", options)), StartsWith("Blocked: "));
}

TEST(HttpClientTest, FollowsRedirectsRelativeAndAbsolute) {
  TestServer other("127.0.0.2");
  other.page("/end", "text/plain", "arrived");
  TestServer server;
  server.redirect("/one/a", "../two?x=1", "301 Moved Permanently");
  server.redirect("/two", "//" + server.place() + "/three four", "303 See Other");
  server.redirect("/three%20four", other.url("/end#part"), "308 Permanent Redirect");
  const Result<WebPage> page = fetch_locally(server.url("/one/a"));
  ASSERT_TRUE(page) << error_of(page);
  EXPECT_EQ(page->body, "arrived");
  EXPECT_EQ(page->redirects, 3);
  EXPECT_EQ(page->final_url, other.url("/end"));
}

TEST(HttpClientTest, FiveRedirectsAreFollowedAndSixAreNot) {
  TestServer server;
  for (int i = 1; i <= 6; ++i) server.redirect("/" + std::to_string(i), "/" + std::to_string(i - 1));
  server.page("/0", "text/plain", "end");
  EXPECT_TRUE(fetch_locally(server.url("/5")));
  EXPECT_EQ(error_of(fetch_locally(server.url("/6"))),
            "gave up after 5 redirects, the last one to 127.0.0.1: the server sends in circles");
}

TEST(HttpClientTest, ALoopEnds) {
  TestServer server;
  server.redirect("/loop", "/loop");
  EXPECT_THAT(error_of(fetch_locally(server.url("/loop"))), HasSubstr("gave up after 5 redirects"));
  EXPECT_EQ(server.requests().size(), 6u);
}

TEST(HttpClientTest, ARedirectToAnotherProtocolIsRefused) {
  TestServer server;
  server.redirect("/file", "file:///etc/passwd");
  server.redirect("/gopher", "gopher://127.0.0.1/");
  server.redirect("/user", "http://example.org@127.0.0.1/");
  EXPECT_EQ(error_of(fetch_locally(server.url("/file"))),
            "redirect from 127.0.0.1: the URL file:///etc/passwd is neither http:// nor https://, and nothing else is "
            "fetched");
  EXPECT_THAT(error_of(fetch_locally(server.url("/gopher"))), HasSubstr("neither http:// nor https://"));
  EXPECT_THAT(error_of(fetch_locally(server.url("/user"))), HasSubstr("user name or password"));
}

TEST(HttpClientTest, TheBodyOfARedirectIsNotWaitedFor) {
  TestServer server;
  server.on("/endless", [](TestServer::Connection& connection) {
    connection.send("HTTP/1.1 302 Found\r\nLocation: /end\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (connection.send("5\r\nhello\r\n")) {
    }
  });
  server.page("/end", "text/plain", "end");
  const Result<WebPage> page = fetch_locally(server.url("/endless"));
  ASSERT_TRUE(page) << error_of(page);
  EXPECT_EQ(page->body, "end");
}

TEST(HttpClientTest, EachHostOnTheWayIsJudged) {
  TestServer server;
  server.redirect("/", "http://127.0.0.2:" + std::to_string(server.port()) + "/secret");
  RuleList rules;
  rules.deny = {"127.0.0.2"};
  WebGate gate = gate_with(rules);
  SharedWebGate shared(gate);
  const std::atomic<bool> cancelled = false;
  std::string refused;
  const Result<WebPage> page = fetch(server.url("/"), shared, local_options(), cancelled, &refused);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code(), ErrorCode::denied);
  EXPECT_EQ(refused, "127.0.0.2");
  ASSERT_EQ(gate.verdicts().size(), 2u);
  EXPECT_EQ(gate.verdicts()[0].host, "127.0.0.1");
  EXPECT_EQ(gate.verdicts()[1].host, "127.0.0.2");
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(HttpClientTest, AHostThatIsDeniedIsNotEvenLookedUp) {
  RuleList rules;
  rules.otherwise = "deny";
  WebGate gate = gate_with(rules);
  SharedWebGate shared(gate);
  const std::atomic<bool> cancelled = false;
  FetchOptions options = local_options();
  bool asked = false;
  options.resolve = [&](const std::string&, Clock::time_point, const std::atomic<bool>&) {
    asked = true;
    return Result<std::vector<IpAddress>>(std::vector{IpAddress::v4(0x7f000001)});
  };
  EXPECT_FALSE(fetch("http://example.org/", shared, options, cancelled));
  EXPECT_FALSE(asked);
}

TEST(HttpClientTest, DecompressesWhatItAskedFor) {
  constexpr unsigned char brotli[] = {0x1f, 0x2e, 0x00, 0xf8, 0x8d, 0xc4, 0x38, 0x16, 0xf1, 0x87, 0x85,
                                      0x46, 0x06, 0xb5, 0xc3, 0x79, 0x79, 0xcd, 0x2d, 0x73, 0x44, 0x71,
                                      0x7c, 0x4a, 0x10, 0x16, 0xba, 0x12, 0x84, 0xaa, 0x7a, 0x00, 0x99,
                                      0x98, 0x2e, 0xb2, 0xc1, 0xea, 0x3d, 0x9b, 0xa1, 0x01};
  const std::string compressed(reinterpret_cast<const char*>(brotli), sizeof brotli);
  TestServer server;
  server.on("/gzip", [](TestServer::Connection& connection) {
    connection.reply("200 OK", "Content-Encoding: gzip\r\n", gzip_stored("from gzip"));
  });
  server.on("/brotli", [&](TestServer::Connection& connection) {
    connection.reply("200 OK", "Content-Encoding: br\r\n", compressed);
  });
  server.on("/broken", [](TestServer::Connection& connection) {
    connection.reply("200 OK", "Content-Encoding: gzip\r\n", "this is no gzip");
  });
  const Result<WebPage> gzip_page = fetch_locally(server.url("/gzip"));
  ASSERT_TRUE(gzip_page) << error_of(gzip_page);
  EXPECT_EQ(gzip_page->body, "from gzip");
  const Result<WebPage> brotli_page = fetch_locally(server.url("/brotli"));
  ASSERT_TRUE(brotli_page) << error_of(brotli_page);
  EXPECT_EQ(brotli_page->body, "<p>Hello brotli, hello brotli, hello brotli</p>");
  EXPECT_EQ(error_of(fetch_locally(server.url("/broken"))),
            server.place() + " sent a compressed answer that cannot be decompressed");
}

TEST(HttpClientTest, AnswersWithoutABodyArePages) {
  TestServer server;
  for (const char* status : {"204 No Content", "304 Not Modified"}) {
    server.on("/" + std::string(status, 3), [=](TestServer::Connection& connection) {
      connection.send("HTTP/1.1 " + std::string(status) + "\r\n\r\n");
    });
  }
  for (const int status : {204, 304}) {
    const Result<WebPage> page = fetch_locally(server.url("/" + std::to_string(status)));
    ASSERT_TRUE(page) << error_of(page);
    EXPECT_EQ(page->status, status);
    EXPECT_EQ(page->body, "");
  }
}

TEST(HttpClientTest, InterimAnswersAreNotTheAnswer) {
  TestServer server;
  server.on("/", [](TestServer::Connection& connection) {
    connection.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\nContent-Type: text/wrong\r\n\r\n");
    connection.reply("200 OK", "Content-Type: text/plain\r\n", "real");
  });
  const Result<WebPage> page = fetch_locally(server.url("/"));
  ASSERT_TRUE(page) << error_of(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->content_type, "text/plain");
  EXPECT_EQ(page->body, "real");
}

TEST(HttpClientTest, CancellingStopsATransferInTheMiddle) {
  TestServer server;
  server.on("/", [](TestServer::Connection& connection) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome");
    connection.wait_until_closed();
  });
  std::atomic<bool> cancelled = false;
  std::thread person([&] {
    EXPECT_TRUE(server.wait_for_requests(1));
    cancelled = true;
  });
  WebGate gate = open_gate();
  SharedWebGate shared(gate);
  FetchOptions options = local_options();
  options.limits.total = 100s;
  const Result<WebPage> page = fetch(server.url("/"), shared, options, cancelled);
  person.join();
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error(), Error(ErrorCode::cancelled, "the request to " + server.place() + " was cancelled"));
}

}  // namespace
}  // namespace talaria
