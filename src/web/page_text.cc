#include "web/page_text.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "process/clean_text.h"
#include "web/charset.h"
#include "web/markdown.h"

namespace talaria {
namespace {

enum class PageKind { html, text, pdf, other };

std::string media_type(std::string_view content_type) {
  return lower(trim(content_type.substr(0, content_type.find(';'))));
}

bool looks_like_html(std::string_view body) {
  const std::string start = lower(trim(body.substr(0, 512)));
  return start.starts_with("<!doctype html") || start.starts_with("<html") || start.starts_with("<head") ||
         start.starts_with("<body");
}

// By the bytes: a NUL or many control characters are in no text.
bool looks_binary(std::string_view body) {
  const std::string_view start = body.substr(0, 1024);
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) return false;
  return std::any_of(start.begin(), start.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte != 0x1b);
  });
}

PageKind kind_by_bytes(std::string_view body) {
  if (body.starts_with("%PDF-")) return PageKind::pdf;
  if (looks_like_html(body)) return PageKind::html;
  return looks_binary(body) ? PageKind::other : PageKind::text;
}

PageKind page_kind(const std::string& type, std::string_view body) {
  if (type == "text/html" || type == "application/xhtml+xml") return PageKind::html;
  if (type == "application/pdf" || type == "application/x-pdf") return PageKind::pdf;
  if (type == "text/plain" && looks_binary(body)) return PageKind::other;
  if (type.starts_with("text/")) return PageKind::text;
  constexpr std::string_view texts[] = {"application/json",       "application/xml",         "application/javascript",
                                        "application/x-ndjson",   "application/yaml",        "application/x-yaml",
                                        "application/toml",       "application/x-sh",        "application/sql",
                                        "application/ecmascript", "application/x-httpd-php", "application/graphql"};
  const bool known = std::find(std::begin(texts), std::end(texts), type) != std::end(texts);
  if (known || type.ends_with("+json") || type.ends_with("+xml")) return PageKind::text;
  const bool vague = type.empty() || type == "application/octet-stream" || type == "application/unknown" ||
                     type == "binary/octet-stream" || type.find('/') == std::string::npos;
  return vague ? kind_by_bytes(body) : PageKind::other;
}

// A page has 64 MiB for all: its text, what is parsed and what comes out of it.
size_t html_memory(size_t text, const MarkdownOptions& options) {
  constexpr size_t whole = 64 << 20;
  constexpr size_t least = 1 << 20;  // of a page that is itself larger: it will be read as bare text
  const size_t taken = text + options.most;
  return std::min(options.limits.memory, taken + least < whole ? whole - taken : least);
}

void read_text(PageText& text, WebPage page, PageKind kind, const HtmlLimits& limits) {
  Decoded decoded = decode_page(std::move(page.body), page.content_type);
  if (!decoded.unknown_label.empty()) {
    text.notes.push_back("the page's character set \"" + decoded.unknown_label + "\" is unknown; it was read as " +
                         decoded.charset);
  }
  if (kind == PageKind::text) {
    text.content = clean(decoded.text);
    return;
  }
  MarkdownOptions options;
  options.url = page.final_url;
  options.limits = limits;
  options.limits.memory = html_memory(decoded.text.capacity(), options);
  MarkdownPage markdown = html_to_markdown(decoded.text, options);
  text.title = std::move(markdown.title);
  text.content = std::move(markdown.content);
  if (!markdown.note.empty()) text.notes.push_back(std::move(markdown.note));
}

}  // namespace

PageText read_page(WebPage page, const HtmlLimits& limits) {
  PageText text;
  const std::string type = media_type(page.content_type);
  const PageKind kind = page_kind(type, page.body);
  switch (kind) {
    case PageKind::html:
    case PageKind::text: read_text(text, std::move(page), kind, limits); break;
    case PageKind::pdf:
      if (page.truncated) text.error = "the PDF is too large to be read";
      else text.pdf = std::move(page.body);
      break;
    case PageKind::other: {
      const std::string shown = clean(type.substr(0, 80));
      text.error = "the page is no text (" + (shown.empty() ? std::string("unknown type") : shown) + ", " +
                   human_bytes(page.body.size()) + "): fetch it to a file with the terminal instead";
      break;
    }
  }
  return text;
}

}  // namespace talaria
