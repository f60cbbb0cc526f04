#include "web/url.h"

#include <gtest/gtest.h>

#include "web/curl_library.h"

namespace talaria {
namespace {

TEST(UrlTest, ReadsWhatItAccepts) {
  struct Case {
    const char* text;
    const char* url;
  };
  constexpr Case cases[] = {
      {"http://example.org", "http://example.org/"},
      {"HTTPS://Example.ORG/A?b=C#d", "https://example.org/A?b=C"},
      {"  https://example.org/x \n", "https://example.org/x"},
      {"https://example.org:443/", "https://example.org/"},
      {"http://example.org:8080?q", "http://example.org:8080/?q"},
      {"http://example.org:/x", "http://example.org/x"},
      {"http://example.org./x", "http://example.org/x"},
      {"http://2130706433/", "http://127.0.0.1/"},
      {"http://0x7f.1/", "http://127.0.0.1/"},
      {"http://127.1:81/", "http://127.0.0.1:81/"},
      {"http://[::1]/x", "http://[::1]/x"},
      {"http://[0:0::1]:81/x", "http://[::1]:81/x"},
      {"http://example.org/ä?ö", "http://example.org/%C3%A4?%C3%B6"},
      {"http://my_host.example/", "http://my_host.example/"},
      {"https://example.org/a@b:c", "https://example.org/a@b:c"},
      {"https://example.org/?u=http://x@y/", "https://example.org/?u=http://x@y/"},
  };
  for (const Case& entry : cases) {
    const Result<Url> url = parse_url(entry.text);
    ASSERT_TRUE(url) << entry.text << ": " << url.error().message();
    EXPECT_EQ(url->text(), entry.url) << entry.text;
  }
}

TEST(UrlTest, RefusesTheRestAndSaysWhy) {
  struct Case {
    std::string text;
    const char* says;
  };
  const Case cases[] = {
      {"", "is empty"},
      {"example.org", "neither http:// nor https://"},
      {"file:///etc/passwd", "neither http:// nor https://"},
      {"ftp://example.org/", "neither http:// nor https://"},
      {"javascript:alert(1)", "neither http:// nor https://"},
      {"http:/example.org", "names no host"},
      {"http://", "names no host"},
      {"http:///path", "names no host"},
      {"http://example.com@127.0.0.1/", "user name or password"},
      {"http://user:secret@example.org/", "user name or password"},
      {"http://example.org:80@127.0.0.1/", "user name or password"},
      {"http://exa mple.org/", "space or a control character"},
      {"http://example.org/a\nb", "space or a control character"},
      {std::string("http://example.org/\0", 20), "space or a control character"},
      {"http://example.org\\@127.0.0.1/", "backslash"},
      {"http:\\\\example.org/", "backslash"},
      {"http://example.org:99999/", "no number from 1 to 65535"},
      {"http://example.org:0/", "no number from 1 to 65535"},
      {"http://example.org:80x/", "no number from 1 to 65535"},
      {"http://[::1/", "[ without a ]"},
      {"http://[::1]x/", "between its host and its port"},
      {"http://[fe80::1%25eth0]/", "no IPv6 address"},
      {"http://[127.0.0.1]/", "no IPv6 address"},
      {"http://exa%6dple.org/", "is no host's name"},
      {"http://.example.org/", "is no host's name"},
      {"http://a..b/", "is no host's name"},
      {"http://a../", "is no host's name"},
      {"http://a,b/", "is no host's name"},
      {"http://" + std::string(256, 'a') + "/", "longer than 255"},
      {"http://example.org/" + std::string(9000, 'a'), "longer than 8,192 bytes"},
  };
  for (const Case& entry : cases) {
    const Result<Url> url = parse_url(entry.text);
    ASSERT_FALSE(url) << entry.text;
    EXPECT_NE(url.error().message().find(entry.says), std::string::npos) << url.error().message();
    EXPECT_EQ(url.error().message().find("secret"), std::string::npos);
  }
}

TEST(UrlTest, ResolvesReferencesAsTheStandardDoes) {
  struct Case {
    const char* reference;
    const char* url;
  };
  // RFC 3986, 5.4; an empty path is "/".
  constexpr Case cases[] = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q#s"},
      {"g#s", "http://a/b/c/g#s"},
      {"g?y#s", "http://a/b/c/g?y#s"},
      {";x", "http://a/b/c/;x"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
  };
  for (const Case& entry : cases) EXPECT_EQ(resolve_reference("http://a/b/c/d;p?q", entry.reference), entry.url);
  EXPECT_EQ(resolve_reference("https://example.org", "x"), "https://example.org/x");
  EXPECT_EQ(resolve_reference("https://example.org?q", ""), "https://example.org/?q");
}

TEST(UrlTest, WritesInternationalNamesAsDnsKnowsThem) {
  const Result<const CurlLibrary*> curl = curl_library();
  ASSERT_TRUE(curl) << curl.error().message();
  const auto ascii = [&](const char* host) {
    const Result<std::string> found = ascii_host(**curl, host);
    return found ? *found : "error";
  };
  EXPECT_EQ(ascii("example.org"), "example.org");
  EXPECT_EQ(ascii("bücher.example"), "xn--bcher-kva.example");
  EXPECT_EQ(ascii("faß.example"), "xn--fa-hia.example");
  EXPECT_EQ(ascii("１２７.0.0.1"), "127.0.0.1");
  EXPECT_EQ(ascii("ⓛocalhost"), "localhost");
  EXPECT_EQ(ascii("\xff\xfe"), "error");
}

TEST(CurlLibraryTest, SaysWhichPackageIsMissing) {
  const Result<CurlLibrary> absent = load_curl("libtalaria-no-such-thing.so.4");
  ASSERT_FALSE(absent);
  EXPECT_EQ(
      absent.error().message(),
      "the web tools need libtalaria-no-such-thing.so.4, which is not installed (Debian: apt-get install libcurl4)");
  const Result<CurlLibrary> other = load_curl("libc.so.6");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), ErrorCode::unavailable);
}

}  // namespace
}  // namespace talaria
