// Whatever a server does, a fetch ends soon, with little memory and a sentence that says what happened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "web/test_server.h"

namespace talaria {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;
using Connection = TestServer::Connection;

std::string error_from(TestServer::Handler handler, const FetchOptions& options = local_options()) {
  TestServer server;
  server.on("/", std::move(handler));
  std::string error = error_of(fetch_locally(server.url("/"), options));
  const size_t at = error.find(server.place());
  return at == std::string::npos ? error : error.replace(at, server.place().size(), "SERVER");
}

FetchOptions impatient() {
  FetchOptions options = local_options();
  options.limits.total = 400ms;
  return options;
}

TEST(BadServerTest, NeverAnswers) {
  EXPECT_EQ(error_from([](Connection& connection) { connection.wait_until_closed(); }, impatient()),
            "SERVER took the request and did not answer it within 400ms");
}

TEST(BadServerTest, StopsInTheMiddle) {
  const auto handler = [](Connection& connection) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello");
    connection.wait_until_closed();
  };
  EXPECT_EQ(error_from(handler, impatient()), "SERVER did not finish its answer within 400ms (5 bytes had come)");
}

TEST(BadServerTest, TricklesBytes) {
  FetchOptions options = local_options();
  options.limits.stall = 1s;
  const auto handler = [](Connection& connection) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nx");
    connection.wait_until_closed();
  };
  EXPECT_EQ(error_from(handler, options), "SERVER sent less than 100 bytes a second for 1s and was given up");
}

TEST(BadServerTest, ClosesAtOnce) {
  EXPECT_EQ(error_from([](Connection&) {}), "SERVER closed the connection without an answer");
}

TEST(BadServerTest, ResetsTheConnection) {
  EXPECT_EQ(error_from([](Connection& connection) { connection.reset_on_close(); }),
            "SERVER broke off the connection before its answer");
}

TEST(BadServerTest, ClosesInTheMiddle) {
  const auto handler = [](Connection& connection) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello");
  };
  EXPECT_EQ(error_from(handler), "SERVER broke off its answer before the end (5 bytes had come)");
}

TEST(BadServerTest, ClosesInsideItsHeaders) {
  EXPECT_THAT(error_from([](Connection& connection) { connection.send("HTTP/1.1 200 OK\r\nContent-Ty"); }),
              StartsWith("SERVER broke off"));
}

TEST(BadServerTest, SendsMoreThanItSaidAndThatIsIgnored) {
  TestServer server;
  server.on("/", [](Connection& connection) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more");
  });
  const Result<WebPage> page = fetch_locally(server.url("/"));
  ASSERT_TRUE(page) << error_of(page);
  EXPECT_EQ(page->body, "hello");
}

TEST(BadServerTest, SaysANegativeLength) {
  EXPECT_NE(
      error_from([](Connection& connection) { connection.send("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"); }),
      "no error");
}

TEST(BadServerTest, BreaksItsChunks) {
  const std::string start = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_THAT(error_from([&](Connection& connection) { connection.send(start + "5\r\nhello\r\nzz\r\n"); }),
              StartsWith("SERVER broke off its answer before the end"));
  EXPECT_THAT(error_from([&](Connection& connection) { connection.send(start + "ff\r\nhello"); }),
              StartsWith("SERVER broke off its answer before the end"));
}

TEST(BadServerTest, SendsWithoutEnd) {
  TestServer server;
  server.on("/chunked", [](Connection& connection) {
    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (connection.send("5\r\nhello\r\n")) {
    }
  });
  server.on("/plain", [](Connection& connection) {
    connection.send("HTTP/1.1 200 OK\r\n\r\n");
    while (connection.send(std::string(65536, 'x'))) {
    }
  });
  FetchOptions options = local_options();
  options.limits.body = 100'000;
  for (const char* path : {"/chunked", "/plain"}) {
    const Result<WebPage> page = fetch_locally(server.url(path), options);
    ASSERT_TRUE(page) << error_of(page);
    EXPECT_TRUE(page->truncated);
    EXPECT_EQ(page->body.size(), 100'000u);
  }
}

TEST(BadServerTest, SendsABomb) {
  TestServer server;
  server.on("/", [](Connection& connection) {
    connection.reply("200 OK", "Content-Encoding: gzip\r\n", gzip_bomb(500 << 20));
  });
  const Result<WebPage> page = fetch_locally(server.url("/"));
  ASSERT_TRUE(page) << error_of(page);
  EXPECT_TRUE(page->truncated);
  EXPECT_EQ(page->body.size(), size_t{8} << 20);
}

TEST(BadServerTest, AnswersInNoHttp) {
  EXPECT_THAT(error_from([](Connection& connection) { connection.send("SSH-2.0-OpenSSH_9.2\r\n"); }),
              StartsWith("SERVER answers, but not in HTTP"));
  EXPECT_THAT(error_from([](Connection& connection) { connection.send(std::string("\0\1\2\3\xff\xfe", 6)); }),
              StartsWith("SERVER answers, but not in HTTP"));
  EXPECT_THAT(error_from([](Connection& connection) { connection.send("HTTP/9.9 what\r\n\r\n"); }),
              StartsWith("SERVER answers, but not in HTTP"));
}

TEST(BadServerTest, FloodsHeaders) {
  EXPECT_EQ(error_from([](Connection& connection) {
              connection.send("HTTP/1.1 200 OK\r\n");
              while (connection.send("X-Header: " + std::string(1000, 'x') + "\r\n")) {
              }
            }),
            "SERVER sent more than 256 KiB of headers");
  EXPECT_THAT(error_from([](Connection& connection) {
                connection.send("HTTP/1.1 200 OK\r\nX-Long: ");
                while (connection.send(std::string(1000, 'x'))) {
                }
              }),
              AnyOf(HasSubstr("headers"), HasSubstr("too large"), HasSubstr("Too large")));
}

TEST(BadServerTest, SpeaksNoTls) {
  TestServer server;
  server.page("/", "text/plain", "plain");
  const std::string error = error_of(fetch_locally("https://" + server.place() + "/"));
  EXPECT_THAT(error, StartsWith("no secure connection to " + server.place() + ": "));
  EXPECT_THAT(error, HasSubstr("say http://"));
}

TEST(BadServerTest, IsNotThere) {
  std::string place;
  {
    const TestServer gone;
    place = gone.place();
  }
  EXPECT_EQ(error_of(fetch_locally("http://" + place + "/")),
            place + " refused the connection: no server listens there");
}

TEST(BadServerTest, HasNoName) {
  const std::string name = std::string(70, 'x') + ".invalid";  // no name can be so long, and so no question leaves here
  EXPECT_EQ(error_of(fetch_locally("http://" + name + "/")),
            "there is no host called " + name + " (DNS knows no address for it)");
}

TEST(BadServerTest, ItsNameIsNeverAnswered) {
  FetchOptions options = local_options();
  options.limits.connect = 100ms;
  Clock::duration allowed{};
  options.resolve = [&](const std::string& host, Clock::time_point deadline, const std::atomic<bool>&) {
    allowed = deadline - Clock::now();
    return Result<std::vector<IpAddress>>(Error(ErrorCode::timed_out, "no answer about " + host));
  };
  EXPECT_EQ(error_of(fetch_locally("http://example.org/", options)), "no answer about example.org");
  EXPECT_LE(allowed, 100ms);
}

TEST(BadServerTest, NobodyTakesTheConnection) {
  // A listener whose queue is full drops what comes next, as a firewall would.
  const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::listen(listener.get(), 0), 0);
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
  std::vector<UniqueFd> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    static_cast<void>(::connect(waiting.back().get(), reinterpret_cast<sockaddr*>(&address), length));
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(&address);
  const std::string place = "127.0.0.1:" + std::to_string(bytes[2] << 8 | bytes[3]);
  FetchOptions options = local_options();
  options.limits.connect = 300ms;
  EXPECT_EQ(error_of(fetch_locally("http://" + place + "/", options)),
            "cannot connect to " + place + " in time: nothing answers there, or a firewall drops the packets");
}

}  // namespace
}  // namespace talaria
