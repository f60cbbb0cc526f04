#include "api/web_call.h"

#include <cmath>

#include "api/exec_plan.h"
#include "api/stdin_text.h"
#include "api/web_texts.h"

namespace talaria {
namespace {

constexpr auto longest_conversion = 30s;

// Pages end with a form feed.
std::string pages_as_text(std::string text) {
  while (!text.empty() && (text.back() == '\f' || text.back() == '\n')) text.pop_back();
  for (char& c : text) c = c == '\f' ? '\n' : c;
  return text;
}

std::string unless_none(const std::string& text) { return text == "none" ? "" : text; }

std::vector<std::string> urls_in(const JsonObject& arguments) {
  std::vector<std::string> urls;
  for (const Json& url : arguments.at("urls").get_array()) urls.emplace_back(url.get_string());
  return urls;
}

}  // namespace

FetchLimits fetch_limits(const WebSettings& settings) {
  FetchLimits limits;
  limits.total = std::chrono::milliseconds(std::llround(settings.timeout * 1000));
  limits.connect = std::min<std::chrono::milliseconds>(limits.connect, limits.total);
  limits.body = static_cast<size_t>(settings.max_bytes);
  limits.proxy = unless_none(settings.proxy);
  return limits;
}

ExtractCall::ExtractCall(Parts& parts, std::shared_ptr<ReadingRoom> room, ToolCall call, Done<ToolResult> done)
    : parts_(parts), call_(std::move(call)), done_(std::move(done)), place_(parts, *call_.session) {
  options_.room = std::move(room);
}

ExtractCall::~ExtractCall() {
  if (!errand_.empty()) parts_.jobs.drop_errand(errand_);
}

void ExtractCall::begin() {
  pages_ = std::make_shared<Result<std::vector<ExtractedPage>>>(std::vector<ExtractedPage>());
  Result<std::shared_ptr<const Settings>> settings = parts_.settings.current();
  if (!settings) {
    *pages_ = settings.error();
    return finish();
  }
  const WebSettings& web = (*settings)->web;
  options_.fetch.limits = fetch_limits(web);
  options_.fetch.private_hosts = PrivateHosts(web.allow_private_hosts);
  const int64_t usual = call_.caller.program ? static_cast<int64_t>(most_extract_characters)
                                             : static_cast<int64_t>(usual_extract_characters);
  options_.characters = static_cast<size_t>(integer_or(call_.arguments, "char_limit", usual));
  gate_ =
      std::make_shared<WebGate>(parts_.gate.web({web.hosts.allow, web.hosts.ask, web.hosts.deny, web.hosts.otherwise}));
  fetching_.run(
      parts_.web_workers,
      [pages = pages_, urls = urls_in(call_.arguments), options = options_,
       gate = gate_](const std::atomic<bool>& cancelled) { *pages = extract(urls, options, *gate, cancelled); },
      [this] { fetched(); });
}

void ExtractCall::fetched() {
  parts_.gate.note({"web_extract", call_.session->id, call_.caller.door}, *gate_);
  read_next_pdf();
}

void ExtractCall::read_next_pdf() {
  while (*pages_ && next_ < (*pages_)->size() && (**pages_)[next_].pdf.empty()) ++next_;
  if (!*pages_ || next_ == (*pages_)->size()) return finish();
  ExtractedPage& page = (**pages_)[next_++];
  place_.find([this, &page](Result<Place> place) {
    if (place) return read_pdf(*place, page);
    page.error = "cannot read a PDF document without a sandbox to do it in: " + place.error().message();
    later_ = Later(parts_.loop, [this] { read_next_pdf(); });
  });
}

void ExtractCall::read_pdf(const Place& place, ExtractedPage& page) {
  const auto give_up = [this, &page](const std::string& why) {
    page.error = why;
    later_ = Later(parts_.loop, [this] { read_next_pdf(); });
  };
  const auto path = place.environment->find("PATH");
  const std::string program =
      find_program("pdftotext", "/usr/bin:/bin:" + (path == place.environment->end() ? "" : path->second));
  if (program.empty()) return give_up("it is a PDF document, and pdftotext is not installed (Debian: poppler-utils)");
  Result<Permit> permit = parts_.gate.pdf_text(program, {{"LANG", "C.UTF-8"}, {"PATH", "/usr/bin:/bin"}});
  if (!permit) return give_up(permit.error().message());
  Jobs::Errand errand;
  errand.timeout = longest_conversion;
  if (place.sandbox) {
    errand.space = place.sandbox->request.space;
    errand.steps = place.sandbox->steps;
  }
  Result<UniqueFd> input = stdin_with(page.pdf);
  if (!input) return give_up(input.error().message());
  errand.input = *std::move(input);
  std::string().swap(page.pdf);
  errand_ = parts_.jobs.run_errand(*std::move(permit), std::move(errand), [this, &page](Result<Jobs::ErrandEnd> end) {
    errand_.clear();
    if (!end) page.error = "read the PDF document: " + end.error().message();
    else if (end->exit_code != 0 || end->exit_signal != 0) page.error = "it is a PDF document that cannot be read";
    else set_text(page, pages_as_text(std::move(end->output)), options_);
    later_ = Later(parts_.loop, [this] { read_next_pdf(); });
  });
}

void ExtractCall::finish() {
  ToolResult result;
  if (!*pages_) {
    result = failed_tool(pages_->error());
  } else {
    JsonObject details = extract_result(**pages_);
    std::string text = call_.caller.program ? "" : extract_text(details);
    result = tool_result(std::move(details), std::move(text));
  }
  later_ = Later(parts_.loop, [this, result = std::move(result)]() mutable {
    const Done<ToolResult> done = std::exchange(done_, nullptr);
    if (done) done(std::move(result));  // may destroy us
  });
}

}  // namespace talaria
