#pragma once
#include <optional>
#include <string>

#include "api/file_call.h"
#include "files/search.h"

namespace talaria {

// One call of search_files: looks where its path leads, then runs rg or grep in the session's place, as often as the
// search wants.
class SearchCall : public Operation {
 public:
  SearchCall(Parts& parts, ToolCall call, SearchRequest request, Done<ToolResult> done);
  ~SearchCall() override;
  void begin();

 private:
  void look();
  void plan(const Place& place);
  void looked(Result<JsonObject> found);
  void run_next();
  void take_end(Result<Jobs::ErrandEnd> end);
  void look_for_traps();
  void go_around(const JsonObject& trap);
  bool try_again(const Error& why);
  void answer(ToolResult result);

  Parts& parts_;
  ToolCall call_;
  SearchRequest request_;
  Done<ToolResult> done_;
  Place place_;
  std::shared_ptr<FileGate> gate_;
  std::optional<Search> search_;
  std::string errand_;  // under way, or empty
  bool retried_ = false;
  bool without_rg_ = false;
  PlaceFinder finder_;
  SessionFiles::Wanted looking_;
  Clock::duration patience_{};  // until we ask why it takes so long
  SessionFiles::Wanted trap_hunt_;
  Loop::Timer suspicion_;
  Later later_;
};

}  // namespace talaria
