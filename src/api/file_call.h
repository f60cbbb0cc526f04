#pragma once
#include <functional>
#include <optional>
#include <string>

#include "api/later.h"
#include "api/place.h"
#include "api/session_files.h"
#include "files/audience.h"
#include "gate/gate.h"
#include "tools/tool.h"

namespace talaria {

// The owner's rules for one call, and a gate that goes by them.
FileGate file_gate(Parts& parts, const Place& place);

// {error: …} or what a tool has to say, as its answer; `text` is what a model reads of it.
ToolResult tool_result(JsonObject details, std::string text);
// The same of an error of our own.
ToolResult failed_tool(const Error& error);

// One call of a tool that works on files: finds the session's place, does the work there on a worker, and answers.
// Dropping it cancels the work; what is written is whole or not at all.
class FileCall : public Operation {
 public:
  struct Bench {
    SessionFiles::Bench& site;
    FileGate& gate;
    const PathBase& paths;
    Audience audience;
    const View* view = nullptr;  // of the sandbox; null: the plain host

    // A file was written: where it went is a note of the result, if that is not where its name says to a person.
    void tell_place(JsonObject& result, const std::string& path, const std::string& name) const;
  };
  using Work = std::function<JsonObject(Bench&)>;              // on a worker
  using Tell = std::function<std::string(const JsonObject&)>;  // what a model reads of the result
  enum class Where { session, host };                          // host: files of our own that a session may see

  FileCall(Parts& parts, ToolCall call, std::string tool, Work work, Tell tell, Done<ToolResult> done);
  void begin(Where where = Where::session);

 private:
  void start(Where where);
  void look_for_place();
  void work_at(const Place& place, const std::string& space);
  void take(Result<JsonObject> result);
  void answer(ToolResult result);

  Parts& parts_;
  ToolCall call_;
  std::string tool_;
  Work work_;
  Tell tell_;
  Done<ToolResult> done_;
  bool beginning_ = false;  // still inside begin()
  bool retried_ = false;
  std::string space_;
  std::shared_ptr<FileGate> gate_;
  PlaceFinder place_;
  SessionFiles::Wanted working_;
  Later later_;
};

}  // namespace talaria
