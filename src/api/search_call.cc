#include "api/search_call.h"

#include "api/built_in_tools.h"
#include "api/exec_plan.h"
#include "api/file_texts.h"
#include "api/masked_files.h"
#include "base/unseen.h"
#include "files/failure.h"
#include "files/ignore_trap.h"
#include "files/text_encoding.h"
#include "tools/built_in.h"

namespace talaria {
namespace {

constexpr auto longest_file_search = 60s;
// Nearly every search is over by then, and pays nothing for the question whether it is held up.
constexpr auto first_patience = 500ms;

// Those that every sandbox shows come first.
std::string program_named(const std::string& name, const Environment& environment) {
  const auto path = environment.find("PATH");
  return find_program(name, "/usr/bin:/bin:/usr/local/bin:" + (path == environment.end() ? "" : path->second));
}

// Without the system call, which nobody asked for.
std::string reason(const Error& error) {
  return error.number() == 0 ? error.message() : Error::from_number(error.number(), "").message().substr(2);
}

}  // namespace

SearchCall::SearchCall(Parts& parts, ToolCall call, SearchRequest request, Done<ToolResult> done)
    : parts_(parts),
      call_(std::move(call)),
      request_(std::move(request)),
      done_(std::move(done)),
      finder_(parts, *call_.session) {}

SearchCall::~SearchCall() {
  if (!errand_.empty()) parts_.jobs.drop_errand(errand_);
}

void SearchCall::begin() { look(); }

void SearchCall::look() {
  finder_.find([this](Result<Place> place) {
    if (!place) return answer(failed_tool(place.error()));
    place_ = *std::move(place);
    const PathBase base = path_base(parts_, call_, place_);
    request_.cwd = base.cwd;
    gate_ = std::make_shared<FileGate>(file_gate(parts_, place_));
    const std::string path = base.absolute(request_.path);
    if (request_.path.starts_with('~')) request_.path = path;
    looking_ = parts_.files.run(
        call_.session->id, place_.sandbox ? place_.sandbox->request.space : "",
        [path, shown = request_.path, gate = gate_](SessionFiles::Bench& bench) -> JsonObject {
          const Result<FoundFile> found = bench.files.find(path);
          if (!found) {
            const bool absent = found.error().number() == ENOENT || found.error().number() == ENOTDIR;
            const std::string where = absent ? where_looked_for(shown, path) : "";
            return {{"error", "search in " + shown_line(shown) + ": " + reason(found.error()) + where},
                    {"path", shown}};
          }
          const Result<FilePermit> permit = gate->permit(FileUse::read, path, found->real_path);
          if (!permit) return {{"error", permit.error().message()}, {"path", shown}};
          const FileType type = found->stat.type;
          if (type != FileType::regular && type != FileType::directory) {
            return {{"error", "search in " + shown_line(shown) + ": it is " + std::string(describe(type)) +
                                  ", neither a file nor a directory"},
                    {"path", shown}};
          }
          return {{"real_path", found->real_path}};
        },
        [this](Result<JsonObject> found) { looked(std::move(found)); });
  });
}

void SearchCall::looked(Result<JsonObject> found) {
  if (!found && try_again(found.error())) return;
  if (!found) return answer(failed_tool(found.error()));
  if (found->contains("error")) {
    if (!call_.caller.program) mask_file_result(*found, parts_.secrets.mask(nullptr));
    std::string text = call_.caller.program ? "" : text_or(*found, "error");
    return answer(tool_result(*std::move(found), std::move(text)));
  }
  if (const std::string real_path = text_or(*found, "real_path"); !real_path.empty()) request_.real_path = real_path;
  SearchPrograms programs;
  if (!without_rg_) programs.rg = program_named("rg", *place_.environment);
  programs.grep = program_named("grep", *place_.environment);
  Result<Search> search = Search::plan(request_, programs, *gate_);
  if (!search) return answer(failed_tool(search.error()));
  search_.emplace(*std::move(search));
  run_next();
}

// Its sandbox fell just before we came.
bool SearchCall::try_again(const Error& why) {
  if (why.code() != ErrorCode::cancelled || !place_.sandbox || std::exchange(retried_, true)) return false;
  parts_.sandboxes.gone(place_.sandbox->request.space);
  later_ = Later(parts_.loop, [this] { look(); });
  return true;
}

void SearchCall::run_next() {
  const std::optional<std::vector<std::string>> argv = search_->next_command();
  if (!argv) {
    parts_.gate.note({"search_files", call_.session->id, call_.caller.door}, *gate_);
    JsonObject result = search_->result();
    if (!call_.caller.program) mask_file_result(result, parts_.secrets.mask(nullptr));
    std::string text = call_.caller.program ? "" : search_text(result);
    return answer(tool_result(std::move(result), std::move(text)));
  }
  Result<Permit> permit = parts_.gate.search(*argv, request_.cwd, {{"LANG", "C.UTF-8"}, {"PATH", "/usr/bin:/bin"}});
  if (!permit) return answer(failed_tool(permit.error()));
  Jobs::Errand errand;
  errand.timeout = longest_file_search;
  if (place_.sandbox) {
    errand.space = place_.sandbox->request.space;
    errand.steps = place_.sandbox->steps;
  }
  errand.on_output = [this](std::string_view output) { search_->take(output); };
  errand_ = parts_.jobs.run_errand(*std::move(permit), std::move(errand),
                                   [this](Result<Jobs::ErrandEnd> end) { take_end(std::move(end)); });
  patience_ = first_patience;
  if (search_->heeds_ignore_files()) suspicion_ = parts_.loop.after(patience_, [this] { look_for_traps(); });
}

// rg opens ignore files as they come, and waits for ever where one is a FIFO. It may also just have much to do, and a
// FIFO may come to be later on; so we ask again, ever more rarely.
void SearchCall::look_for_traps() {
  const auto home = place_.environment->find("HOME");
  trap_hunt_ = parts_.files.run(
      call_.session->id, place_.sandbox ? place_.sandbox->request.space : "",
      [request = request_,
       home = home == place_.environment->end() ? "" : home->second](SessionFiles::Bench& bench) -> JsonObject {
        const auto trap = find_ignore_trap(bench.files, request, home, bench.cancelled);
        return trap ? JsonObject{{"path", valid_utf8(trap->path)}, {"what", trap->what}} : JsonObject();
      },
      [this](const Result<JsonObject>& trap) {
        if (errand_.empty()) return;
        if (trap && !trap->empty()) return go_around(*trap);
        patience_ *= 2;
        suspicion_ = parts_.loop.after(patience_, [this] { look_for_traps(); });
      });
}

void SearchCall::go_around(const JsonObject& trap) {
  parts_.jobs.drop_errand(std::exchange(errand_, ""));
  const std::string path = text_or(trap, "path");
  search_->begin_again_without_ignore_files(shown_line(path) + " is " + text_or(trap, "what") +
                                            ", which cannot be read to its end, so no ignore files were heeded: what "
                                            "they name was searched too. Remove it, or give a narrower path");
  run_next();
}

void SearchCall::take_end(Result<Jobs::ErrandEnd> end) {
  errand_.clear();
  suspicion_ = {};
  trap_hunt_.reset();
  if (end) {
    search_->ended(end->exit_signal ? 128 + end->exit_signal : end->exit_code);
    return run_next();
  }
  if (try_again(end.error())) return;
  // An rg that is there and yet does not start: in a home, which the sandbox does not show.
  const bool slow = end.error().code() == ErrorCode::timed_out;
  if (!slow && !std::exchange(without_rg_, true)) return looked(JsonObject());
  if (!slow) return answer(failed_tool(end.error()));
  search_->stopped(
      "the search was ended after a minute, and this is what it had found; give a narrower path or file_glob");
  if (search_->found_anything()) return run_next();
  answer(failed_tool(
      Error(ErrorCode::timed_out,
            "the search took longer than a minute and had found nothing; give a narrower path or file_glob. If it "
            "should be quick, another process may hold a file there by a lease, or an ignore file may never end")));
}

void SearchCall::answer(ToolResult result) {
  later_ = Later(parts_.loop, [this, result = std::move(result)]() mutable {
    const Done<ToolResult> done = std::exchange(done_, nullptr);
    if (done) done(std::move(result));  // may destroy us
  });
}

namespace {

class SearchFilesTool : public Tool {
 public:
  explicit SearchFilesTool(Parts& parts) : parts_(parts) {}
  const ToolSpec& spec() const override { return spec_; }

  OperationPtr call(ToolCall call, Done<ToolResult> done) override {
    SearchRequest request = search_request(call.arguments);
    request.audience = call.caller.program ? Audience::program : Audience::agent;
    auto search = std::make_unique<SearchCall>(parts_, std::move(call), std::move(request), std::move(done));
    search->begin();
    return search;
  }

 private:
  static SearchRequest search_request(const JsonObject& arguments) {
    SearchRequest request;
    request.pattern = text_or(arguments, "pattern");
    request.target = text_or(arguments, "target", "content") == "files" ? SearchTarget::files : SearchTarget::content;
    request.path = text_or(arguments, "path", ".");
    request.file_glob = text_or(arguments, "file_glob");
    request.limit = static_cast<uint64_t>(integer_or(arguments, "limit", 50));
    request.offset = static_cast<uint64_t>(integer_or(arguments, "offset", 0));
    const std::string mode = text_or(arguments, "output_mode", "content");
    if (mode == "files_only") request.output = SearchOutput::files_only;
    if (mode == "count") request.output = SearchOutput::count;
    request.context = static_cast<uint64_t>(integer_or(arguments, "context", 0));
    return request;
  }

  Parts& parts_;
  ToolSpec spec_ = search_files_spec();
};

}  // namespace

std::unique_ptr<Tool> search_files_tool(Parts& parts) { return std::make_unique<SearchFilesTool>(parts); }

}  // namespace talaria
