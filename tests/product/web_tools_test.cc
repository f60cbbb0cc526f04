// web_extract and web_search through the whole product, against servers on loopback.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <mutex>
#include <thread>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Answers each request with what `answer` makes of it.
class Site {
 public:
  using Answer = std::function<std::string(const std::string& request)>;
  explicit Site(Answer answer) : answer_(std::move(answer)), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_.get(), 16), 0);
    EXPECT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Site() {
    ::shutdown(socket_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::string url(const std::string& path = "/") const { return "http://127.0.0.1:" + std::to_string(port_) + path; }
  std::string requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    while (true) {
      const UniqueFd client(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client) return;
      char buffer[8192];
      const ssize_t count = ::read(client.get(), buffer, sizeof buffer);
      if (count <= 0) continue;
      const std::string request(buffer, static_cast<size_t>(count));
      {
        const std::lock_guard lock(mutex_);
        requests_ += request;
      }
      (void)write_all(client.get(), answer_(request));
    }
  }

  Answer answer_;
  UniqueFd socket_;
  int port_ = 0;
  std::mutex mutex_;
  std::string requests_;
  std::thread thread_;
};

std::string reply(const std::string& type, const std::string& body, const std::string& status = "200 OK",
                  const std::string& headers = "") {
  return "HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\nConnection: close\r\n" + headers + "\r\n" + body;
}

// A document of one page that says so.
std::string small_pdf() {
  const std::string stream = "BT /F1 24 Tf 72 700 Td (Hello from a document) Tj ET";
  const std::string objects[] = {
      "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
      "<< /Length " + std::to_string(stream.size()) + " >>\nstream\n" + stream + "\nendstream",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"};
  std::string pdf = "%PDF-1.4\n", table = "xref\n0 6\n0000000000 65535 f \n";
  int number = 0;
  for (const std::string& object : objects) {
    char entry[32];
    std::snprintf(entry, sizeof entry, "%010zu 00000 n \n", pdf.size());
    table += entry;
    pdf += std::to_string(++number) + " 0 obj\n" + object + "\nendobj\n";
  }
  const size_t start = pdf.size();
  return pdf + table + "trailer << /Root 1 0 R /Size 6 >>\nstartxref\n" + std::to_string(start) + "\n%%EOF\n";
}

class WebToolsTest : public testing::Test {
 protected:
  void allow_loopback() { ASSERT_EQ(house_.run({"config", "set", "web.allow_private_hosts", "[127.0.0.1]"}).code, 0); }
  JsonObject extract(const std::string& url) { return house_.call("web_extract", {{"urls", JsonArray{Json(url)}}}); }
  static const JsonObject& page(const JsonObject& result) {
    return details_of(result).at("results").as_array().at(0).as_object();
  }

  House house_;
};

TEST_F(WebToolsTest, TurnsAPageIntoMarkdown) {
  allow_loopback();
  Site site([](const std::string&) {
    return reply("text/html; charset=iso-8859-1",
                 "<html><head><title>T</title></head><body><nav><a href=/x>menu</a></nav><main><h1>Caf\xe9</h1><p>Some "
                 "<b>text</b> with a <a href='/more'>link</a>, long enough to be the content of this page.</p>"
                 "<script>alert(1)</script></main></body></html>");
  });
  const JsonObject result = extract(site.url());
  EXPECT_EQ(text_or(page(result), "title"), "T");
  EXPECT_EQ(text_or(page(result), "content"), "# Café\n\nSome **text** with a [link](" + site.url("/more") +
                                                  "), long enough to be the content of this page.");
  EXPECT_THAT(text_of(result), HasSubstr("Café"));
  EXPECT_THAT(house_.run({"fetch", site.url()}).out, HasSubstr("# Café"));
}

TEST_F(WebToolsTest, ReadsDocuments) {
  allow_loopback();
  Site site([](const std::string&) { return reply("application/pdf", small_pdf()); });
  EXPECT_THAT(text_or(page(extract(site.url())), "content"), HasSubstr("Hello from a document"));
}

TEST_F(WebToolsTest, ReachesNoPrivateAddress) {
  Site site([](const std::string&) { return reply("text/plain", "secret"); });
  const std::string port = site.url().substr(site.url().rfind(':'));
  for (const std::string host : {"127.0.0.1", "localhost", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::1]",
                                 "[::ffff:127.0.0.1]", "0.0.0.0", "example.org@127.0.0.1"}) {
    const JsonObject result = extract("http://" + host + port);
    EXPECT_FALSE(text_or(page(result), "error").empty()) << host;
    EXPECT_EQ(text_or(page(result), "content"), "") << host;
  }
  EXPECT_EQ(site.requests(), "");
  EXPECT_THAT(text_or(page(extract(site.url())), "error"),
              AllOf(HasSubstr("private"), HasSubstr("web.allow_private_hosts")));
}

TEST_F(WebToolsTest, FollowsTheOwnersRulesOnHosts) {
  allow_loopback();
  Site site([](const std::string&) { return reply("text/plain", "hello"); });
  ASSERT_EQ(house_.run({"config", "set", "web.hosts.deny", "[127.0.0.1]"}).code, 0);
  EXPECT_THAT(text_or(page(extract(site.url())), "error"), HasSubstr("web.hosts.deny"));
  EXPECT_EQ(site.requests(), "");
}

TEST_F(WebToolsTest, AnswersForEachPageByItself) {
  allow_loopback();
  Site site([](const std::string& request) {
    return request.starts_with("GET /good") ? reply("text/plain", "good")
                                            : reply("text/plain", "nothing here", "404 Not Found");
  });
  const JsonObject result =
      house_.call("web_extract",
                  {{"urls", JsonArray{Json(site.url("/bad")), Json(site.url("/good")), Json("ftp://example.org/")}}});
  EXPECT_FALSE(boolean_or(result, "isError"));
  const JsonArray& pages = details_of(result).at("results").as_array();
  ASSERT_EQ(pages.size(), 3U);
  EXPECT_THAT(text_or(pages[0].as_object(), "error"), HasSubstr("404"));
  EXPECT_EQ(text_or(pages[1].as_object(), "content"), "good");
  EXPECT_FALSE(pages[1].as_object().contains("error"));
  EXPECT_THAT(text_or(pages[2].as_object(), "error"), HasSubstr("http"));
}

TEST_F(WebToolsTest, SearchesWithTheProviderThatIsConfigured) {
  EXPECT_THAT(house_.run({"search", "rust"}).err, HasSubstr("web.search.provider"));
  Site site([](const std::string&) {
    return reply(
        "application/json",
        R"({"results": [{"title": "A <b>crate</b>", "url": "https://example.org/a", "content": "About &amp; it"}]})");
  });
  ASSERT_EQ(house_.run({"config", "set", "web.search.provider", "searxng"}).code, 0);
  EXPECT_THAT(house_.run({"search", "rust"}).err, HasSubstr("web.search.url"));
  EXPECT_THAT(house_.run({"doctor"}).out, HasSubstr("web tools\t"));
  EXPECT_THAT(house_.run({"doctor"}).out, HasSubstr("web.search.url"));
  ASSERT_EQ(house_.run({"config", "set", "web.search.url", site.url()}).code, 0);
  const JsonObject result = house_.call("web_search", {{"query", "rust async"}});
  EXPECT_EQ(details_of(result).at("data"),
            Json(JsonObject{{"web", JsonArray{JsonObject{{"title", "A crate"},
                                                         {"url", "https://example.org/a"},
                                                         {"description", "About & it"},
                                                         {"position", 1}}}}}));
  EXPECT_THAT(site.requests(), HasSubstr("q=rust%20async"));
  EXPECT_THAT(house_.run({"search", "rust"}).out, HasSubstr("https://example.org/a"));
  EXPECT_THAT(house_.run({"tools"}).out, HasSubstr("web_search"));
}

TEST_F(WebToolsTest, ASearchThatBringsNothingHasTheKeysOfEveryOther) {
  const std::string program =
      "from hermes_tools import web_search\nr = web_search('x')\n"
      "print([h['url'] for h in r['data']['web']], r['success'], 'error' in r)\n";
  const Json nothing = JsonObject{{"web", JsonArray()}};
  const JsonObject missing = house_.call("web_search", {{"query", "x"}});
  EXPECT_TRUE(boolean_or(missing, "isError"));
  EXPECT_THAT(text_of(missing), HasSubstr("web.search.provider"));
  EXPECT_EQ(details_of(missing).at("data"), nothing);
  EXPECT_EQ(house_.run({"code", "-"}, program).out, "[] False True\n");
  Site site([](const std::string&) { return reply("application/json", R"({"results": []})"); });
  ASSERT_EQ(house_.run({"config", "set", "web.search.provider", "searxng"}).code, 0);
  ASSERT_EQ(house_.run({"config", "set", "web.search.url", site.url()}).code, 0);
  JsonObject found = details_of(house_.call("web_search", {{"query", "x"}}));
  found.erase("agentSession");
  EXPECT_EQ(found, (JsonObject{{"success", true}, {"data", nothing}}));
  EXPECT_EQ(house_.run({"code", "-"}, program).out, "[] True False\n");
  EXPECT_THAT(house_.run({"search", "x"}).out, HasSubstr("No results."));
}

TEST_F(WebToolsTest, GivesTheKeyToTheProviderAndToNobodyElse) {
  Site site([](const std::string&) { return reply("application/json", "{}", "401 Unauthorized"); });
  ASSERT_EQ(house_.run({"config", "set", "web.search.provider", "brave"}).code, 0);
  ASSERT_EQ(house_.run({"config", "set", "web.search.url", site.url()}).code, 0);
  EXPECT_THAT(house_.run({"search", "x"}).err, HasSubstr("BRAVE_API_KEY"));
  ASSERT_TRUE(write_file_atomically(house_.root() + "/.env", "BRAVE_API_KEY=key-that-is-secret\n", 0600, Durable::no));
  const Ran ran = house_.run({"search", "--json", "x"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(site.requests(), HasSubstr("key-that-is-secret"));
  EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("key-that-is-secret")));
  EXPECT_THAT(text_of(house_.exec("env; cat " + house_.root() + "/.env")), Not(HasSubstr("key-that-is-secret")));
  const Result<std::string> log = read_file(house_.root() + "/logs/gateway.log");
  ASSERT_TRUE(log);
  EXPECT_THAT(*log, Not(HasSubstr("key-that-is-secret")));
}

TEST_F(WebToolsTest, GivesUpOnAServerThatNeverAnswers) {
  allow_loopback();
  ASSERT_EQ(house_.run({"config", "set", "web.timeout", "1"}).code, 0);
  const UniqueFd silent(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(silent.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(silent.get(), 1), 0);
  ASSERT_EQ(::getsockname(silent.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const JsonObject result = extract("http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/");
  EXPECT_THAT(text_or(page(result), "error"), HasSubstr("1"));
  EXPECT_THAT(text_of(house_.exec("echo alive")), HasSubstr("alive"));
}

}  // namespace
}  // namespace talaria
