#pragma once
#include <memory>
#include <string>
#include <vector>

#include "api/cancellable_work.h"
#include "api/file_call.h"
#include "web/extract.h"

namespace talaria {

FetchLimits fetch_limits(const WebSettings& settings);
// What web_search lacks, with what to do about it; empty when it has all.
std::string why_no_web_search(Parts& parts);

// One call of web_extract: fetches the pages, has PDF documents turned into text in the session's place, answers.
class ExtractCall : public Operation {
 public:
  ExtractCall(Parts& parts, std::shared_ptr<ReadingRoom> room, ToolCall call, Done<ToolResult> done);
  ~ExtractCall() override;
  void begin();

 private:
  void fetched();
  void read_next_pdf();
  void read_pdf(const Place& place, ExtractedPage& page);
  void finish();

  Parts& parts_;
  ToolCall call_;
  Done<ToolResult> done_;
  ExtractOptions options_;
  std::shared_ptr<WebGate> gate_;
  std::shared_ptr<Result<std::vector<ExtractedPage>>> pages_;
  size_t next_ = 0;  // of the pages, the one to look at for a PDF
  std::string errand_;
  PlaceFinder place_;
  Later later_;
  CancellableWork fetching_;
};

}  // namespace talaria
