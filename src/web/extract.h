#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "web/http_client.h"
#include "web/reading_room.h"

namespace talaria {

inline constexpr size_t most_extract_urls = 5;
inline constexpr size_t usual_extract_characters = 15'000;
inline constexpr size_t most_extract_characters = 2'000'000;

struct ExtractOptions {
  // Of each page; longer ones lose their middle. Never more than most_extract_characters.
  size_t characters = usual_extract_characters;
  FetchOptions fetch;
  // Shared by all that read pages at the same time.
  std::shared_ptr<ReadingRoom> room = std::make_shared<ReadingRoom>();
};

// One page of a web_extract.
struct ExtractedPage {
  std::string url;  // as it was asked for
  std::string title;
  std::string content;  // Markdown, or text
  std::string error;
  std::string refused_host;  // the owner's rules do not let it be asked
  std::string final_url;     // when a redirect led elsewhere
  int status = 0;            // 0 when there was no answer
  bool truncated = false;
  size_t total_characters = 0;  // of the content before it was cut
  std::vector<std::string> notes;
  std::string pdf;  // the bytes of a PDF, which has no content until set_text()

  JsonObject to_json() const;
};

// Text that was made of the page elsewhere (pdftotext); it is cut as any other.
void set_text(ExtractedPage& page, std::string text, const ExtractOptions& options);

// One item for each URL, in that order, fetched at the same time. Blocks until all are there. An error only for a call
// that makes no sense: no URL, or more than five.
Result<std::vector<ExtractedPage>> extract(const std::vector<std::string>& urls, const ExtractOptions& options,
                                           WebGate& gate, const std::atomic<bool>& cancelled);

// {"results": [{url, title, content, error?, …}]}.
JsonObject extract_result(const std::vector<ExtractedPage>& pages);

}  // namespace talaria
