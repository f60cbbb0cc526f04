// Any page becomes valid text in bounded time, and folding it first changes nothing.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "web/charset.h"
#include "web/html_fold.h"
#include "web/markdown.h"
#include "web/strip_tags.h"
#include "web/url.h"

namespace {

using namespace talaria;

MarkdownOptions options_for(uint8_t choice) {
  MarkdownOptions options;
  if (choice & 1) options.url = "https://example.org/a/b?c";
  if (choice & 2) options.content = MarkdownOptions::Content::whole;
  options.limits.memory = 64 << 20;
  options.limits.time = 10s;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Decoded decoded =
      decode_page(std::string(bytes), (data[0] & 4) != 0 ? "text/html; charset=utf-8" : "text/html");
  CHECK(is_utf8(decoded.text));
  const MarkdownOptions options = options_for(data[0]);
  const MarkdownPage page = html_to_markdown(decoded.text, options);
  CHECK(is_utf8(page.title));
  CHECK(is_utf8(page.content));
  CHECK(is_utf8(strip_tags(decoded.text)));
  // A comment makes the page large enough to be folded.
  static const std::string padding = "<!--" + std::string(70'000, 'x') + "-->";
  const std::string large = padding + decoded.text;
  const HtmlFold fold(large);
  CHECK(fold.empty() || std::string_view(fold.unfold(fold.html())) == large);
  CHECK(is_utf8(html_to_markdown(large, options).content));
  if (const Result<Url> url = parse_url(bytes)) {
    const Result<Url> again = parse_url(url->text());
    CHECK(again && *again == *url);
  }
  return 0;
}
