#include "web/extract.h"

#include <algorithm>
#include <system_error>
#include <thread>

#include "base/text.h"
#include "base/utf8.h"
#include "web/page_text.h"

namespace talaria {
namespace {

// A page is read in two seconds, so this is for a crowd of them.
constexpr auto longest_wait_for_seat = 60s;

std::string status_words(int status) {
  switch (status) {
    case 204: return "HTTP 204: the server has no content for this URL";
    case 304: return "HTTP 304: the server says the page has not changed, and sent none";
    case 400: return "HTTP 400: the server does not understand the request";
    case 401: return "HTTP 401: the page needs a login";
    case 403: return "HTTP 403: the server refuses to show this page";
    case 404: return "HTTP 404: there is no such page";
    case 410: return "HTTP 410: the page is gone for good";
    case 429: return "HTTP 429: the server wants fewer requests; try again later";
    case 500: return "HTTP 500: the server failed";
    case 502:
    case 503:
    case 504: return "HTTP " + std::to_string(status) + ": the server cannot answer now; try again later";
    default: return "HTTP " + std::to_string(status);
  }
}

// Head and tail, three to one, with a line between that says what is missing.
void cut_middle(ExtractedPage& page, size_t most) {
  page.total_characters = count_characters(page.content);
  if (page.total_characters <= most) return;
  const size_t head = most - most / 4;
  const size_t tail = most / 4;
  const size_t missing = page.total_characters - head - tail;
  const std::string end(last_characters(page.content, tail));
  page.content.resize(first_characters(page.content, head).size());
  page.content.shrink_to_fit();
  page.content += "\n\n[… " + with_commas(missing) + " characters left out …]\n\n" + end;
  page.truncated = true;
}

void read_seated(ExtractedPage& page, WebPage fetched, const ExtractOptions& options,
                 const std::atomic<bool>& cancelled) {
  const Result<ReadingRoom::Seat> seat = options.room->enter(Clock::now() + longest_wait_for_seat, cancelled);
  if (!seat) {
    page.error = seat.error().message();
    return;
  }
  PageText text = read_page(std::move(fetched));
  page.title = std::move(text.title);
  page.notes.insert(page.notes.end(), text.notes.begin(), text.notes.end());
  if (page.error.empty()) page.error = text.error;
  set_text(page, std::move(text.content), options);
  page.pdf = std::move(text.pdf);
}

void fill(ExtractedPage& page, WebPage fetched, const ExtractOptions& options, const std::atomic<bool>& cancelled) {
  page.status = fetched.status;
  const Result<Url> asked = parse_url(page.url);
  if (!asked || asked->text() != fetched.final_url) page.final_url = fetched.final_url;
  if (fetched.status < 200 || fetched.status > 299 || fetched.status == 204) page.error = status_words(fetched.status);
  page.notes = fetched.notes;
  if (fetched.truncated) {
    page.notes.push_back("the page is larger than " + human_bytes(options.fetch.limits.body) + "; this is its start");
  }
  if (fetched.body.empty()) {
    if (page.error.empty()) page.error = "the server sent an empty page";
    return;
  }
  read_seated(page, std::move(fetched), options, cancelled);
  if (page.error.empty() && page.content.empty() && page.pdf.empty()) {
    page.error = "the page has no text (it may be made by scripts, which are not run)";
  }
}

void extract_one(ExtractedPage& page, const ExtractOptions& options, SharedWebGate& gate,
                 const std::atomic<bool>& cancelled) {
  Result<WebPage> fetched = fetch(page.url, gate, options.fetch, cancelled, &page.refused_host);
  if (!fetched) {
    page.error = fetched.error().message();
    return;
  }
  fill(page, *std::move(fetched), options, cancelled);
}

}  // namespace

void set_text(ExtractedPage& page, std::string text, const ExtractOptions& options) {
  page.content = std::move(text);
  page.pdf.clear();
  cut_middle(page, std::min(options.characters, most_extract_characters));
}

JsonObject ExtractedPage::to_json() const {
  JsonObject item{{"url", url}, {"title", title}, {"content", content}};
  if (!error.empty()) item["error"] = error;
  if (!refused_host.empty()) item["blocked_by_policy"] = JsonObject{{"host", refused_host}};
  if (!final_url.empty()) item["final_url"] = final_url;
  if (status != 0 && status != 200) item["status"] = status;
  if (truncated) {
    item["truncated"] = true;
    item["total_characters"] = total_characters;
  }
  if (!notes.empty()) item["note"] = join(notes, "; ");
  return item;
}

Result<std::vector<ExtractedPage>> extract(const std::vector<std::string>& urls, const ExtractOptions& options,
                                           WebGate& gate, const std::atomic<bool>& cancelled) {
  if (urls.empty()) return invalid("urls is empty: give one to five URLs");
  if (urls.size() > most_extract_urls) {
    return invalid("urls has " + std::to_string(urls.size()) + " entries; at most " +
                   std::to_string(most_extract_urls) + " are fetched in one call");
  }
  std::vector<ExtractedPage> pages(urls.size());
  for (size_t i = 0; i < urls.size(); ++i) pages[i].url = urls[i];
  SharedWebGate shared(gate);
  std::vector<std::thread> threads;
  for (size_t i = 1; i < pages.size(); ++i) {
    try {
      threads.emplace_back([&, i] { extract_one(pages[i], options, shared, cancelled); });
    } catch (const std::system_error&) {  // No thread to be had: one after the other then.
      extract_one(pages[i], options, shared, cancelled);
    }
  }
  extract_one(pages[0], options, shared, cancelled);
  for (std::thread& thread : threads) thread.join();
  return pages;
}

JsonObject extract_result(const std::vector<ExtractedPage>& pages) {
  JsonArray results;
  for (const ExtractedPage& page : pages) results.push_back(page.to_json());
  return {{"results", std::move(results)}};
}

}  // namespace talaria
