#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/file_call.h"
#include "web/extract.h"

namespace talaria {

// Work on a thread of its own kind, for the web may take long; dropping it cancels.
class WebWork {
 public:
  ~WebWork() {
    if (cancelled_) *cancelled_ = true;
  }
  // `work` gets the flag that says it is no longer wanted; `done` comes from the loop.
  void run(WorkerPool& workers, std::function<void(const std::atomic<bool>& cancelled)> work,
           std::function<void()> done);

 private:
  std::shared_ptr<std::atomic<bool>> cancelled_;
};

FetchLimits fetch_limits(const WebSettings& settings);
// What web_search lacks, with what to do about it; empty when it has all.
std::string why_no_web_search(Parts& parts);

// One call of web_extract: fetches the pages, has PDF documents turned into text in the session's place, answers.
class ExtractCall : public Operation {
 public:
  ExtractCall(Parts& parts, ToolCall call, Done<ToolResult> done);
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
  WebWork fetching_;
};

}  // namespace talaria
