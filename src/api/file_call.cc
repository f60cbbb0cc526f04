#include "api/file_call.h"

#include "api/masked_files.h"
#include "api/sandbox_words.h"
#include "base/unseen.h"
#include "guard/write_danger.h"
#include "os/file.h"
#include "os/home.h"

namespace talaria {
namespace {

RuleList rules_in(const RuleSettings& settings) {
  return {settings.allow, settings.ask, settings.deny, settings.otherwise};
}

// A command's result would be held until its guard has looked; here nothing is there to be looked at later.
std::string refusal_of_writing(const GuardOrder& guard, const std::string& path) {
  const std::string why = danger_of_writing(guard, path);
  if (why.empty()) return "";
  return "write " + shown_line(path) + ": " + why +
         ". That would be outside the sandbox, so this session may not write it; ask the person to do it";
}

}  // namespace

FileGate file_gate(Parts& parts, const Place& place) {
  const FilesSettings& files = place.settings->files;
  const Home& home = parts.jobs.home();
  FilePlaces places{place.person_home(), home.root};
  places.real_home = real_path(places.home);
  places.real_own_home = real_path(home.root);
  places.own_runtime = home.runtime;
  OwnState own = place.sandbox ? OwnState() : OwnState::look(home.root, home.runtime);
  FileGate gate = parts.gate.files(rules_in(files.read), rules_in(files.write), places, std::move(own));
  if (place.sandbox && place.sandbox->request.guard) {
    const GuardOrder& guard = *place.sandbox->request.guard;
    gate.refuse_writing([guard](const std::string& path) { return refusal_of_writing(guard, path); });
  }
  return gate;
}

ToolResult tool_result(JsonObject details, std::string text) {
  ToolResult result;
  result.is_error = details.contains("error");
  result.text = std::move(text);
  result.details = std::move(details);
  return result;
}

ToolResult failed_tool(const Error& error) { return tool_result({{"error", error.message()}}, error.message()); }

void FileCall::Bench::tell_place(JsonObject& result, const std::string& path, const std::string& name) const {
  if (!view || result.contains("error") || boolean_or(result, "no_change")) return;
  const Result<std::string> real = site.files.real_path(path);
  const std::string note = private_file_note(*view, real ? *real : path, name);
  if (note.empty()) return;
  const std::string before = text_or(result, "note");
  result["note"] = before.empty() ? note : before + "; " + note;
}

FileCall::FileCall(Parts& parts, ToolCall call, std::string tool, Work work, Tell tell, Done<ToolResult> done)
    : parts_(parts),
      call_(std::move(call)),
      tool_(std::move(tool)),
      work_(std::move(work)),
      tell_(std::move(tell)),
      done_(std::move(done)),
      place_(parts, *call_.session) {}

void FileCall::begin(Where where) {
  beginning_ = true;
  start(where);
  beginning_ = false;
}

void FileCall::start(Where where) {
  if (where == Where::session) return look_for_place();
  Result<std::shared_ptr<const Settings>> settings = parts_.settings.current();
  if (!settings) return take(settings.error());
  Place place;
  place.settings = *std::move(settings);
  place.environment = std::make_shared<const Environment>(parts_.environment.own());
  work_at(place, "");
}

void FileCall::look_for_place() {
  place_.find([this](Result<Place> place) {
    if (!place) return take(std::move(place).error());
    work_at(*place, place->sandbox ? place->sandbox->request.space : "");
  });
}

void FileCall::work_at(const Place& place, const std::string& space) {
  space_ = space;
  gate_ = std::make_shared<FileGate>(file_gate(parts_, place));
  const Audience audience = call_.caller.program ? Audience::program : Audience::agent;
  // A program may write back what it reads.
  const Mask mask = audience == Audience::agent ? parts_.secrets.mask(nullptr) : Mask();
  working_ = parts_.files.run(
      call_.session->id, space,
      [work = work_, gate = gate_, paths = path_base(parts_, call_, place), audience, mask,
       sandbox = place.sandbox](SessionFiles::Bench& site) {
        Bench bench{site, *gate, paths, audience, sandbox ? &sandbox->view : nullptr};
        JsonObject result = work(bench);
        mask_file_result(result, mask);
        return result;
      },
      [this](Result<JsonObject> result) { take(std::move(result)); });
}

void FileCall::take(Result<JsonObject> result) {
  const bool fell = !result && result.error().code() == ErrorCode::cancelled && !space_.empty();
  if (fell && !std::exchange(retried_, true)) {
    parts_.sandboxes.gone(space_);
    later_ = Later(parts_.loop, [this] { look_for_place(); });
    return;
  }
  if (gate_) parts_.gate.note({tool_, call_.session->id, call_.caller.door}, *gate_);
  ToolResult told;
  if (!result) told = failed_tool(result.error());
  else if (call_.caller.program) told = tool_result(*std::move(result), "");
  else {
    std::string text = tell_(*result);
    told = tool_result(*std::move(result), std::move(text));
  }
  if (!beginning_) return answer(std::move(told));
  // Answers come later, never from inside the call that asks.
  later_ = Later(parts_.loop, [this, told = std::move(told)]() mutable { answer(std::move(told)); });
}

void FileCall::answer(ToolResult result) {
  const Done<ToolResult> done = std::exchange(done_, nullptr);
  if (done) done(std::move(result));  // may destroy us
}

}  // namespace talaria
