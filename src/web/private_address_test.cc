// No page from inside the own network, by whatever name or detour.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "web/test_server.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string blocked(const std::string& address) {
  return "Blocked: URL targets a private or internal network address (" + address +
         "); the owner can allow it with web.allow_private_hosts";
}

Resolver answering(std::vector<const char*> texts) {
  std::vector<IpAddress> addresses;
  for (const char* text : texts) addresses.push_back(*parse_address(text));
  return [=](const std::string&, Clock::time_point, const std::atomic<bool>&) {
    return Result<std::vector<IpAddress>>(addresses);
  };
}

TEST(PrivateAddressTest, LiteralsInAllTheirFormsAreBlocked) {
  TestServer server;
  server.page("/", "text/plain", "secret");
  const std::string port = ":" + std::to_string(server.port()) + "/";
  for (const char* host : {"127.0.0.1", "127.1", "2130706433", "0177.0.0.1", "0x7f.1", "0x7f000001", "017700000001",
                           "127.0.0.1.", "１２７.0.0.1", "127。0。0。1"}) {
    EXPECT_EQ(error_of(fetch_locally("http://" + (host + port), FetchOptions())), blocked("127.0.0.1")) << host;
  }
  struct Literal {
    const char* host;
    const char* address;
  };
  for (const Literal& literal : {Literal{"0.0.0.0", "0.0.0.0"},
                                 {"0", "0.0.0.0"},
                                 {"[::1]", "::1"},
                                 {"[::]", "::"},
                                 {"[::ffff:127.0.0.1]", "::ffff:127.0.0.1"},
                                 {"[::ffff:7f00:1]", "::ffff:127.0.0.1"},
                                 {"[::127.0.0.1]", "::127.0.0.1"},
                                 {"[64:ff9b::7f00:1]", "64:ff9b::7f00:1"},
                                 {"[2002:7f00:1::]", "2002:7f00:1::"},
                                 {"10.0.0.1", "10.0.0.1"},
                                 {"169.254.169.254", "169.254.169.254"},
                                 {"[fd00:ec2::254]", "fd00:ec2::254"},
                                 {"192.168.1.1", "192.168.1.1"},
                                 {"100.64.0.1", "100.64.0.1"}}) {
    EXPECT_EQ(error_of(fetch_locally("http://" + (literal.host + port), FetchOptions())), blocked(literal.address));
  }
  EXPECT_TRUE(server.requests().empty());
}

TEST(PrivateAddressTest, NamesAreBlockedByWhatTheyMean) {
  TestServer server;
  server.page("/", "text/plain", "secret");
  const std::string url = "http://localhost:" + std::to_string(server.port()) + "/";
  EXPECT_THAT(error_of(fetch_locally(url, FetchOptions())),
              StartsWith("Blocked: URL targets a private or internal network address ("));
  FetchOptions options;
  options.resolve = answering({"192.168.7.7"});
  EXPECT_EQ(error_of(fetch_locally("http://inside.example/", options)), blocked("192.168.7.7"));
  EXPECT_TRUE(server.requests().empty());
}

TEST(PrivateAddressTest, OnePrivateAddressAmongManyIsEnough) {
  FetchOptions options;
  options.resolve = answering({"8.8.8.8", "2606:4700::1111", "::ffff:10.0.0.1"});
  EXPECT_EQ(error_of(fetch_locally("http://mixed.example/", options)), blocked("::ffff:10.0.0.1"));
}

TEST(PrivateAddressTest, RedirectsAreChecked) {
  TestServer server;
  server.redirect("/metadata", "http://169.254.169.254/latest/meta-data/");
  server.redirect("/own", "http://[::ffff:7f00:1]:" + std::to_string(server.port()) + "/secret");
  EXPECT_EQ(error_of(fetch_locally(server.url("/metadata"))), blocked("169.254.169.254"));
  FetchOptions only_server;
  only_server.private_hosts = PrivateHosts({server.place()});
  server.redirect("/other", "http://127.0.0.1:1/");
  EXPECT_EQ(error_of(fetch_locally(server.url("/other"), only_server)), blocked("127.0.0.1"));
}

TEST(PrivateAddressTest, WhatTheOwnerAllowsIsFetched) {
  TestServer server;
  server.page("/", "text/plain", "intranet");
  FetchOptions options;
  options.private_hosts = PrivateHosts({"wiki.corp.example:" + std::to_string(server.port())});
  options.resolve = answering({"127.0.0.1"});
  const std::string port = ":" + std::to_string(server.port()) + "/";
  const Result<WebPage> page = fetch_locally("http://wiki.corp.example" + port, options);
  ASSERT_TRUE(page) << error_of(page);
  EXPECT_EQ(page->body, "intranet");
  EXPECT_THAT(server.requests().at(0), HasSubstr("Host: wiki.corp.example" + port.substr(0, port.size() - 1)));
  EXPECT_EQ(error_of(fetch_locally("http://evil.example" + port, options)), blocked("127.0.0.1"));
}

// The answer that was checked is the one that is used: there is no second lookup for one request, and one for each hop.
TEST(PrivateAddressTest, AnAnswerThatChangesIsCheckedAgain) {
  TestServer server("127.0.0.5");
  const std::string port = ":" + std::to_string(server.port());
  server.redirect("/", "http://rebinding.example" + port + "/secret");
  server.page("/secret", "text/plain", "secret");
  FetchOptions options;
  options.private_hosts = PrivateHosts({"127.0.0.5"});
  int lookups = 0;
  options.resolve = [&](const std::string&, Clock::time_point, const std::atomic<bool>&) {
    return Result<std::vector<IpAddress>>(std::vector{*parse_address(++lookups == 1 ? "127.0.0.5" : "127.0.0.1")});
  };
  EXPECT_EQ(error_of(fetch_locally("http://rebinding.example" + port + "/", options)), blocked("127.0.0.1"));
  EXPECT_EQ(lookups, 2);
  EXPECT_EQ(server.requests().size(), 1u);
}

// The last line: the very address a socket is opened for, should the two checks before it ever be wrong.
TEST(PrivateAddressTest, TheAddressThatIsConnectedToIsChecked) {
  TestServer server;
  server.page("/", "text/plain", "secret");
  Request request;
  request.url = *parse_url("http://name.example:" + std::to_string(server.port()) + "/");
  const FetchLimits limits;
  const Resolver resolve = answering({"127.0.0.1"});
  const std::atomic<bool> cancelled = false;
  int asked = 0;
  const auto only_the_first_time = [&](const IpAddress&) { return ++asked == 1; };
  const Result<Response> response =
      transfer(request, {limits, Clock::now() + 10s, resolve, only_the_first_time, cancelled});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().message(), blocked("127.0.0.1"));
  EXPECT_EQ(asked, 2);
  EXPECT_TRUE(server.requests().empty());
}

}  // namespace
}  // namespace talaria
