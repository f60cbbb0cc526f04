// process log: any part of a job's whole output.
#include "api/log_view.h"
#include "api/process_call.h"
#include "base/text.h"

namespace talaria {
namespace {

constexpr uint64_t long_log = 1 << 20;  // longer ones are read on a worker

class LogCall : public ProcessCall {
 public:
  using ProcessCall::ProcessCall;

  void begin() {
    if (arguments().offset) window_.offset = static_cast<uint64_t>(*arguments().offset);
    if (arguments().limit) window_.limit = static_cast<uint64_t>(*arguments().limit);
    window_.most_characters = static_cast<size_t>(wish_.settings->exec.max_output);
    if (arguments().grep) {
      Result<Pattern> pattern = Pattern::compile(*arguments().grep);
      if (!pattern) return fail_soon(Error(pattern.error()).within("process parameter \"grep\""));
      window_.grep = *std::move(pattern);
    }
    reading_ = parts_.outputs.open(id(), [this](Result<ByteSource> source) { take(std::move(source)); });
  }

 private:
  void take(Result<ByteSource> source) {
    if (!source) return fail(source.error());
    const LostRange all{0, source->size};
    if (source->size > 0 && source->lost == std::vector{all}) return show_nothing(*source);
    if (source->size <= long_log) return show(view_log(*std::move(source), window_));
    auto view = std::make_shared<Result<LogView>>(LogView());
    const auto look_again = [folder = parts_.jobs.home().job(id())] { return source_of_files(folder); };
    parts_.workers.run([view, source = *std::move(source), window = window_,
                        look_again] { *view = view_log(source, window, look_again); },
                       [this, view, alive = std::weak_ptr(alive_)] {
                         if (!alive.expired()) show(*view);
                       });
  }

  void show(const Result<LogView>& seen) {
    if (!seen) return fail(seen.error());
    const LogView& view = *seen;
    const JobRow row = row_now();
    ToolResult result;
    result.text = masked(view.text);
    if (result.text.empty()) result.text = nothing_text(view, row);
    else if (const std::string hint = hint_on(view); !hint.empty()) result.text += "\n" + hint;
    result.details = standing_details(row);
    tell_loss(row, result);
    result.details["totalLines"] = view.total_lines;
    result.details["totalBytes"] = view.total_bytes;
    result.details["shownLines"] = view.shown_lines;
    result.details["firstLine"] = view.first_line;
    if (window_.grep) result.details["matchingLines"] = view.matching_lines;
    result.details["truncated"] = view.shown_lines < view.matching_lines || view.truncated;
    answer(std::move(result));
  }

  // What there is of a lost job's output looks like all of it.
  static void tell_loss(const JobRow& row, ToolResult& result) {
    if (row.state != JobState::lost) return;
    const std::string sentence = ending_sentence(row, details_of(row));
    result.text += "\n" + sentence;
    result.details["note"] = sentence;
  }

  // Nothing of it is there: no line of ours stands for it.
  void show_nothing(const ByteSource& source) {
    ToolResult result;
    const std::string because = source.lost_because.empty() ? "" : ": " + source.lost_because;
    result.text = "(the output, " + human_bytes(source.size) + ", is no longer kept" + because + ")";
    const JobRow row = row_now();
    result.details = standing_details(row);
    tell_loss(row, result);
    result.details["totalLines"] = 0;
    result.details["totalBytes"] = source.size;
    result.details["shownLines"] = 0;
    result.details["firstLine"] = 0;
    if (window_.grep) result.details["matchingLines"] = 0;
    result.details["truncated"] = true;
    answer(std::move(result));
  }

  std::string nothing_text(const LogView& view, const JobRow& row) const {
    if (view.total_bytes == 0) return finished(row.state) ? "(no output recorded)" : "(no output yet)";
    if (window_.grep && view.matching_lines == 0) return "(no line matches)";
    return "(no lines after the first " + with_commas(window_.offset.value_or(0)) + ": there are " +
           with_commas(view.matching_lines) + (window_.grep ? " that match)" : ")");
  }

  std::string hint_on(const LogView& view) const {
    if (view.shown_lines >= view.matching_lines && !view.truncated) return "";
    const std::string lines = window_.grep ? " matching lines" : " lines";
    if (!window_.offset) {
      return "[showing last " + std::to_string(view.shown_lines) + " of " + std::to_string(view.matching_lines) +
             lines + "; pass offset/limit to page]";
    }
    return "[showing lines " + std::to_string(view.first_line) + " to " +
           std::to_string(view.first_line + view.shown_lines - 1) + " of " + std::to_string(view.matching_lines) +
           lines + "; pass offset/limit to page]";
  }

  LogWindow window_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Outputs::Pending reading_;
};

}  // namespace

OperationPtr start_log(Parts& parts, ProcessWish wish, Done<ToolResult> done) {
  return begin_call<LogCall>(parts, std::move(wish), std::move(done));
}

}  // namespace talaria
